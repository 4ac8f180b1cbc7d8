import SyncCore

/// The names of the old model's tables while the new ones are filled, quoted.
struct OldNames {
  var tables: [String]
  var links: [String]

  init(_ layout: TableLayout) {
    tables = layout.tables.map(\.identifier.quoted)
    links = layout.links.map(\.quoted)
  }
}

/// Reads the links of a new relationship from the old tables.
struct LinkPairs {
  let match: ModelMatch
  let old: TableLayout
  let names: OldNames

  /// The new relationship and where its links come from.
  let relationship: RelationshipDescription
  let sources: LinkSources

  init(
    _ relationship: RelationshipDescription, _ match: ModelMatch, _ old: TableLayout,
    _ names: OldNames
  ) {
    self.match = match
    self.old = old
    self.names = names
    self.relationship = relationship
    sources = LinkSources(of: relationship, match)
  }

  private var owner: EntityDescription { match.newEntities[relationship.declaringIndex] }
  private var destination: EntityDescription {
    match.newEntities[relationship.destinationIndex]
  }

  /// Whether a to-one relationship was one before, with every owner's link in its own row.
  var isDirect: Bool {
    guard !relationship.isToMany, sources.far.isEmpty else { return false }
    return owner.familyEntities.allSatisfy {
      match.source(of: relationship.slot, in: $0)?.relationship?.isToMany != true
    }
  }

  /// A select of all links in columns `owner`, `member`, `p` (position of the member among the
  /// owner's) and `q` (position of the owner among the member's); nil when there are none.
  func select(isFiltered: Bool = true) -> String? {
    guard !sources.all.isEmpty else { return nil }
    return sources.all.map { select($0, isFiltered: isFiltered) }.joined(separator: " UNION ALL ")
  }

  /// Whether every source has positions of members (`p`), and of owners (`q`).
  var hasPositions: (members: Bool, owners: Bool) {
    let each = sources.all.map { source in
      let (near, far) = orders(source)
      return source.isReversed ? (far, near) : (near, far)
    }
    return (each.allSatisfy(\.0), each.allSatisfy(\.1))
  }

  private func orders(_ source: LinkSource) -> (Bool, Bool) {
    let (entity, relationship) = oldSide(source)
    return (relationship.isOrdered, entity.inverse(of: relationship)?.isOrdered ?? false)
  }

  /// The old relationship of a source with the entity that declares it.
  func oldSide(_ source: LinkSource) -> (EntityDescription, RelationshipDescription) {
    let entity = match.oldEntities[source.entity]
    guard let relationship = entity.record.properties[source.slot].relationship else {
      programmingError("A link source names a relationship: report this with both models.")
    }
    return (entity, relationship)
  }

  /// The old entities at the new owner's and at the new member's end.
  func oldEnds(_ source: LinkSource) -> (owner: EntityDescription, member: EntityDescription) {
    let (entity, relationship) = oldSide(source)
    let other = match.oldEntities[relationship.destinationIndex]
    return source.isReversed ? (other, entity) : (entity, other)
  }

  private func select(_ source: LinkSource, isFiltered: Bool) -> String {
    let (entity, relationship) = oldSide(source)
    var (table, near, far, nearOrder, farOrder) = ("", "", "", "NULL", "NULL")
    switch old.storage(of: relationship, in: entity) {
    case .column(let column):
      let home = old[entity].table
      (table, near, far) = (names.tables[home.index], "_row", column.quoted)
      farOrder = home.position(beside: column.ordinal)?.quoted ?? "NULL"
    case .inverse(let home, let column, let position):
      (table, near, far) = (names.tables[home.index], column.quoted, "_row")
      nearOrder = position?.quoted ?? "NULL"
    case .link(let end):
      (table, near, far) = (names.links[end.table.index], end.ownerColumn, end.memberColumn)
      let orders = (
        end.table.isSourceOrdered ? "source_position" : "NULL",
        end.table.isTargetOrdered ? "target_position" : "NULL"
      )
      (nearOrder, farOrder) = end.isForward ? orders : (orders.1, orders.0)
    case nil: break
    }
    if source.isReversed {
      swap(&near, &far)
      swap(&nearOrder, &farOrder)
    }
    var conditions = ["\(near) IS NOT NULL", "\(far) IS NOT NULL"]
    if isFiltered {
      let ends = oldEnds(source)
      conditions += [fits(near, ends.owner, owner), fits(far, ends.member, destination)]
        .compactMap { $0 }
    }
    return "SELECT \(near) AS owner, \(far) AS member, \(nearOrder) AS p, \(farOrder) AS q "
      + "FROM \(table) WHERE \(conditions.joined(separator: " AND "))"
  }

  /// A condition that a row number is of an object that stays and fits the new relationship; nil
  /// when all do.
  private func fits(
    _ column: String, _ family: EntityDescription, _ wanted: EntityDescription
  ) -> String? {
    let members = concrete(family)
    let fitting = members.filter { match.target(of: $0)?.isKind(of: wanted) == true }
    guard fitting.count < members.count else { return nil }
    return isOne(of: fitting, column, in: family)
  }

  /// The condition on the column of a direct to-one relationship of an old entity.
  func fitsDirectly(_ column: String, from old: RelationshipDescription) -> String? {
    fits(column, match.oldEntities[old.destinationIndex], destination)
  }

  private func concrete(_ family: EntityDescription) -> [EntityDescription] {
    family.familyEntities.filter { !$0.isAbstract }
  }

  private func isOne(
    of entities: [EntityDescription], _ column: String, in family: EntityDescription
  ) -> String {
    let table = old[family].table
    guard !entities.isEmpty else { return "0" }
    guard table.hasEntityColumn else { return "1" }
    let numbers = entities.map { String(old[$0].number) }.joined(separator: ", ")
    return
      "\(column) IN (SELECT _row FROM \(names.tables[table.index]) WHERE _entity IN (\(numbers)))"
  }

  /// A condition for links that would be lost though both objects stay: the object at one end is of
  /// an entity that the new relationship does not lead to; nil when there can be none.
  var stray: String? {
    let conditions = sources.all.flatMap { source -> [String] in
      let ends = oldEnds(source)
      var result = [moved("member", ends.member, destination)]
      // Without an inverse only the owner has its links, and it has lost the property.
      if relationship.inverseSlot != nil { result.append(moved("owner", ends.owner, owner)) }
      return result.compactMap { $0 }
    }
    return conditions.isEmpty ? nil : Set(conditions).sorted().joined(separator: " OR ")
  }

  private func moved(
    _ column: String, _ family: EntityDescription, _ wanted: EntityDescription
  ) -> String? {
    let moved = concrete(family).filter { entity in
      match.target(of: entity).map { !$0.isKind(of: wanted) } ?? false
    }
    return moved.isEmpty ? nil : isOne(of: moved, column, in: family)
  }
}
