import SyncStack

/// Stored objects as a table: an object a line, its attributes, the keys of what it refers to, and how
/// many members its relationships have.
struct ObjectTable {
  let entity: EntityDescription
  let reader: StoreReader

  /// The objects that a plan asks for.
  func table(_ plan: FetchPlan) throws -> TextTable {
    let rows = try reader.fetch(plan)
    let key = entity.primaryKey?.slot
    let stored = entity.properties.filter { !($0.attribute?.isTransient ?? false) }
    let properties = stored.filter { $0.slot == key } + stored.filter { $0.slot != key }
    let hasSubentities = !entity.subentities.isEmpty
    var table = TextTable(
      (hasSubentities ? [.init("Entity")] : []) + properties.map { column($0) })
    let cells = try properties.map { try self.cells(of: $0, in: rows) }
    for (index, row) in rows.enumerated() {
      table.add((hasSubentities ? [row.entity.name] : []) + cells.map { $0[index] })
    }
    return table
  }

  private func column(_ property: PropertyDescription) -> TextTable.Column {
    switch property {
    case .attribute(let attribute):
      switch attribute.type {
      case .integer16, .integer32, .integer64, .decimal, .double, .float:
        .init(property.name, numeric: true)
      default: .init(property.name)
      }
    case .relationship(let relationship): .init(property.name, numeric: relationship.isToMany)
    }
  }

  private func cells(of property: PropertyDescription, in rows: [StoredRow]) throws -> [String] {
    guard let relationship = property.relationship else {
      return rows.map { text($0.values[property.slot]) }
    }
    if relationship.isToMany { return try counts(of: relationship, in: rows) }
    let targets = rows.map { row -> Int64? in
      if case .int(let target) = row.values[property.slot] { target } else { nil }
    }
    let names = try names(of: entity.destination(of: relationship), rows: targets.compactMap { $0 })
    return targets.map { target in target.map { names[$0] ?? "?" } ?? "" }
  }

  private func counts(
    of relationship: RelationshipDescription, in rows: [StoredRow]
  ) throws -> [String] {
    let members = try reader.members(of: relationship, in: entity, owners: rows.map(\.row))
    var counts: [Int64: Int] = [:]
    for member in members { counts[member.owner, default: 0] += 1 }
    return rows.map { Figures.grouped(counts[$0.row] ?? 0) }
  }

  /// What stands for objects that are referred to: their keys, else their numbers.
  private func names(of entity: EntityDescription, rows: [Int64]) throws -> [Int64: String] {
    var names: [Int64: String] = [:]
    for row in try reader.rows(entity, rows: Set(rows).sorted()) {
      let key = row.entity.primaryKey.map { row.values[$0.slot] } ?? .null
      names[row.row] = key.isNull ? "#\(row.row)" : key.description
    }
    return names
  }

  private func text(_ value: Value) -> String {
    value.isNull ? "" : value.description
  }
}
