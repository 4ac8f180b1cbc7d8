package import SyncCore

extension StoreTransaction {
  /// Adds pairs to a many-to-many relationship; pairs that exist already stay as they are and are
  /// not recorded. Records owners and members, the latter when there is an inverse.
  ///
  /// - Parameters:
  ///   - entity: the entity that has the relationship; owners may be of subentities.
  ///   - positions: for each pair the member's position among the owner's, when the relationship is
  ///     ordered; nil appends. The other side of an ordered inverse is always appended.
  ///   - areNew: whether the caller knows that none of the pairs exists.
  /// - Returns: Whether any came.
  @discardableResult
  package func addLinks(
    _ relationship: RelationshipDescription, of entity: EntityDescription,
    pairs: [(owner: Int64, member: Int64)], positions: [Int64]? = nil, areNew: Bool = false
  ) throws -> Bool {
    guard !pairs.isEmpty else { return false }
    let writer = try linkWriter(relationship, of: entity)
    let end = writer.end
    var entries: [LinkWriter.Entry] = []
    entries.reserveCapacity(pairs.count)
    for (index, pair) in pairs.enumerated() {
      if index % TransactionToken.stride == 0 { try token.checkpoint() }
      var entry = LinkWriter.Entry(
        pair: writer.pair(owner: pair.owner, member: pair.member), order: index)
      if end.isForward {
        entry.sourcePosition = positions?[index]
      } else {
        entry.targetPosition = positions?[index]
      }
      entries.append(entry)
      // A relationship that is its own inverse is stored in both directions.
      if end.table.isSymmetric {
        let mirror = LinkWriter.Pair(source: pair.member, target: pair.owner)
        entries.append(LinkWriter.Entry(pair: mirror, order: index))
      }
    }
    try writer.keepNew(&entries, areNew: areNew && !end.table.isSymmetric)
    try keepBase(of: pairs, in: relationship, of: entity)
    try earlierRows?.noteNewLinks(entries, end.table, recorder)
    do {
      try writer.insert(entries)
    } catch let error as StoreError {
      throw error.about(entity.name)
    }
    try record(entries.lazy.map(\.pair), end, relationship, of: entity)
    return !entries.isEmpty
  }

  /// Adds pairs of which none exists to a relationship whose members have no order. Records as
  /// ``addLinks(_:of:pairs:positions:areNew:)`` does, and needs memory for a portion of them only
  /// where they lie in the table in the order of the owners.
  ///
  /// - Parameter next: Appends the next portion of pairs, ascending; nothing when there are no
  ///   more.
  package func addNewLinks(
    _ relationship: RelationshipDescription, of entity: EntityDescription,
    _ next: (_ pairs: inout [(owner: Int64, member: Int64)]) throws -> Void
  ) throws {
    let writer = try linkWriter(relationship, of: entity)
    let table = writer.end.table
    var pairs: [(owner: Int64, member: Int64)] = []
    guard writer.end.isForward, !table.isSymmetric, !table.isSourceOrdered, !table.isTargetOrdered
    else {
      var count = 0
      repeat {
        count = pairs.count
        try next(&pairs)
      } while pairs.count > count
      try addLinks(relationship, of: entity, pairs: pairs, areNew: true)
      return
    }
    var members = RowSet()
    while true {
      pairs.removeAll(keepingCapacity: true)
      try next(&pairs)
      if pairs.isEmpty { break }
      try requireOpen()
      let entries = pairs.map {
        LinkWriter.Entry(pair: writer.pair(owner: $0.owner, member: $0.member), order: 0)
      }
      try earlierRows?.noteNewLinks(entries, table, recorder)
      do {
        try writer.insert(entries)
      } catch let error as StoreError {
        throw error.about(entity.name)
      }
      try recordOwners(
        entries.lazy.map(\.pair), writer.end, relationship, of: entity, members: &members)
    }
    recordMembers(members, relationship)
  }

  /// Those of some pairs that a many-to-many relationship does not have, in their order.
  package func missingLinks(
    _ relationship: RelationshipDescription, of entity: EntityDescription,
    among pairs: [(owner: Int64, member: Int64)]
  ) throws -> [(owner: Int64, member: Int64)] {
    let writer = try linkWriter(relationship, of: entity)
    let wanted = pairs.map { writer.pair(owner: $0.owner, member: $0.member) }
    let stored = try Set(writer.storedPairs(among: wanted.sorted()))
    return zip(pairs, wanted).filter { !stored.contains($1) }.map(\.0)
  }

  /// Removes pairs from a many-to-many relationship; those that do not exist are not recorded.
  package func removeLinks(
    _ relationship: RelationshipDescription, of entity: EntityDescription,
    pairs: [(owner: Int64, member: Int64)]
  ) throws {
    guard !pairs.isEmpty else { return }
    let writer = try linkWriter(relationship, of: entity)
    try keepBase(of: pairs, in: relationship, of: entity)
    let removed = try writer.remove(
      pairs.lazy.map { writer.pair(owner: $0.owner, member: $0.member) })
    if writer.end.table.isSymmetric {
      _ = try writer.remove(
        removed.lazy.map { LinkWriter.Pair(source: $0.target, target: $0.source) })
    }
    try record(removed, writer.end, relationship, of: entity)
  }

  /// Sets the positions of members of an ordered relationship of either kind. Records the owners
  /// whose order really changed.
  package func setPositions(
    _ relationship: RelationshipDescription, of entity: EntityDescription,
    positions: [(owner: Int64, member: Int64, position: Int64)]
  ) throws {
    guard !positions.isEmpty else { return }
    try requireOpen()
    let owners = layout.table(of: entity)
    let slots: SlotSet = [relationship.slot]
    let (table, place, member, owner): (String, String, String, String)
    switch layout.storage(of: relationship, in: entity) {
    case .link(let end):
      guard let column = end.positionColumn else { return }
      try keepBase(of: positions.map(\.owner), in: entity, slots: slots)
      (table, place, member, owner) = (end.table.quoted, column, end.memberColumn, end.ownerColumn)
    case .inverse(let members, let column, let position?):
      (table, place, member, owner) = (members.quoted, position.quoted, "_row", column.quoted)
    case .inverse, .column, nil:
      return
    }
    let statement = try connection.statement(
      "UPDATE \(table) SET \(place) = ?1 WHERE \(member) = ?2 AND \(owner) = ?3 "
        + "AND \(place) IS NOT ?1")
    // The members of a list come one after another: their owner is recorded once.
    var recorded: Int64?
    for entry in positions {
      statement.bind(1, entry.position)
      statement.bind(2, entry.member)
      statement.bind(3, entry.owner)
      try statement.run()
      if connection.changes > 0, entry.owner != recorded {
        recorder.update(entry.owner, in: owners, slots: slots)
        recorded = entry.owner
      }
    }
  }

  /// Like ``prepareBulkInsert(_:count:)``, for the pairs of a many-to-many relationship.
  package func prepareBulkLinks(
    _ relationship: RelationshipDescription, of entity: EntityDescription, count: Int
  ) throws {
    try requireOpen()
    if case .link(let end) = layout.storage(of: relationship, in: entity) {
      try lateIndexes.prepare(end.table, count: count)
    }
  }

  private func linkWriter(
    _ relationship: RelationshipDescription, of entity: EntityDescription
  ) throws -> LinkWriter {
    try requireOpen()
    guard case .link(let end) = layout.storage(of: relationship, in: entity) else {
      throw StoreError(
        .unsupported,
        message:
          "“\(entity.name).\(relationship.name)” is not kept in a link table: set the to-one "
          + "relationship at its other end.",
        entity: entity.name)
    }
    return LinkWriter(end: end, connection: connection, token: token)
  }

  /// Keeps the lists at both ends of pairs that come or go.
  private func keepBase(
    of pairs: [(owner: Int64, member: Int64)], in relationship: RelationshipDescription,
    of entity: EntityDescription
  ) throws {
    try keepBase(of: pairs.map(\.owner), in: entity, slots: [relationship.slot])
    guard let inverse = relationship.inverseSlot else { return }
    let destination = entity.destination(of: relationship)
    try keepBase(of: pairs.map(\.member), in: destination, slots: [inverse])
  }

  /// Records both ends of pairs that came or went.
  func record(
    _ pairs: some Sequence<LinkWriter.Pair>, _ end: LinkEnd,
    _ relationship: RelationshipDescription, of entity: EntityDescription
  ) throws {
    var members = RowSet()
    try recordOwners(pairs, end, relationship, of: entity, members: &members)
    recordMembers(members, relationship)
    guard try isKeepingEdits() else { return }
    let destination = entity.destination(of: relationship)
    let inverse = entity.inverse(of: relationship)
    for pair in pairs {
      let (owner, member) = end.isForward ? (pair.source, pair.target) : (pair.target, pair.source)
      keepEdit(of: relationship, in: entity, owner: owner, member: member)
      if let inverse { keepEdit(of: inverse, in: destination, owner: member, member: owner) }
    }
  }

  /// - Parameter members: Takes the members, except those that are new in this transaction.
  private func recordOwners(
    _ pairs: some Sequence<LinkWriter.Pair>, _ end: LinkEnd,
    _ relationship: RelationshipDescription, of entity: EntityDescription, members: inout RowSet
  ) throws {
    let owners = layout.table(of: entity)
    let memberTable = layout.entities[relationship.destinationIndex].table
    let slots: SlotSet = [relationship.slot]
    // Of rows that are new nothing else is recorded.
    let firstNewOwner = recorder.firstNewRow[owners.index]
    let firstNewMember = recorder.firstNewRow[memberTable.index]
    for (index, pair) in pairs.enumerated() {
      if index % TransactionToken.stride == 0 { try token.checkpoint() }
      let (owner, member) = end.isForward ? (pair.source, pair.target) : (pair.target, pair.source)
      if owner < firstNewOwner { recorder.update(owner, in: owners, slots: slots) }
      if member < firstNewMember { members.insert(member) }
    }
  }

  /// Records members: one of thousands of owners is recorded once.
  private func recordMembers(_ members: RowSet, _ relationship: RelationshipDescription) {
    guard let inverse = relationship.inverseSlot else { return }
    let table = layout.entities[relationship.destinationIndex].table
    for member in members.rows { recorder.update(member, in: table, slots: [inverse]) }
  }
}
