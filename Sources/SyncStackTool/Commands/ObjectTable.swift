import SyncStack

/// Stored objects as a table or as records: their attributes, the keys of the objects they refer
/// to, and how many members their relationships have; a record names the first of these too.
struct ObjectTable {
  let entity: EntityDescription
  let reader: StoreReader

  /// The objects that a plan asks for, an object a line.
  func table(_ plan: FetchPlan) throws -> TextTable {
    let rows = try reader.fetch(plan)
    let hasSubentities = !entity.subentities.isEmpty
    let properties = properties(of: entity)
    var table = TextTable((hasSubentities ? [.init("Entity")] : []) + properties.map { column($0) })
    let cells = try properties.map { try self.cells(of: $0, in: rows, entity, counts: true) }
    for (index, row) in rows.enumerated() {
      table.add((hasSubentities ? [row.entity.name] : []) + cells.map { $0[index] })
    }
    return table
  }

  /// The objects that a plan asks for as records, with the properties of the entity that each is
  /// of.
  func records(_ plan: FetchPlan) throws -> [RecordText] {
    try reader.fetch(plan).map { row in
      let properties = properties(of: row.entity)
      let key = row.entity.primaryKey.map { CellText.of(row.values[$0.slot], $0.type) } ?? ""
      return RecordText(
        title: "\(row.entity.name) \(key.isEmpty ? "#\(row.row)" : key)",
        fields: try properties.map { property in
          (property.name, try cells(of: property, in: [row], row.entity, counts: false)[0])
        })
    }
  }

  /// The properties of an entity that are shown, its key first.
  private func properties(of entity: EntityDescription) -> [PropertyDescription] {
    let key = entity.primaryKey?.slot
    let stored = entity.properties.filter { !($0.attribute?.isTransient ?? false) }
    return stored.filter { $0.slot == key } + stored.filter { $0.slot != key }
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

  private func cells(
    of property: PropertyDescription, in rows: [StoredRow], _ entity: EntityDescription,
    counts: Bool
  ) throws -> [String] {
    guard let relationship = property.relationship else {
      return rows.map { CellText.of($0.values[property.slot], property.attribute?.type) }
    }
    if relationship.isToMany {
      return try members(of: relationship, in: rows, entity, counts: counts)
    }
    let targets = rows.map { row -> Int64? in
      if case .int(let target) = row.values[property.slot] { target } else { nil }
    }
    let names = try names(of: entity.destination(of: relationship), rows: targets.compactMap { $0 })
    return targets.map { target in target.map { names[$0] ?? "?" } ?? "" }
  }

  /// Members that a record names at most.
  private static let namedMembers = 20

  /// How many members each object has; unless only that is wanted, with the keys of the first.
  private func members(
    of relationship: RelationshipDescription, in rows: [StoredRow], _ entity: EntityDescription,
    counts: Bool
  ) throws -> [String] {
    let all = try reader.members(of: relationship, in: entity, owners: rows.map(\.row))
    let members = Dictionary(grouping: all, by: \.owner)
    return try rows.map { row in
      let mine = members[row.row] ?? []
      let count = Figures.grouped(mine.count)
      guard !counts, !mine.isEmpty else { return count }
      let shown = mine.prefix(ObjectTable.namedMembers).map(\.row)
      let names = try names(of: entity.destination(of: relationship), rows: shown)
      let list = shown.map { names[$0] ?? "?" }.joined(separator: ", ")
      return "\(count): \(list)\(mine.count > shown.count ? ", …" : "")"
    }
  }

  /// The names of objects that are referred to: their keys, else their numbers.
  private func names(of entity: EntityDescription, rows: [Int64]) throws -> [Int64: String] {
    var names: [Int64: String] = [:]
    for row in try reader.rows(entity, rows: Set(rows).sorted()) {
      let key = row.entity.primaryKey.map { row.values[$0.slot] } ?? .null
      names[row.row] = key.isNull ? "#\(row.row)" : key.description
    }
    return names
  }
}
