import SyncCore

/// The links and places that an undo writes.
struct UndoneLists {
  typealias Pair = FormerState.Pair
  typealias Link = FormerState.Link

  /// The pairs that the commits, or later ones, changed, as they are.
  private(set) var now: [Pair: Link] = [:]

  /// Places of objects in lists at the other end of a to-one relationship.
  private(set) var places: [ManagedObjectID: [Int: Int64?]] = [:]

  var added: [Pair: Link] = [:]
  var removed: [Pair] = []
  var moved: [Pair: Link] = [:]
  var newPlaces: [(id: ManagedObjectID, slot: Int, owner: Int64, place: Int64?)] = []

  static let nothing = Link(isThere: false, sourcePosition: nil, targetPosition: nil)

  mutating func read(
    _ before: FormerState, _ after: FormerState, _ transaction: StoreTransaction
  ) throws {
    let pairs = Set(before.links.keys).union(after.links.keys)
    for (link, pairs) in Dictionary(grouping: pairs, by: \.link).inKeyOrder {
      try readPairs(Set(pairs), of: transaction.layout.links[link], transaction)
    }
    for state in [before, after] {
      for object in state.objects.values where !object.places.isEmpty { places[object.id] = [:] }
    }
    let ids = places.keys.sorted()
    for (root, ids) in Dictionary(grouping: ids, by: \.entity.rootIndex).inKeyOrder {
      try readPlaces(ids.map(\.row), of: transaction.layout.entities[root].table, transaction)
    }
  }

  private mutating func readPairs(
    _ pairs: Set<Pair>, of link: LinkTable, _ transaction: StoreTransaction
  ) throws {
    let source = link.isSourceOrdered ? "source_position" : "NULL"
    let target = link.isTargetOrdered ? "target_position" : "NULL"
    try KeyChunks(
      transaction.connection,
      "SELECT source, target, \(source), \(target) FROM \(link.quoted) WHERE source IN",
      .rows(Set(pairs.map(\.source)).sorted())
    ).eachRow { statement in
      let pair = Pair(link: link.index, source: statement.integer(0), target: statement.integer(1))
      guard pairs.contains(pair) else { return }
      now[pair] = Link(
        isThere: true, sourcePosition: statement.optionalInteger(2),
        targetPosition: statement.optionalInteger(3))
    }
  }

  private mutating func readPlaces(
    _ rows: [Int64], of table: Table, _ transaction: StoreTransaction
  ) throws {
    let columns = table.positions.map(\.quoted).joined(separator: ", ")
    guard !columns.isEmpty else { return }
    let layout = transaction.layout
    try KeyChunks(
      transaction.connection, "SELECT _row, \(columns) FROM \(table.quoted) WHERE _row IN",
      .rows(rows.sorted())
    ).eachRow { statement in
      let id = ManagedObjectID(
        entity: layout.entities[table.rootIndex].entity, row: statement.integer(0))
      for (index, position) in table.positions.enumerated() {
        places[id, default: [:]][table.columns[position.reference].slot] =
          .some(statement.optionalInteger(index + 1))
      }
    }
  }

  func link(_ pair: Pair) -> Link { now[pair] ?? Self.nothing }

  /// Whether a pair is another one than after the commits.
  func hasChanged(_ pair: Pair, since after: FormerState) -> Bool {
    after.links[pair].map { $0 != link(pair) } ?? false
  }

  /// The objects at both ends of the pairs of a state.
  func ends(of state: FormerState, _ layout: TableLayout) -> [ManagedObjectID] {
    state.links.keys.flatMap { pair in
      let (source, target) = layout.ends(of: layout.links[pair.link])
      return [
        ManagedObjectID(entity: source, row: pair.source),
        ManagedObjectID(entity: target, row: pair.target),
      ]
    }
  }
}

/// Links and their order.
extension UndoPlanner {
  /// Lists over link tables in which later commits have moved members, by one of their ends.
  private func reordered(
    _ position: KeyPath<FormerState.Link, Int64?>, _ owner: KeyPath<FormerState.Pair, Int64>
  ) -> Set<[Int64]> {
    var result: Set<[Int64]> = []
    for (pair, link) in after.links where link.isThere {
      let now = lists.link(pair)
      if now.isThere, now[keyPath: position] != link[keyPath: position] {
        result.insert([Int64(pair.link), pair[keyPath: owner]])
      }
    }
    return result
  }

  mutating func planLinks() {
    let sources = reordered(\.sourcePosition, \.source)
    let targets = reordered(\.targetPosition, \.target)
    for (pair, former) in before.links.sorted(by: { $0.key < $1.key }) {
      let table = layout.links[pair.link]
      let ends = layout.ends(of: table)
      let source = ManagedObjectID(entity: ends.source, row: pair.source)
      let target = ManagedObjectID(entity: ends.target, row: pair.target)
      let now = lists.link(pair)
      guard former != now else { continue }
      // An object that has come back since has brought its links with it.
      let isLater = [source, target].contains { self.after.objects[$0]?.isThere == false }
      let after = self.after.links[pair] ?? (isLater ? UndoneLists.nothing : now)
      guard after.isThere == now.isThere else {
        if former.isThere != now.isThere { leave(source, table.sourceSlot, .changedSince) }
        continue
      }
      guard willBeThere(source), willBeThere(target) else {
        if former.isThere, willBeThere(source) { leave(source, table.sourceSlot, .targetGone) }
        if former.isThere, willBeThere(target) { leave(target, table.targetSlot, .targetGone) }
        continue
      }
      guard former.isThere else {
        lists.removed.append(pair)
        continue
      }
      var link = former
      if sources.contains([Int64(pair.link), pair.source]) {
        link.sourcePosition = now.sourcePosition
        leave(source, table.sourceSlot, .orderChangedSince)
      }
      if targets.contains([Int64(pair.link), pair.target]) {
        link.targetPosition = now.targetPosition
        leave(target, table.targetSlot, .orderChangedSince)
      }
      guard link != now else { continue }
      if now.isThere { lists.moved[pair] = link } else { lists.added[pair] = link }
    }
  }

  /// Places in lists at the other ends of to-one relationships.
  mutating func planPlaces() throws {
    var reordered: Set<[Int64]> = []
    for object in after.objects.values where object.isThere {
      guard let values = now[object.id] else { continue }
      for (slot, place) in object.places {
        guard case .int(let owner) = values[slot],
          object.values[slot].map({ $0 == values[slot] }) ?? true,
          lists.places[object.id]?[slot] != .some(place)
        else { continue }
        reordered.insert([Int64(object.id.entity.rootIndex), Int64(slot), owner])
      }
    }
    for object in objects where object.isThere && willBeThere(object.id) {
      for (slot, place) in object.places.inKeyOrder {
        guard case .int(let owner)? = coming(object.id, slot),
          (object.values[slot] ?? now[object.id]?[slot]) == .int(owner)
        else { continue }
        let stays = now[object.id]?[slot] == .int(owner)
        if stays, lists.places[object.id]?[slot] == .some(place) { continue }
        guard !reordered.contains([Int64(object.id.entity.rootIndex), Int64(slot), owner]) else {
          if let list = object.id.entity.properties[slot].relationship {
            let owners = object.id.entity.destination(of: list)
            leave(ManagedObjectID(entity: owners, row: owner), list.inverseSlot, .orderChangedSince)
          }
          continue
        }
        lists.newPlaces.append((object.id, slot, owner, place))
      }
    }
  }
}
