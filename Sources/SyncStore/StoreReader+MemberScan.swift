import SyncCore

extension StoreReader {
  /// Reads the members of a one-to-many relationship in one scan of their table, in the order that
  /// ``members(of:in:owners:)`` has: for owners that are many of those there are. Nothing is looked up in an index
  /// then, and SQLite sorts nothing.
  ///
  /// - Parameters:
  ///   - column: the column that leads to the owner.
  ///   - position: the column with the place among the owner's; nil when the relationship has no order.
  ///   - owners: ascending, each once.
  /// - Complexity: O(rows of the table), and O(*n* log *n*) in the members of one owner.
  func scanMembers(
    in table: Table, _ column: Table.Column, _ position: Table.Position?,
    of destination: EntityLayout, owners: [Int64]
  ) throws -> [StoredMember] {
    try prepareToRead()
    let wanted = RowSet(owners)
    let place = position?.quoted ?? "NULL"
    let entity = table.hasEntityColumn ? ", _entity" : ""
    let statement = try connection.statement(
      "SELECT \(column.quoted), _row, \(place)\(entity) FROM \(table.quoted) NOT INDEXED")
    defer { statement.reset() }
    var found: [StoredMember] = []
    var places: [Int64] = []
    var current = destination
    while try statement.step() {
      guard let owner = statement.optionalInteger(0), wanted.contains(owner) else { continue }
      if table.hasEntityColumn, statement.integer(3) != current.number {
        current = layout.entity(numbered: statement.integer(3)) ?? destination
      }
      found.append(
        StoredMember(owner: owner, row: statement.integer(1), entity: current.entity))
      // Those without a position stand behind the others.
      places.append(statement.optionalInteger(2) ?? .max)
    }
    return StoreReader.arranged(found, places)
  }

  /// Members by owner and place; those that share both stay as they came, by row number.
  private static func arranged(_ found: [StoredMember], _ places: [Int64]) -> [StoredMember] {
    var order = RowOrder.ascending(found.map(\.owner))
    var start = 0
    while start < order.count {
      let owner = found[order[start]].owner
      var end = start + 1
      var isInOrder = true
      while end < order.count, found[order[end]].owner == owner {
        if places[order[end - 1]] > places[order[end]] { isInOrder = false }
        end += 1
      }
      if !isInOrder {
        order[start..<end].sort { (places[$0], found[$0].row) < (places[$1], found[$1].row) }
      }
      start = end
    }
    return order.map { found[$0] }
  }
}
