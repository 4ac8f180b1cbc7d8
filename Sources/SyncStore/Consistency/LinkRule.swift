import SyncCore

/// Pairs of to-many relationships have an object at both ends.
struct LinkRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.links

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    try reader.layout.links.compactMap { link in
      let ends = LinkEnds(link, in: reader.layout)
      let found = try reader.look(
        "SELECT l.source FROM \(link.quoted) l WHERE \(isBroken(ends, reader))")
      guard found.count > 0 else { return nil }
      return ConsistencyProblem(
        kind, link.identifier.name, property: ends.name, count: found.count,
        examples: found.examples, "a pair leads to no object, or from none")
    }
  }

  private func isBroken(_ ends: LinkEnds, _ reader: StoreReader) -> String {
    "(\(reader.isMissing("l.source", ends.source)) OR \(reader.isMissing("l.target", ends.target)))"
  }

  func repair(_ transaction: StoreTransaction) throws {
    for link in transaction.layout.links {
      let ends = LinkEnds(link, in: transaction.layout)
      let condition = isBroken(ends, transaction)
      let left = try transaction.connection.ownedStatement(
        "SELECT l.source, l.target, \(transaction.isMissing("l.source", ends.source)), "
          + "\(transaction.isMissing("l.target", ends.target)) FROM \(link.quoted) l WHERE \(condition)"
      )
      while try left.step() {
        if left.integer(2) == 0 {
          transaction.record(left.integer(0), ends.source, link.sourceSlot)
        }
        if left.integer(3) == 0 {
          transaction.record(left.integer(1), ends.target, link.targetSlot)
        }
      }
      transaction.writtenLinks.insert(link.index)
      try transaction.connection.execute("DELETE FROM \(link.quoted) AS l WHERE \(condition)")
    }
  }
}

/// The entities at both ends of a link table.
struct LinkEnds {
  let source: EntityLayout
  let target: EntityLayout

  /// The relationship of the source.
  let name: String

  init(_ link: LinkTable, in layout: TableLayout) {
    source = layout.entities[link.sourceEntity]
    let property = source.entity.properties[link.sourceSlot]
    name = "\(source.entity.name).\(property.name)"
    target = layout.entities[property.relationship?.destinationIndex ?? link.sourceEntity]
  }
}

extension StoreTransaction {
  /// Records that a relationship of an object changed; nil is none.
  func record(_ row: Int64, _ entity: EntityLayout, _ slot: Int?) {
    guard let slot, RowNumber.isValid(row) else { return }
    recorder.update(row, in: entity.table, slots: [slot])
  }
}
