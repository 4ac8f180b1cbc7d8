package import SyncCore

/// What objects and links were before some commits that follow each other, as far as these changed
/// them.
package struct FormerState: Sendable {
  package struct Object: Sendable {
    package let id: ManagedObjectID

    /// Whether it was there. One that was not has no values.
    package var isThere: Bool

    /// By slot: attributes, and to-one relationships as rows. All of them when it was deleted.
    package internal(set) var values: [Int: Value] = [:]

    /// Places in ordered lists, by the slots of the to-one relationships at their other ends.
    package internal(set) var places: [Int: Int64?] = [:]
  }

  /// A pair of a link table.
  package struct Pair: Hashable, Comparable, Sendable {
    package let link: Int
    package let source: Int64
    package let target: Int64

    package static func < (left: Pair, right: Pair) -> Bool {
      (left.link, left.source, left.target) < (right.link, right.source, right.target)
    }
  }

  /// What is known about a pair.
  package struct Link: Hashable, Sendable {
    package var isThere: Bool
    package var sourcePosition: Int64?
    package var targetPosition: Int64?
  }

  /// A name that the model no longer has.
  package struct Unknown: Hashable, Comparable, Sendable {
    package let entity: String
    package let property: String?

    package static func < (left: Unknown, right: Unknown) -> Bool {
      (left.entity, left.property ?? "") < (right.entity, right.property ?? "")
    }
  }

  package internal(set) var objects: [ManagedObjectID: Object] = [:]
  package internal(set) var links: [Pair: Link] = [:]
  package internal(set) var unknown: Set<Unknown> = []

  /// The first value counts: later commits of the range found what earlier ones had left.
  fileprivate mutating func add(
    _ id: ManagedObjectID, _ columns: [FormerColumn], _ reader: inout FormerCellReader
  ) throws {
    var object = objects.removeValue(forKey: id) ?? Object(id: id, isThere: true)
    for column in columns {
      let cell = try reader.next()
      guard object.isThere else { continue }
      switch column {
      case .unknown: continue
      case .value(let slot, let type):
        if object.values[slot] == nil { object.values[slot] = cell.value(as: type) }
      case .place(let slot):
        if object.places[slot] == nil {
          object.places[slot] = .some(cell.isEmpty ? nil : cell.integer)
        }
      }
    }
    objects[id] = object
  }

  fileprivate mutating func add(_ pair: Pair, _ link: Link) {
    if links[pair] == nil { links[pair] = link }
  }

  fileprivate mutating func addMade(_ id: ManagedObjectID) {
    if objects[id] == nil { objects[id] = Object(id: id, isThere: false) }
  }

  /// Leaves out links of objects that were not there: they go with these.
  fileprivate mutating func leaveOutLinksOfMade(_ layout: TableLayout) {
    links = links.filter { pair, _ in
      let (source, target) = layout.ends(of: layout.links[pair.link])
      return objects[ManagedObjectID(entity: source, row: pair.source)]?.isThere != false
        && objects[ManagedObjectID(entity: target, row: pair.target)]?.isThere != false
    }
  }
}

/// A column of a record.
private enum FormerColumn {
  case value(slot: Int, AttributeType?)
  case place(slot: Int)
  case unknown
}

extension TableLayout {
  /// The entities at both ends of a link table.
  func ends(of link: LinkTable) -> (source: EntityDescription, target: EntityDescription) {
    let source = entities[link.sourceEntity].entity
    let destination = source.properties[link.sourceSlot].relationship?.destinationIndex
    return (source, entities[destination ?? link.sourceEntity].entity)
  }
}

extension StoreReader {
  /// Whether the history keeps former values.
  package func hasFormerValues() throws -> Bool {
    try prepareToRead()
    return try ValueJournal(connection: connection).exists()
  }

  /// The bytes of all former values.
  package func formerBytes() throws -> Int64 {
    try prepareToRead()
    return try Metadata(connection: connection).integer(.formerBytes) ?? 0
  }

  /// Throws unless the former values of all commits from one on, up to the latest, are kept.
  package func requireFormerValues(from first: HistoryToken) throws {
    try requireHistory()
    guard try hasFormerValues() else {
      throw StoreError(
        .unsupported,
        message: "The history of the store keeps no former values. \(StoreError.valuesAdvice)")
    }
    try requireCommit(first)
    let bare = try connection.scalar(
      "SELECT max(txn) FROM _syncstack_history h WHERE h.txn >= \(first.number) AND NOT EXISTS "
        + "(SELECT 1 FROM _syncstack_history_kept k WHERE k.txn = h.txn)")
    let missing = try max(bare ?? 0, historyFloor())
    guard missing < first.number else {
      throw StoreError(
        .historyExpired,
        message: "The former values of commit \(missing) are not kept, or not any more. Commits "
          + "from \(missing + 1) on can be taken back.")
    }
  }

  /// What was before the commits from one to another.
  ///
  /// - Complexity: linear in what these changed; all of it is held in memory.
  package func formerState(from first: Int64, through last: Int64) throws -> FormerState {
    try prepareToRead()
    var state = FormerState()
    guard first <= last else { return state }
    var made = try madeObjects(from: first, through: last)[...]
    try connection.eachRow(
      "SELECT txn, kind, entity, columns, object_row, former FROM _syncstack_history_values "
        + "WHERE txn BETWEEN ? AND ? AND kind <= 3 ORDER BY txn, seq", [first, last]
    ) { statement in
      let txn = statement.integer(0)
      // An object that went and came back in one commit was there before.
      while let next = made.first, next.txn < txn {
        for row in next.rows { state.addMade(ManagedObjectID(entity: next.entity, row: row)) }
        made.removeFirst()
      }
      let name = statement.text(2)
      guard let entity = model.entity(named: name) else {
        state.unknown.insert(FormerState.Unknown(entity: name, property: nil))
        return
      }
      let rows = try HistoryRows(stored: statement.value(4), of: txn).rows
      var reader = FormerCellReader(bytes: statement.bytes(5), transaction: txn)
      if statement.integer(1) == ValueJournal.Kind.link.rawValue {
        try readLinks(statement.text(3), of: entity, rows, &reader, into: &state)
      } else {
        let columns = columns(statement.text(3), of: entity, unknown: &state.unknown)
        for row in rows {
          try state.add(ManagedObjectID(entity: entity, row: row), columns, &reader)
        }
      }
    }
    for next in made {
      for row in next.rows { state.addMade(ManagedObjectID(entity: next.entity, row: row)) }
    }
    state.leaveOutLinksOfMade(layout)
    return state
  }

  private func madeObjects(
    from first: Int64, through last: Int64
  ) throws -> [(txn: Int64, entity: EntityDescription, rows: [Int64])] {
    try connection.all(
      "SELECT txn, entity, object_row FROM _syncstack_history_changes "
        + "WHERE txn BETWEEN ? AND ? AND kind = 0 ORDER BY txn, seq", [first, last]
    ) { statement in
      guard let entity = model.entity(named: statement.text(1)) else { return nil }
      let txn = statement.integer(0)
      return (txn, entity, try HistoryRows(stored: statement.value(2), of: txn).rows)
    }.compactMap(\.self)
  }

  private func columns(
    _ names: String, of entity: EntityDescription, unknown: inout Set<FormerState.Unknown>
  ) -> [FormerColumn] {
    let target = layout[entity]
    return names.split(separator: " ").map { name in
      let isPlace = name.hasSuffix(ValueJournal.placeMark)
      let property = entity.property(named: isPlace ? String(name.dropLast()) : String(name))
      guard let property, let column = target.column(property.slot) else {
        if !isPlace {
          unknown.insert(FormerState.Unknown(entity: entity.name, property: String(name)))
        }
        return .unknown
      }
      guard isPlace else { return .value(slot: property.slot, target.types[property.slot]) }
      // A list that has no order any more has no places.
      return target.table.position(beside: column.ordinal) == nil
        ? .unknown : .place(slot: property.slot)
    }
  }

  private func readLinks(
    _ name: String, of entity: EntityDescription, _ sources: [Int64],
    _ reader: inout FormerCellReader, into state: inout FormerState
  ) throws {
    let relationship = entity.relationship(named: name)
    guard let relationship, let end = layout[entity].links[relationship.slot], end.isForward else {
      state.unknown.insert(FormerState.Unknown(entity: entity.name, property: name))
      return
    }
    for source in sources {
      let target = try reader.next().integer
      let isThere = try reader.next().integer != 0
      let positions = try (reader.next(), reader.next())
      state.add(
        FormerState.Pair(link: end.table.index, source: source, target: target),
        FormerState.Link(
          isThere: isThere, sourcePosition: positions.0.isEmpty ? nil : positions.0.integer,
          targetPosition: positions.1.isEmpty ? nil : positions.1.integer))
    }
  }
}
