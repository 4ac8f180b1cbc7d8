import SyncCore

/// Row numbers are those that are given out.
struct RowRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.rows

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    try reader.layout.tables.compactMap { table in
      let found = try reader.look(
        "SELECT _row FROM \(table.quoted) WHERE _row NOT BETWEEN 1 AND \(RowNumber.limit)")
      guard found.count > 0 else { return nil }
      return ConsistencyProblem(
        kind, table.identifier.name, count: found.count, examples: found.examples,
        isRepairable: false,
        "a row has a number that is not given out. Restore the file from a copy, or delete it in SQL"
      )
    }
  }
}

/// Versions can be counted on.
struct VersionRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.versions

  private let isWrong = "NOT (\(ConsistencyText.isCountable("_version")))"

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    try reader.layout.tables.compactMap { table in
      let found = try reader.look("SELECT _row FROM \(table.quoted) WHERE \(isWrong)")
      guard found.count > 0 else { return nil }
      return ConsistencyProblem(
        kind, table.identifier.name, count: found.count, examples: found.examples,
        "_version of a row is none that a store writes")
    }
  }

  func repair(_ transaction: StoreTransaction) throws {
    for table in transaction.layout.tables {
      try transaction.connection.execute(
        "UPDATE \(table.quoted) SET _version = 1 WHERE \(isWrong)")
    }
  }
}

/// Each row is of an entity of its table that objects can be of.
struct EntityRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.entities

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    try reader.layout.tables.filter(\.hasEntityColumn).compactMap { table in
      let numbers = reader.layout.members(of: table).filter { !$0.entity.isAbstract }.map(\.number)
      let list = numbers.map(String.init).joined(separator: ", ")
      let found = try reader.look(
        "SELECT _row FROM \(table.quoted) WHERE _entity IS NULL OR _entity NOT IN (\(list))")
      guard found.count > 0 else { return nil }
      return ConsistencyProblem(
        kind, table.identifier.name, count: found.count, examples: found.examples,
        isRepairable: false,
        "_entity of a row is the number of no entity of the table. Restore the file from a copy, or "
          + "set it in SQL to one of \(list)")
    }
  }
}
