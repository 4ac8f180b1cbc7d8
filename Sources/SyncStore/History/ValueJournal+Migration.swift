import Foundation
import SyncCore

extension ValueJournal {
  /// Gives entities and properties of former values the names of a new model, and the values its
  /// types, in the transaction that is open. Names that the new model no longer has stay.
  ///
  /// - Complexity: reads the values of entities where something was renamed or converted.
  func migrate(_ match: ModelMatch) throws {
    guard try exists() else { return }
    var records: [(txn: Int64, sequence: Int64, entity: String, columns: String, former: Data)] = []
    for old in match.oldEntities {
      guard let new = match.target(of: old) else { continue }
      let names = MigrationPlanner.names(old, new, match)
      let isRenamed = old.name != new.name || names.contains { $0 != $1 }
      guard isRenamed || match.convertsAttributes(of: new) else { continue }
      try connection.eachRow(
        "SELECT txn, seq, kind, columns, former FROM _syncstack_history_values WHERE entity = ?",
        [old.name]
      ) { statement in
        let columns = statement.text(3).split(separator: " ").map(String.init)
        let hasValues = statement.integer(2) < Kind.link.rawValue
        records.append(
          (
            statement.integer(0), statement.integer(1), new.name,
            columns.map { Self.renamed($0, names) }.joined(separator: " "),
            hasValues
              ? try Self.converted(
                statement.bytes(4), of: statement.integer(0),
                columns.map { column in
                  guard let before = old.attribute(named: column)?.type,
                    let after = names[column].flatMap({ new.attribute(named: $0)?.type })
                  else { return nil }
                  return before == after ? nil : ValueConversion(from: before, to: after)
                })
              : Data(statement.bytes(4))
          ))
      }
    }
    // Only now, so that entities that exchange their names do not meet.
    for record in records {
      try connection.run(
        "UPDATE _syncstack_history_values SET entity = ?, columns = ?, former = ? "
          + "WHERE txn = ? AND seq = ?",
        [record.entity, record.columns, record.former, record.txn, record.sequence])
    }
  }

  private static func renamed(_ column: String, _ names: [String: String]) -> String {
    guard column.hasSuffix(placeMark) else { return names[column] ?? column }
    let reference = String(column.dropLast(placeMark.count))
    return (names[reference] ?? reference) + placeMark
  }

  /// The values of a record with some columns in other types.
  private static func converted(
    _ former: UnsafeRawBufferPointer, of txn: Int64, _ conversions: [ValueConversion?]
  ) throws -> Data {
    guard !conversions.isEmpty else { return Data(former) }
    var reader = FormerCellReader(bytes: former, transaction: txn)
    var result = FormerCells()
    while !reader.isAtEnd {
      for conversion in conversions {
        let cell = try reader.next()
        guard let conversion else {
          result.append(cell)
          continue
        }
        let arena = CellArena()
        let value = conversion.convert(cell.value(as: conversion.source)) ?? .null
        withExtendedLifetime(arena) { result.append(arena.cell(value, as: conversion.target)) }
      }
    }
    return Data(result.bytes)
  }
}
