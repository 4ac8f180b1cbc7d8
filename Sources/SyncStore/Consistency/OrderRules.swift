import SyncCore

/// A numbered list: the places of members among those of their owner.
private struct NumberedList {
  let table: String
  let owner: String
  let place: String
  let member: String

  /// Owners whose list has two members at one place, or one at none.
  var wrongOwners: String {
    "SELECT \(owner) AS k FROM \(table) WHERE \(owner) IS NOT NULL AND \(place) IS NOT NULL "
      + "GROUP BY \(owner) HAVING count(DISTINCT \(place)) < count(*) "
      + "OR sum(NOT (\(ConsistencyText.isCountable(place)))) > 0"
  }

  /// What is wrong with the lists of a property, if anything is.
  func problem(
    _ table: Identifier, _ property: String, _ reader: StoreReader
  ) throws -> ConsistencyProblem? {
    let owners = try reader.look(wrongOwners)
    guard owners.count > 0 else { return nil }
    return ConsistencyProblem(
      .orders, table.name, property: property, count: owners.count, examples: owners.examples,
      "members of an owner share a place, or have none that is one")
  }

  /// Numbers the lists of these owners anew, in the order in which they are read.
  func renumber(on connection: Connection) throws {
    try connection.execute(
      "UPDATE \(table) AS t SET \(place) = r.n FROM (SELECT \(owner) AS o, \(member) AS m, "
        + "row_number() OVER (PARTITION BY \(owner) ORDER BY \(place) IS NULL, \(place), "
        + "\(member)) - 1 AS n FROM \(table) WHERE \(owner) IN (SELECT k FROM (\(wrongOwners)))) r "
        + "WHERE t.\(owner) = r.o AND t.\(member) = r.m")
  }
}

/// Places in ordered lists whose members refer to their owner.
struct ListOrderRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.orders

  private typealias Found = (
    list: NumberedList, table: Table, owner: EntityLayout, slot: Int, name: String
  )

  private func lists(_ layout: TableLayout) -> [Found] {
    layout.tables.flatMap { table in
      table.positions.compactMap { position -> Found? in
        let column = table.columns[position.reference]
        let member = layout.entities[column.declaringIndex].entity
        guard let relationship = member.properties[column.slot].relationship,
          let slot = relationship.inverseSlot
        else { return nil }
        let owner = layout.entities[relationship.destinationIndex]
        let list = NumberedList(
          table: table.quoted, owner: column.quoted, place: position.quoted, member: "_row")
        return (
          list, table, owner, slot, "\(owner.entity.name).\(owner.entity.properties[slot].name)"
        )
      }
    }
  }

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    try lists(reader.layout).compactMap {
      try $0.list.problem($0.table.identifier, $0.name, reader)
    }
  }

  func repair(_ transaction: StoreTransaction) throws {
    for found in lists(transaction.layout) {
      for owner in try transaction.integers(found.list.wrongOwners) {
        transaction.record(owner, found.owner, found.slot)
      }
      try found.list.renumber(on: transaction.connection)
    }
  }
}

/// Places in ordered lists that are kept in tables of pairs.
struct LinkOrderRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.orders

  private typealias Found = (
    list: NumberedList, link: LinkTable, owner: EntityLayout, slot: Int, name: String
  )

  private func lists(_ layout: TableLayout) -> [Found] {
    layout.links.flatMap { link in
      let ends = LinkEnds(link, in: layout)
      func found(_ owner: String, _ member: String, _ entity: EntityLayout, _ slot: Int) -> Found {
        (
          NumberedList(
            table: link.quoted, owner: owner, place: "\(owner)_position", member: member), link,
          entity, slot, "\(entity.entity.name).\(entity.entity.properties[slot].name)"
        )
      }
      var lists: [Found] = []
      if link.isSourceOrdered {
        lists.append(found("source", "target", ends.source, link.sourceSlot))
      }
      if link.isTargetOrdered, let slot = link.targetSlot {
        lists.append(found("target", "source", ends.target, slot))
      }
      return lists
    }
  }

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    try lists(reader.layout).compactMap { try $0.list.problem($0.link.identifier, $0.name, reader) }
  }

  func repair(_ transaction: StoreTransaction) throws {
    for found in lists(transaction.layout) {
      for owner in try transaction.integers(found.list.wrongOwners) {
        transaction.record(owner, found.owner, found.slot)
      }
      transaction.writtenLinks.insert(found.link.index)
      try found.list.renumber(on: transaction.connection)
    }
  }
}
