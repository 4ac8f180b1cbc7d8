import SyncCore

extension ConsistencyRule {
  /// Row numbers are those that are given out.
  static func rows(_ reader: StoreReader) -> [ConsistencyRule] {
    reader.layout.tables.map { table in
      ConsistencyRule(
        kind: .rows, table: table.identifier.name,
        message:
          "a row has a number that is not given out. Restore the file from a copy, or delete it in SQL",
        select: "SELECT _row FROM \(table.quoted) WHERE _row NOT BETWEEN 1 AND \(RowNumber.limit)")
    }
  }

  /// Versions can be counted on.
  static func versions(_ reader: StoreReader) -> [ConsistencyRule] {
    let isWrong = "NOT (\(ConsistencyText.isCountable("_version")))"
    return reader.layout.tables.map { table in
      ConsistencyRule(
        kind: .versions, table: table.identifier.name,
        message: "_version of a row is none that a store writes",
        select: "SELECT _row FROM \(table.quoted) WHERE \(isWrong)"
      ) { transaction, _ in
        try transaction.connection.execute(
          "UPDATE \(table.quoted) SET _version = 1 WHERE \(isWrong)")
      }
    }
  }

  /// Each row is of an entity of its table that objects can be of.
  static func entities(_ reader: StoreReader) -> [ConsistencyRule] {
    reader.layout.tables.filter(\.hasEntityColumn).map { table in
      let numbers = reader.layout.members(of: table).filter { !$0.entity.isAbstract }.map(\.number)
      let list = numbers.map(String.init).joined(separator: ", ")
      return ConsistencyRule(
        kind: .entities, table: table.identifier.name,
        message:
          "_entity of a row is the number of no entity of the table. Restore the file from a copy, "
          + "or set it in SQL to one of \(list)",
        select:
          "SELECT _row FROM \(table.quoted) WHERE _entity IS NULL OR _entity NOT IN (\(list))")
    }
  }

  /// To-one relationships lead to objects of their destination. With the delete rule No Action at
  /// the other end they may lead to one that was deleted, so that only numbers are looked at that
  /// no row can have.
  static func references(_ reader: StoreReader) -> [ConsistencyRule] {
    let layout = reader.layout
    return layout.tables.flatMap { table in
      table.columns.compactMap { column -> ConsistencyRule? in
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
            : ConsistencyText.isMissing(number, layout.entities[relationship.destinationIndex]),
        ]
        let place = table.position(beside: column.ordinal).map { ", \($0.quoted) = NULL" } ?? ""
        return ConsistencyRule(
          kind: .references, table: table.identifier.name,
          property: "\(owner.entity.name).\(relationship.name)",
          message: "it leads to no object",
          select: "SELECT o._row FROM \(table.quoted) o WHERE "
            + conditions.compactMap { $0 }.joined(separator: " AND ")
        ) { transaction, rows in
          try transaction.rewrite(
            rows, in: table, slot: column.slot, setting: "\(column.quoted) = NULL" + place)
        }
      }
    }
  }

  /// Values that the model says are unique occur once. Only the program can say which of two
  /// objects is the right one.
  static func uniqueness(_ reader: StoreReader) -> [ConsistencyRule] {
    reader.layout.entities.flatMap { entity in
      entity.entity.uniquenessConstraints.compactMap { constraint in
        let columns = constraint.compactMap { name in
          entity.entity.property(named: name).flatMap { entity.column($0.slot)?.quoted }
        }
        guard columns.count == constraint.count, !columns.isEmpty else { return nil }
        let conditions =
          columns.map { "\($0) IS NOT NULL" } + [entity.entityCondition()].compactMap { $0 }
        return ConsistencyRule(
          kind: .keys, table: entity.table.identifier.name,
          property: "\(entity.entity.name).\(constraint.joined(separator: " and "))",
          message:
            "the model says it is unique, and several objects have the same. Change or delete all "
            + "but one of them",
          select: "SELECT min(_row) FROM \(entity.table.quoted) "
            + "WHERE \(conditions.joined(separator: " AND ")) "
            + "GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1")
      }
    }
  }
}
