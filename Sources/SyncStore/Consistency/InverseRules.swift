import SyncCore

/// Where two relationships that lead to one object are inverse to each other, both say the same.
struct InverseRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.inverses

  /// A to-one relationship whose inverse is one too.
  struct Partnership {
    let owner: EntityLayout
    let column: Table.Column
    let partner: EntityLayout
    let inverse: Table.Column
    let name: String

    /// Owners `o` with their partners `p`.
    var pairs: String {
      let conditions = [
        owner.entityCondition(prefix: "o."), partner.entityCondition(prefix: "p."),
      ].compactMap { $0 }.map { " AND " + $0 }.joined()
      return "\(owner.table.quoted) o JOIN \(partner.table.quoted) p "
        + "ON p._row = o.\(column.quoted) WHERE p.\(inverse.quoted) IS NOT o._row\(conditions)"
    }
  }

  private func partnerships(_ layout: TableLayout) -> [Partnership] {
    layout.tables.flatMap { table in
      table.columns.compactMap { column -> Partnership? in
        let owner = layout.entities[column.declaringIndex]
        guard let relationship = owner.entity.properties[column.slot].relationship,
          !relationship.isInverseToMany, let slot = relationship.inverseSlot
        else { return nil }
        let partner = layout.entities[relationship.destinationIndex]
        guard let inverse = partner.column(slot) else { return nil }
        return Partnership(
          owner: owner, column: column, partner: partner, inverse: inverse,
          name: "\(owner.entity.name).\(relationship.name)")
      }
    }
  }

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    try partnerships(reader.layout).compactMap { partnership in
      let found = try reader.look("SELECT o._row FROM \(partnership.pairs)")
      guard found.count > 0 else { return nil }
      return ConsistencyProblem(
        kind, partnership.owner.table.identifier.name, property: partnership.name,
        count: found.count, examples: found.examples,
        "the object it leads to does not lead back")
    }
  }

  func repair(_ transaction: StoreTransaction) throws {
    for partnership in partnerships(transaction.layout) {
      let (inverse, partner) = (partnership.inverse, partnership.partner)
      let statement = try transaction.connection.ownedStatement(
        "SELECT p._row, min(o._row) FROM \(partnership.pairs) AND p.\(inverse.quoted) IS NULL "
          + "GROUP BY p._row HAVING count(*) = 1")
      var found: [(partner: Int64, owner: Int64)] = []
      while try statement.step() { found.append((statement.integer(0), statement.integer(1))) }
      for (row, owner) in found {
        try transaction.rewrite(
          [row], in: partner.table, slot: inverse.slot, setting: "\(inverse.quoted) = \(owner)")
      }
    }
  }
}

/// A to-many relationship that is its own inverse has each pair in both directions.
struct MirrorRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.inverses

  private func lonely(_ link: LinkTable) -> String {
    "FROM \(link.quoted) l WHERE NOT EXISTS (SELECT 1 FROM \(link.quoted) m "
      + "WHERE m.source = l.target AND m.target = l.source)"
  }

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    try reader.layout.links.filter(\.isSymmetric).compactMap { link in
      let found = try reader.look("SELECT l.source \(lonely(link))")
      guard found.count > 0 else { return nil }
      return ConsistencyProblem(
        kind, link.identifier.name, property: LinkEnds(link, in: reader.layout).name,
        count: found.count, examples: found.examples, "the member does not lead back")
    }
  }

  func repair(_ transaction: StoreTransaction) throws {
    for link in transaction.layout.links where link.isSymmetric {
      let ends = LinkEnds(link, in: transaction.layout)
      let isWhole =
        "NOT \(transaction.isMissing("l.source", ends.source)) "
        + "AND NOT \(transaction.isMissing("l.target", ends.target))"
      for member in try transaction.integers("SELECT l.target \(lonely(link)) AND \(isWhole)") {
        transaction.record(member, ends.target, link.sourceSlot)
      }
      transaction.writtenLinks.insert(link.index)
      // Without a place in an order: it stands last.
      try transaction.connection.execute(
        "INSERT INTO \(link.quoted) (source, target) SELECT l.target, l.source \(lonely(link)) "
          + "AND \(isWhole)")
    }
  }
}
