import SyncCore

/// Checks uniqueness constraints that are new, and those of tables whose values changed, over all
/// objects of a migrated store.
struct UniquenessMigrationCheck {
  let match: ModelMatch
  let layout: TableLayout
  let connection: Connection

  /// - Throws: ``StoreError`` with ``StoreError/Code/notUnique`` that names the objects.
  func run(hasChanged: (Table) -> Bool) throws {
    for entity in layout.entities {
      let known = constraintsOfBefore(entity.entity)
      for constraint in entity.entity.uniquenessConstraints
      where hasChanged(entity.table) || !known.contains(constraint) {
        try check(constraint, of: entity)
      }
    }
  }

  private func constraintsOfBefore(_ entity: EntityDescription) -> Set<[String]> {
    guard let source = match.source(of: entity) else { return [] }
    let names = MigrationPlanner.names(source, entity, match)
    return Set(source.uniquenessConstraints.map { $0.map { names[$0] ?? "" } })
  }

  private func check(_ constraint: [String], of entity: EntityLayout) throws {
    let slots = constraint.compactMap { entity.entity.property(named: $0)?.slot }
    let columns = slots.compactMap { entity.column($0)?.quoted }
    guard columns.count == constraint.count, !columns.isEmpty else { return }
    let statement = try connection.ownedStatement(select(columns, of: entity))
    var names: [String] = []
    var keys: [Value] = []
    var shared: [String] = []
    while try statement.step() {
      let owner = layout.entity(numbered: statement.integer(1)) ?? entity
      let value = entity.keySlot.map { statement.value(2, as: entity.types[$0]) }
      names.append("\(owner.entity.name) \(value?.description ?? "in row \(statement.integer(0))")")
      if let value { keys.append(value) }
      shared = zip(constraint, slots).enumerated().map { index, property in
        "\(property.0) “\(statement.value(index + 3, as: entity.types[property.1]))”"
      }
    }
    guard !names.isEmpty else { return }
    throw StoreError(
      .notUnique,
      message: "The store cannot be migrated: \(names.joined(separator: " and ")) have the same "
        + "\(shared.joined(separator: " and ")), which the model says is unique in "
        + "“\(entity.entity.name)”. Change or delete them with the old model first, or take the "
        + "constraint out. Nothing was changed.",
      entity: entity.entity.name, keys: keys)
  }

  /// Selects the objects of the first group that has the same values: row, entity, key, values.
  private func select(_ columns: [String], of entity: EntityLayout) -> String {
    let table = entity.table.quoted
    let list = columns.joined(separator: ", ")
    let conditions =
      columns.map { $0 + " IS NOT NULL" } + [entity.entityCondition()].compactMap { $0 }
    let same =
      columns.map { "t.\($0) = g.\($0)" }
      + [entity.entityCondition(prefix: "t.")].compactMap { $0 }
    let key = entity.keySlot.flatMap { entity.column($0) }.map { "t." + $0.quoted } ?? "NULL"
    return """
      SELECT t._row, \(entity.table.hasEntityColumn ? "t._entity" : "0"), \(key), \
      \(columns.map { "t." + $0 }.joined(separator: ", ")) \
      FROM \(table) t JOIN (SELECT \(list) FROM \(table) \
      WHERE \(conditions.joined(separator: " AND ")) GROUP BY \(list) HAVING count(*) > 1 \
      ORDER BY min(_row) LIMIT 1) g ON \(same.joined(separator: " AND ")) ORDER BY t._row LIMIT 10
      """
  }
}
