import SyncCore

/// How one table of the new model is filled from the tables of the old one: a select for each
/// entity that it holds.
struct TableCopy {
  /// The rows of one entity.
  struct Part {
    let entity: EntityLayout
    let source: EntityLayout

    /// Columns of the new table and their expressions over the old row `o`.
    var columns: [String] = []
    var expressions: [String] = []
    var bindings: [Value] = []

    /// Whether the row stays as it is, if the table does.
    var isIdentity: Bool {
      source.number == entity.number && bindings.isEmpty
        && zip(columns, expressions).allSatisfy { $1 == "o.\($0)" }
    }
  }

  let table: Table
  private(set) var parts: [Part] = []

  /// Positions that the old tables do not have: members are numbered in the order in which they
  /// were read without one.
  private(set) var newPositions: [Table.Position] = []

  private let match: ModelMatch
  private let old: TableLayout
  private let names: OldNames

  init(_ table: Table, _ match: ModelMatch, old: TableLayout, new: TableLayout, names: OldNames) {
    self.table = table
    self.match = match
    self.old = old
    self.names = names
    for entity in match.newEntities[table.rootIndex].familyEntities where !entity.isAbstract {
      guard let source = match.source(of: entity), !source.isAbstract else { continue }
      parts.append(makePart(new[entity], old[source]))
    }
    newPositions = table.positions.filter { position in
      let column = table.columns[position.reference]
      let relationship = new.model.records[column.declaringIndex].properties[column.slot]
      guard let relationship = relationship.relationship else { return false }
      return !pairs(relationship).hasPositions.owners
    }
  }

  private func pairs(_ relationship: RelationshipDescription) -> LinkPairs {
    LinkPairs(relationship, match, old, names)
  }

  private func makePart(_ entity: EntityLayout, _ source: EntityLayout) -> Part {
    var part = Part(entity: entity, source: source)
    for slot in entity.columnSlots {
      guard let column = entity.column(slot) else { continue }
      part.columns.append(column.quoted)
      switch entity.entity.record.properties[slot] {
      case .attribute(let attribute):
        part.expressions.append(expression(attribute, entity.entity, source, &part.bindings))
      case .relationship(let relationship):
        let position = table.position(beside: column.ordinal)
        let (reference, order) = expressions(relationship, entity.entity, source)
        part.expressions.append(reference)
        if let position {
          part.columns.append(position.quoted)
          part.expressions.append(order)
        }
      }
    }
    return part
  }

  private func expression(
    _ attribute: AttributeDescription, _ entity: EntityDescription, _ source: EntityLayout,
    _ bindings: inout [Value]
  ) -> String {
    guard let former = match.source(of: attribute.slot, in: entity)?.attribute,
      let column = source.column(former.slot),
      let conversion = ValueConversion(from: former.type, to: attribute.type)
    else {
      guard !attribute.defaultValue.isNull else { return "NULL" }
      bindings.append(attribute.storedDefault)
      return "?"
    }
    return TableCopy.converted("o.\(column.quoted)", conversion)
  }

  /// The SQL of a converted value. Names of types are ours, not input.
  static func converted(_ column: String, _ conversion: ValueConversion) -> String {
    conversion.keepsStoredForm
      ? column
      : "\(SQLFunction.convert)(\(column), '\(conversion.source.rawValue)', "
        + "'\(conversion.target.rawValue)')"
  }

  /// A reference and the position beside it.
  private func expressions(
    _ relationship: RelationshipDescription, _ entity: EntityDescription, _ source: EntityLayout
  ) -> (String, String) {
    let pairs = pairs(relationship)
    guard pairs.isDirect else {
      guard let select = pairs.select() else { return ("NULL", "NULL") }
      let find = { (column: String) in
        "(SELECT \(column) FROM (\(select)) WHERE owner = o._row LIMIT 1)"
      }
      return (find("member"), find("q"))
    }
    guard let former = match.source(of: relationship.slot, in: entity)?.relationship,
      let column = source.column(former.slot)
    else { return ("NULL", "NULL") }
    let reference = "o.\(column.quoted)"
    let position = source.table.position(beside: column.ordinal).map { "o.\($0.quoted)" } ?? "NULL"
    guard let condition = pairs.fitsDirectly(reference, from: former) else {
      return (reference, position)
    }
    return (
      "CASE WHEN \(condition) THEN \(reference) END", "CASE WHEN \(condition) THEN \(position) END"
    )
  }

  /// The old table that is this one already, row by row; nil when there is none.
  var unchanged: Table? {
    guard newPositions.isEmpty,
      let same = old.tables.first(where: { $0.identifier == table.identifier }),
      SchemaWriter.createTable(same) == SchemaWriter.createTable(table),
      parts.allSatisfy({ $0.source.table === same && $0.isIdentity })
    else { return nil }
    let kept = Set(parts.map(\.source.entity.index))
    let held = match.oldEntities[same.rootIndex].familyEntities
    return held.allSatisfy { $0.isAbstract || kept.contains($0.index) } ? same : nil
  }

  // MARK: - Filling

  /// Fills the new table.
  func run(on connection: Connection) throws {
    for part in parts {
      let columns =
        ["_row", "_version"] + (table.hasEntityColumn ? ["_entity"] : []) + part.columns
      let number = table.hasEntityColumn ? ["\(part.entity.number)"] : []
      let values = ["o._row", "o._version"] + number + part.expressions
      let home = part.source.table
      let condition = home.hasEntityColumn ? " WHERE o._entity = \(part.source.number)" : ""
      let statement = try connection.ownedStatement(
        "INSERT INTO \(table.quoted) (\(columns.joined(separator: ", "))) "
          + "SELECT \(values.joined(separator: ", ")) FROM \(names.tables[home.index]) o\(condition)"
      )
      for (index, value) in part.bindings.enumerated() { statement.bind(Int32(index + 1), value) }
      try statement.run()
    }
    for position in newPositions {
      let owner = table.columns[position.reference].quoted
      try connection.execute(
        "UPDATE \(table.quoted) SET \(position.quoted) = r.n FROM (SELECT _row AS k, "
          + "row_number() OVER (PARTITION BY \(owner) ORDER BY \(position.quoted) IS NULL, "
          + "\(position.quoted), _row) - 1 AS n FROM \(table.quoted) WHERE \(owner) IS NOT NULL) r "
          + "WHERE r.k = \(table.quoted)._row")
    }
  }
}
