import SyncCore

/// To-one relationships lead to objects of their destination. With the delete rule No Action at the other end
/// they may lead to one that was deleted, so that only numbers are looked at that no row can have.
struct ReferenceRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.references

  /// A to-one relationship, and the select of rows where it leads to nothing.
  struct Reference {
    let table: Table
    let column: Table.Column
    let owner: EntityLayout
    let name: String
    let select: String
  }

  private func references(_ reader: StoreReader) -> [Reference] {
    let layout = reader.layout
    return layout.tables.flatMap { table in
      table.columns.compactMap { column -> Reference? in
        let owner = layout.entities[column.declaringIndex]
        guard let relationship = owner.entity.properties[column.slot].relationship else {
          return nil
        }
        let mayDangle = owner.entity.inverse(of: relationship)?.deleteRule == .noAction
        let number = "o.\(column.quoted)"
        let conditions = [
          "\(number) IS NOT NULL", owner.entityCondition(prefix: "o."),
          mayDangle
            ? "NOT (\(ConsistencyText.isRow(number)))"
            : reader.isMissing(number, layout.entities[relationship.destinationIndex]),
        ]
        return Reference(
          table: table, column: column, owner: owner,
          name: "\(owner.entity.name).\(relationship.name)",
          select: "SELECT o._row FROM \(table.quoted) o WHERE "
            + conditions.compactMap { $0 }.joined(separator: " AND "))
      }
    }
  }

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    try references(reader).compactMap { reference in
      let found = try reader.look(reference.select)
      guard found.count > 0 else { return nil }
      return ConsistencyProblem(
        kind, reference.table.identifier.name, property: reference.name, count: found.count,
        examples: found.examples, "it leads to no object")
    }
  }

  func repair(_ transaction: StoreTransaction) throws {
    for reference in references(transaction) {
      let column = reference.column
      let position = reference.table.position(beside: column.ordinal)
      try transaction.rewrite(
        transaction.integers(reference.select), in: reference.table, slot: column.slot,
        setting: "\(column.quoted) = NULL" + (position.map { ", \($0.quoted) = NULL" } ?? ""))
    }
  }
}

extension StoreTransaction {
  /// Sets columns of rows, and records that a slot of them changed. Rows whose numbers are none stay as
  /// they are.
  func rewrite(_ rows: [Int64], in table: Table, slot: Int, setting columns: String) throws {
    for row in rows where RowNumber.isValid(row) {
      let statement = try connection.statement(
        "UPDATE \(table.quoted) SET \(columns), _version = _version + 1 WHERE _row = ?")
      statement.bind(1, row)
      try statement.run()
      recorder.update(row, in: table, slots: [slot])
    }
  }
}
