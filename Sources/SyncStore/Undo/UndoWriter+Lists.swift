import SyncCore

/// Links, and the places of members in lists.
extension UndoWriter {
  /// Gives members their places in lists at the other ends of to-one relationships.
  func place() throws {
    for (id, slot, owner, place) in plan.lists.newPlaces {
      let table = layout.table(of: id.entity)
      guard let relationship = id.entity.properties[slot].relationship,
        let inverse = relationship.inverseSlot, let column = layout[id.entity].column(slot),
        let position = table.position(beside: column.ordinal)
      else { continue }
      try connection.run(
        "UPDATE \(table.quoted) SET \(position.quoted) = ?1 WHERE _row = ?2 "
          + "AND \(position.quoted) IS NOT ?1", [place, id.row])
      guard connection.changes > 0 else { continue }
      transaction.recorder.update(
        owner, in: layout.entities[relationship.destinationIndex].table, slots: [inverse])
    }
  }

  func link() throws {
    let lists = plan.lists
    let pairs = lists.removed + lists.added.keys + lists.moved.keys
    for index in Set(pairs.map(\.link)).sorted() {
      let table = layout.links[index]
      let entity = layout.entities[table.sourceEntity].entity
      guard let relationship = entity.properties[table.sourceSlot].relationship else { continue }
      let end = LinkEnd(table: table, isForward: true)
      let writer = LinkWriter(end: end, connection: connection, token: transaction.token)
      try transaction.prepareToLookUp(table)
      let removed = try writer.remove(
        lists.removed.lazy.filter { $0.link == index }.map {
          LinkWriter.Pair(source: $0.source, target: $0.target)
        })
      var entries = lists.added.filter { $0.key.link == index }.sorted { $0.key < $1.key }
        .enumerated().map { order, added in
          LinkWriter.Entry(
            pair: LinkWriter.Pair(source: added.key.source, target: added.key.target), order: order,
            sourcePosition: added.value.sourcePosition, targetPosition: added.value.targetPosition)
        }
      try writer.keepNew(&entries, areNew: false)
      try transaction.earlierRows?.noteNewLinks(entries, table, transaction.recorder)
      try writer.insert(entries)
      let moved = lists.moved.filter { $0.key.link == index }.sorted { $0.key < $1.key }
      for (pair, link) in moved { try move(pair, link, table) }
      try transaction.record(
        removed + entries.map(\.pair)
          + moved.map { LinkWriter.Pair(source: $0.key.source, target: $0.key.target) },
        end, relationship, of: entity)
    }
  }

  /// A member that comes back may meet another one in its place since: the list is numbered anew,
  /// in the order that it has.
  func partPlaces() throws {
    var owners: [PropertyKey: Set<Int64>] = [:]
    for (id, slot, owner, _) in plan.lists.newPlaces {
      guard let reference = id.entity.properties[slot].relationship,
        let list = id.entity.inverse(of: reference)
      else { continue }
      owners[PropertyKey(list), default: []].insert(owner)
    }
    for pair in [plan.lists.added.keys, plan.lists.moved.keys].joined() {
      let table = layout.links[pair.link]
      let source = layout.entities[table.sourceEntity].entity
      guard let list = source.properties[table.sourceSlot].relationship else { continue }
      if table.isSourceOrdered { owners[PropertyKey(list), default: []].insert(pair.source) }
      if table.isTargetOrdered, let inverse = source.inverse(of: list) {
        owners[PropertyKey(inverse), default: []].insert(pair.target)
      }
    }
    for (key, owners) in owners.inKeyOrder {
      let entity = layout.entities[key.entity].entity
      guard let list = entity.properties[key.slot].relationship else { continue }
      for owner in try crowded(list, of: entity, among: owners.sorted()) {
        try transaction.arrange(list, of: entity, owner: owner, as: [])
      }
    }
  }

  /// Those of some owners in whose list two members have one place.
  private func crowded(
    _ list: RelationshipDescription, of entity: EntityDescription, among owners: [Int64]
  ) throws -> [Int64] {
    let (table, owner, place): (String, String, String)
    switch layout.storage(of: list, in: entity) {
    case .link(let end):
      guard let column = end.positionColumn else { return [] }
      (table, owner, place) = (end.table.quoted, end.ownerColumn, column)
    case .inverse(let members, let column, let position?):
      (table, owner, place) = (members.quoted, column.quoted, position.quoted)
    case .inverse, .column, nil: return []
    }
    var result: [Int64] = []
    try KeyChunks(
      connection, "SELECT DISTINCT \(owner) FROM \(table) WHERE \(owner) IN", .rows(owners),
      " AND \(place) IS NOT NULL GROUP BY \(owner), \(place) HAVING count(*) > 1"
    ).eachRow { result.append($0.integer(0)) }
    return result
  }

  private func move(_ pair: FormerState.Pair, _ link: FormerState.Link, _ table: LinkTable) throws {
    for (column, position) in [
      (table.isSourceOrdered ? "source_position" : nil, link.sourcePosition),
      (table.isTargetOrdered ? "target_position" : nil, link.targetPosition),
    ] {
      guard let column else { continue }
      try connection.run(
        "UPDATE \(table.quoted) SET \(column) = ?1 WHERE source = ?2 AND target = ?3 "
          + "AND \(column) IS NOT ?1", [position, pair.source, pair.target])
    }
  }
}
