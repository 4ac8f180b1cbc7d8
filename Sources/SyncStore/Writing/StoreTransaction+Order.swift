package import SyncCore

/// The places of members in ordered lists.
extension StoreTransaction {
  /// Puts the members of an owner into an order. The stored members count: those that the order
  /// does not name keep theirs and come last, and those that it names and that belong to another
  /// owner, or are gone, are passed over. So two writers that arrange a list at the same time,
  /// neither of which has seen the other's additions, leave every member with a place of its own.
  ///
  /// Records the owner when the order really changed.
  ///
  /// - Parameter wanted: row numbers of members, each once.
  /// - Complexity: O(*n*) in the members; writes those whose place is another one.
  package func arrange(
    _ relationship: RelationshipDescription, of entity: EntityDescription, owner: Int64,
    as wanted: [Int64]
  ) throws {
    try requireOpen()
    let stored = try places(of: relationship, in: entity, owner: owner)
    let members = stored.map(\.member)
    let order = RowList.ordered(members, by: wanted)
    let isInOrder = zip(stored, stored.dropFirst()).allSatisfy { before, after in
      guard let first = before.place, let second = after.place else { return false }
      return first < second
    }
    if isInOrder, stored.first?.place != nil, order == members {
      return
    }
    let before = Dictionary(uniqueKeysWithValues: stored.map { ($0.member, $0.place) })
    let moved = order.enumerated().compactMap { index, member in
      before[member] == Int64(index) ? nil : (owner: owner, member: member, position: Int64(index))
    }
    try setPositions(relationship, of: entity, positions: moved)
  }

  /// The members of an owner in their order, with their places as far as they have any.
  private func places(
    of relationship: RelationshipDescription, in entity: EntityDescription, owner: Int64
  ) throws -> [(member: Int64, place: Int64?)] {
    let (table, key, member, place): (String, String, String, String)
    switch layout.storage(of: relationship, in: entity) {
    case .link(let end):
      guard let column = end.positionColumn else { return [] }
      try prepareToLookUp(end.table)
      (table, key, member, place) = (end.table.quoted, end.ownerColumn, end.memberColumn, column)
    case .inverse(let members, let column, let position?):
      try prepareToLookUp(members)
      (table, key, member, place) = (members.quoted, column.quoted, "_row", position.quoted)
    case .inverse, .column, nil: return []
    }
    return try connection.all(
      "SELECT \(member), \(place) FROM \(table) WHERE \(key) = ? "
        + "ORDER BY \(place) IS NULL, \(place), \(member)", [owner]
    ) { statement in (statement.integer(0), statement.optionalInteger(1)) }
  }
}
