package import SyncCore

extension StoreTransaction {
  /// Takes commits back, as far as later ones have not changed what they did. Schema changes are
  /// not taken back.
  ///
  /// - Parameters:
  ///   - first: The first of the commits, which follow each other.
  ///   - approve: Told how many objects of an entity would go of how many there are; throws when
  ///     that is too much.
  /// - Returns: What was left alone; the changes are those of the transaction.
  /// - Throws: ``StoreError`` with ``StoreError/Code/historyExpired`` when former values are not
  ///   kept any more.
  /// - Complexity: linear in the changes of the commits and of all later ones; these are held in
  ///   memory.
  package func undo(
    from first: HistoryToken, through last: HistoryToken,
    approve: (_ entity: EntityDescription, _ deleted: Int, _ total: Int) throws -> Void
  ) throws -> [UndoReport.Left] {
    try requireOpen()
    try requireFormerValues(from: first)
    let latest = try requireHistoryToken()
    guard last <= latest else {
      throw StoreError(
        .unsupported,
        message:
          "There is no commit \(last.number): the history ends at \(latest.number). Give the "
          + "token of a commit in the history.")
    }
    let before = try formerState(from: first.number, through: last.number)
    let after = try formerState(from: last.number + 1, through: latest.number)
    var planner = UndoPlanner(self, before: before, after: after)
    try planner.plan()
    let made = Dictionary(grouping: planner.made, by: \.entity.rootIndex)
    for (root, ids) in made.inKeyOrder {
      let entity = layout.entities[root].entity
      let total = try connection.scalar("SELECT count(*) FROM \(layout.table(of: entity).quoted)")
      try approve(entity, ids.count, Int(total ?? 0))
    }
    let left = try named(planner)
    try UndoWriter(self, planner).run()
    return left
  }

  /// What a plan leaves, with the keys that the objects have, or had.
  private func named(_ planner: UndoPlanner) throws -> [UndoReport.Left] {
    let unknown = planner.before.unknown.sorted().map {
      UndoReport.Left(
        entity: $0.entity, objectID: nil, key: nil, property: $0.property, reason: .notInModel)
    }
    return try unknown
      + planner.left.sorted {
        ($0.id, $0.slot ?? -1, $0.reason.rawValue) < ($1.id, $1.slot ?? -1, $1.reason.rawValue)
      }.map { left in
        let key = try left.id.entity.primaryKey.map { key in
          try planner.now[left.id]?[key.slot] ?? planner.before.objects[left.id]?.values[key.slot]
            ?? value(key.slot, of: left.id)
        }
        return UndoReport.Left(
          entity: left.id.entity.name, objectID: left.id, key: key,
          property: left.slot.map { left.id.entity.properties[$0].name }, reason: left.reason)
      }
  }
}

/// Writes what a plan decided.
private struct UndoWriter {
  private let transaction: StoreTransaction
  private let plan: UndoPlanner

  init(_ transaction: StoreTransaction, _ plan: UndoPlanner) {
    self.transaction = transaction
    self.plan = plan
  }

  private var layout: TableLayout { transaction.layout }
  private var connection: Connection { transaction.connection }

  /// Objects come back before others refer to them, and go when nothing does any more.
  func run() throws {
    try bringBack()
    try update()
    try place()
    try link()
    try partPlaces()
    try delete()
    try settleOutboxes()
  }

  private func bringBack() throws {
    for (entity, ids) in Dictionary(grouping: plan.returning.keys, by: \.entity).sorted(
      by: { $0.key.index < $1.key.index })
    {
      let ids = ids.sorted()
      let arena = CellArena()
      let block = RowBlock(width: entity.properties.count, capacity: ids.count)
      for id in ids { block.append(values(plan.returning[id] ?? [:]), of: entity, arena) }
      let rows = ids.map(\.row)
      try withExtendedLifetime(arena) {
        try rows.withUnsafeBufferPointer { buffer in
          guard let start = buffer.baseAddress else { return }
          try transaction.insert(
            block, of: entity, indexes: (0..<Int32(ids.count)).map { $0 }, rows: start)
        }
      }
    }
  }

  private func values(_ values: [Int: Value]) -> [(slot: Int, value: Value)] {
    values.inKeyOrder.map { ($0.key, $0.value) }
  }

  private func update() throws {
    struct Shape: Hashable {
      let entity: EntityDescription
      let slots: SlotSet
    }
    var shapes: [Shape: [ManagedObjectID]] = [:]
    for (id, values) in plan.updates.sorted(by: { $0.key < $1.key }) {
      var slots = SlotSet()
      for slot in values.keys { slots.insert(slot) }
      shapes[Shape(entity: id.entity, slots: slots), default: []].append(id)
    }
    for (shape, ids) in shapes.sorted(by: { $0.value[0] < $1.value[0] }) {
      let arena = CellArena()
      let block = RowBlock(width: shape.entity.properties.count, capacity: ids.count)
      for id in ids { block.append(values(plan.updates[id] ?? [:]), of: shape.entity, arena) }
      try withExtendedLifetime(arena) {
        try transaction.update(
          block, indexes: (0..<Int32(ids.count)).map { $0 }, rows: ids.map(\.row),
          of: shape.entity, slots: shape.slots)
      }
    }
  }

  /// Gives members their places in lists at the other ends of to-one relationships.
  private func place() throws {
    for (id, slot, owner, place) in plan.lists.newPlaces {
      let table = layout.table(of: id.entity)
      guard let relationship = id.entity.properties[slot].relationship,
        let inverse = relationship.inverseSlot, let column = layout[id.entity].column(slot),
        let position = table.position(beside: column.ordinal)
      else { continue }
      let statement = try connection.statement(
        "UPDATE \(table.quoted) SET \(position.quoted) = ?1 WHERE _row = ?2 "
          + "AND \(position.quoted) IS NOT ?1")
      statement.bind(1, place.map(Value.int) ?? .null)
      statement.bind(2, id.row)
      try statement.run()
      guard connection.changes > 0 else { continue }
      transaction.recorder.update(
        owner, in: layout.entities[relationship.destinationIndex].table, slots: [inverse])
    }
  }

  private func link() throws {
    let lists = plan.lists
    let pairs = lists.removed + lists.added.keys + lists.moved.keys
    for index in Set(pairs.map(\.link)).sorted() {
      let table = layout.links[index]
      let entity = layout.entities[table.sourceEntity].entity
      guard let relationship = entity.properties[table.sourceSlot].relationship else { continue }
      let end = LinkEnd(table: table, isForward: true)
      let writer = LinkWriter(end, connection: connection, token: transaction.token)
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
  private func partPlaces() throws {
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
    var chunks = KeyChunks(
      connection, "SELECT DISTINCT \(owner) FROM \(table) WHERE \(owner) IN", .rows(owners),
      " AND \(place) IS NOT NULL GROUP BY \(owner), \(place) HAVING count(*) > 1")
    defer { chunks.end() }
    var result: [Int64] = []
    while let statement = try chunks.next() {
      while try statement.step() { result.append(statement.integer(0)) }
    }
    return result
  }

  private func move(
    _ pair: FormerState.Pair, _ link: FormerState.Link, _ table: LinkTable
  ) throws {
    for (column, position) in [
      (table.isSourceOrdered ? "source_position" : nil, link.sourcePosition),
      (table.isTargetOrdered ? "target_position" : nil, link.targetPosition),
    ] {
      guard let column else { continue }
      let statement = try connection.statement(
        "UPDATE \(table.quoted) SET \(column) = ?1 WHERE source = ?2 AND target = ?3 "
          + "AND \(column) IS NOT ?1")
      statement.bind(1, position.map(Value.int) ?? .null)
      statement.bind(2, pair.source)
      statement.bind(3, pair.target)
      try statement.run()
    }
  }

  /// Deletes the objects that the commits made. Nothing that stays refers to them by now; what they
  /// refer to themselves stays, whatever the delete rules say: it was there before them.
  private func delete() throws {
    let made = plan.made
    for (entity, ids) in Dictionary(grouping: made, by: \.entity).sorted(
      by: { $0.key.index < $1.key.index })
    {
      try release(ids.map(\.row).sorted(), of: entity)
    }
    for (root, ids) in Dictionary(grouping: made, by: \.entity.rootIndex).inKeyOrder {
      try transaction.delete(
        ids.map(\.row).sorted(), of: layout.entities[root].entity,
        survives: { !made.contains(ManagedObjectID(entity: $1, row: $0)) })
    }
  }

  private func release(_ rows: [Int64], of entity: EntityDescription) throws {
    for relationship in entity.relationships where relationship.deleteRule == .deny {
      switch relationship.kind {
      case .toOne: try transaction.write([(relationship.slot, .null)], to: rows, of: entity)
      case .manyToMany:
        let members = try transaction.members(of: relationship, in: entity, owners: rows)
        try transaction.removeLinks(
          relationship, of: entity, pairs: members.map { ($0.owner, $0.row) })
      case .oneToMany:
        // All of them go, too.
        guard let inverse = relationship.inverseSlot else { continue }
        let members = try transaction.members(of: relationship, in: entity, owners: rows)
        for (member, group) in Dictionary(grouping: members, by: \.entity) {
          try transaction.write([(inverse, .null)], to: group.map(\.row).sorted(), of: member)
        }
      }
    }
  }

  /// An outbox that has not sent a deletion yet has nothing to send of an object that is there
  /// again, nor of a value that is the server's again.
  private func settleOutboxes() throws {
    guard try transaction.keepsHistory, try !transaction.outboxes().isEmpty else { return }
    for id in plan.returning.keys.sorted() {
      try transaction.changeEntries(of: id) { $0.forgetWaitingDeletion() }
    }
    for (id, values) in plan.updates.sorted(by: { $0.key < $1.key }) {
      let named = Dictionary(
        uniqueKeysWithValues: values.map { (id.entity.properties[$0.key].name, $0) })
      try transaction.changeEntries(of: id) { $0.forgetWaitingValues(named) }
    }
  }
}

extension OutboxEntry {
  fileprivate mutating func forgetWaitingDeletion() {
    if sent == nil, waiting?.kind == .delete { forget() }
  }

  /// Forgets the waiting edits of values that the server has already.
  fileprivate mutating func forgetWaitingValues(_ values: [String: (key: Int, value: Value)]) {
    guard sent == nil, waiting?.kind == .update else { return }
    for (name, value) in values where waiting?.base[name] == value.value {
      waiting?.slots.remove(value.key)
      waiting?.base[name] = nil
    }
    if waiting?.slots.isEmpty == true { waiting = nil }
  }
}
