import SyncCore

/// Finds out, before anything is changed, whether stored rows stand in the way of a migration that
/// the models allow.
struct MigrationCheck {
  let match: ModelMatch
  let old: TableLayout
  let new: TableLayout
  let connection: Connection
  private(set) var obstacles: [StoreError.Obstacle] = []

  /// Everything that is in the way, in the order of the new model.
  mutating func run() throws -> [StoreError.Obstacle] {
    for entity in match.newEntities {
      try checkAbstract(entity)
      for property in entity.ownProperties where !property.isTransient {
        switch property {
        case .attribute(let attribute): try check(attribute, of: entity)
        case .relationship(let relationship): try check(relationship, of: entity)
        }
      }
    }
    for table in new.tables { try checkRows(table) }
    try checkSomethingIsKept()
    return obstacles
  }

  private func count(_ table: Table, _ conditions: [String]) throws -> Int64 {
    let condition = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    return try connection.scalar("SELECT count(*) FROM \(table.quoted)\(condition)") ?? 0
  }

  /// The condition for rows of exactly one old entity.
  private func isExactly(_ entity: EntityLayout) -> [String] {
    entity.table.hasEntityColumn ? ["_entity = \(entity.number)"] : []
  }

  // MARK: - Entities

  /// Removing an entity removes its objects. When that would be all there are, the model is more
  /// likely to be that of another store, or a renaming identifier is missing.
  private mutating func checkSomethingIsKept() throws {
    guard match.target.allSatisfy({ $0 == nil }) else { return }
    for table in old.tables where try count(table, []) > 0 {
      let name = match.oldEntities[table.rootIndex].name
      obstacles.append(
        .init(
          .nothingKept, name, nil,
          "The model has no entity “\(name)”, nor any other of the store, so all objects would go. "
            + "Use the model of this store, give renamed entities a renaming identifier, or remove the "
            + "file if it is to begin anew."))
    }
  }

  private mutating func checkAbstract(_ entity: EntityDescription) throws {
    guard entity.isAbstract, let source = match.source(of: entity), !source.isAbstract else {
      return
    }
    let found = try count(old[source].table, isExactly(old[source]))
    guard found > 0 else { return }
    obstacles.append(
      .init(
        .abstractObjects, entity.name, nil,
        "“\(entity.name)” is abstract in the model, and the store has \(found) objects of exactly "
          + "this entity. Keep it concrete, or delete them with the old model first."))
  }

  /// Row numbers are kept, so objects of two tables cannot come into one.
  private mutating func checkRows(_ table: Table) throws {
    var sources: [Table] = []
    for entity in match.newEntities[table.rootIndex].familyEntities {
      guard let source = match.source(of: entity) else { continue }
      let layout = old[source]
      guard !sources.contains(where: { $0 === layout.table }) else { continue }
      let wasRoot = source.superentity == nil
      if try wasRoot ? hasGivenOutRows(layout.table) : count(layout.table, isExactly(layout)) > 0 {
        sources.append(layout.table)
      }
    }
    guard sources.count > 1 else { return }
    let names = sources.map { "“\(match.oldEntities[$0.rootIndex].name)”" }
    let root = match.newEntities[table.rootIndex].name
    obstacles.append(
      .init(
        .overlappingRows, root, nil,
        "Objects of \(names.joined(separator: " and ")) come together below “\(root)”, where their "
          + "row numbers, which identify them for ever, overlap. Keep the entities apart, or copy the "
          + "objects of one of them in code into a new entity below “\(root)”."))
  }

  private func hasGivenOutRows(_ table: Table) throws -> Bool {
    try SequenceTable.next(table.identifier.name, connection) > 1
  }

  // MARK: - Attributes

  private mutating func check(
    _ attribute: AttributeDescription, of declaring: EntityDescription
  ) throws {
    var missing: Int64 = 0
    var inexact: Int64 = 0
    var type = attribute.type
    for entity in declaring.familyEntities where !entity.isAbstract {
      guard let source = match.source(of: entity), !source.isAbstract else { continue }
      let layout = old[source]
      let former = match.source(of: attribute.slot, in: entity)?.attribute
      let column = former.flatMap { layout.column($0.slot)?.quoted }
      if !attribute.isOptional, attribute.defaultValue.isNull, former?.isOptional ?? true {
        let condition = column.map { ["\($0) IS NULL"] } ?? []
        missing += try count(layout.table, isExactly(layout) + condition)
      }
      if let former, let column,
        let conversion = ValueConversion(from: former.type, to: attribute.type), conversion.mayFail
      {
        type = former.type
        inexact += try count(
          layout.table,
          isExactly(layout) + [
            "\(column) IS NOT NULL", "\(TableCopy.converted(column, conversion)) IS NULL",
          ])
      }
    }
    let name = "“\(declaring.name).\(attribute.name)”"
    if missing > 0 {
      obstacles.append(
        .init(
          .missingValues, declaring.name, attribute.name,
          "\(name) is required and has no default, and \(missing) objects have no value for it. "
            + "Give it a default, make it optional, or set it with the old model first."))
    }
    if inexact > 0 {
      obstacles.append(
        .init(
          .inexactValues, declaring.name, attribute.name,
          "\(name) turns from \(type.rawValue) into \(attribute.type.rawValue), and \(inexact) "
            + "values would not stay exact. Add an attribute of the new type under another name, and "
            + "fill it as you see fit."))
    }
  }

  // MARK: - Relationships

  private mutating func check(
    _ relationship: RelationshipDescription, of declaring: EntityDescription
  ) throws {
    let pairs = LinkPairs(relationship, match, old, OldNames(old))
    let name = "“\(declaring.name).\(relationship.name)”"
    if isFirstSide(relationship, of: declaring), let stray = pairs.stray,
      let select = pairs.select(isFiltered: false),
      let found = try connection.scalar("SELECT count(*) FROM (\(select)) WHERE \(stray)"),
      found > 0
    {
      obstacles.append(
        .init(
          .strayLinks, declaring.name, relationship.name,
          "\(name) leads to “\(relationship.destinationName)”, and \(found) links in the store lead "
            + "to or from objects that do not fit. Remove these links with the old model first, or "
            + "give the relationship another name."))
    }
    if !relationship.isToMany, !pairs.isDirect, let select = pairs.select(),
      let found = try connection.scalar(
        "SELECT count(*) FROM (SELECT owner FROM (\(select)) GROUP BY owner "
          + "HAVING count(DISTINCT member) > 1)"), found > 0
    {
      obstacles.append(
        .init(
          .severalMembers, declaring.name, relationship.name,
          "\(name) leads to one object, and \(found) objects in the store are linked with several. "
            + "Keep it to-many, or unlink all but one with the old model first."))
    }
    let missing =
      try relationship.isRequiredToOne ? unlinked(relationship, of: declaring, pairs) : 0
    if missing > 0 {
      obstacles.append(
        .init(
          .missingValues, declaring.name, relationship.name,
          "\(name) is required, and \(missing) objects in the store lead to none. Make it optional, "
            + "or let them lead to one with the old model first."))
    }
  }

  /// How many stored objects of a to-one relationship lead to none; those of entities of which it
  /// was required before are not looked at.
  private func unlinked(
    _ relationship: RelationshipDescription, of declaring: EntityDescription, _ pairs: LinkPairs
  ) throws -> Int64 {
    let owners = pairs.select().map { ["_row NOT IN (SELECT owner FROM (\($0)))"] } ?? []
    var result: Int64 = 0
    for entity in declaring.familyEntities where !entity.isAbstract {
      guard let source = match.source(of: entity), !source.isAbstract,
        match.source(of: relationship.slot, in: entity)?.relationship?.isRequiredToOne != true
      else { continue }
      result += try count(old[source].table, isExactly(old[source]) + owners)
    }
    return result
  }

  /// A change at both ends of a relationship is told once.
  private func isFirstSide(
    _ relationship: RelationshipDescription, of declaring: EntityDescription
  ) -> Bool {
    guard let inverse = declaring.inverse(of: relationship) else { return true }
    return (relationship.declaringIndex, relationship.slot)
      <= (inverse.declaringIndex, inverse.slot)
  }
}
