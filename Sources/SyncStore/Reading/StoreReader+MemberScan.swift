package import SyncCore

extension StoreReader {
  /// A member of a one-to-many relationship with its place among the owner's.
  struct PlacedMember: BitwiseCopyable {
    let owner: Int64
    let row: Int64
    /// Those without a position stand behind the others.
    let place: Int64
    /// Number of the entity, 0 where the table has only one.
    let entity: Int64

    @inline(__always)
    func stands(before other: PlacedMember) -> Bool {
      if owner != other.owner { return owner < other.owner }
      return place != other.place ? place < other.place : row < other.row
    }
  }

  /// Reads the members of a one-to-many relationship in one scan of their table, in the order that
  /// ``members(of:in:owners:)`` has: for owners that are many of those there are. Nothing is looked
  /// up in an index then, and SQLite sorts nothing.
  ///
  /// - Parameters:
  ///   - column: the column that leads to the owner.
  ///   - position: the column with the place among the owner's; nil when the relationship has no
  ///     order.
  ///   - owners: ascending, each once.
  /// - Complexity: O(rows of the table), and O(*n* log *n*) in the members of one owner where they
  ///   do not lie in their order.
  func scanMembers(
    in table: Table, _ column: Table.Column, _ position: Table.Position?, owners: [Int64]
  ) throws -> [PlacedMember] {
    try prepareToRead()
    let wanted = RowSet(owners)
    let entity = table.hasEntityColumn ? "_entity" : "0"
    let place = position.map { ", \($0.quoted)" } ?? ""
    let statement = try connection.statement(
      "SELECT \(column.quoted), _row, \(entity)\(place) FROM \(table.quoted) NOT INDEXED")
    defer { statement.reset() }
    var found: [PlacedMember] = []
    var isInOrder = true
    while try statement.step() {
      let owner = statement.integer(0)
      guard owner == found.last?.owner || wanted.contains(owner) else { continue }
      let member = PlacedMember(
        owner: owner, row: try statement.row(1, of: table),
        place: position == nil ? 0 : statement.optionalInteger(3) ?? .max,
        entity: statement.integer(2))
      if isInOrder, let last = found.last, !last.stands(before: member) { isInOrder = false }
      found.append(member)
    }
    return isInOrder ? found : StoreReader.arranged(found)
  }

  /// Members by owner and place; those that share both by row number.
  private static func arranged(_ found: [PlacedMember]) -> [PlacedMember] {
    var result = RowOrder.ascending(found.map(\.owner)).map { found[Int($0)] }
    var start = 0
    while start < result.count {
      let owner = result[start].owner
      var end = start + 1
      var isInOrder = true
      while end < result.count, result[end].owner == owner {
        if !result[end - 1].stands(before: result[end]) { isInOrder = false }
        end += 1
      }
      if !isInOrder { result[start..<end].sort { $0.stands(before: $1) } }
      start = end
    }
    return result
  }

  /// Counts the members of a to-many relationship for many owners at once; owners without members
  /// are passed over.
  ///
  /// - Parameter owners: row numbers of objects of the entity.
  /// - Complexity: one statement for any number of owners; O(members).
  package func countMembers(
    of relationship: RelationshipDescription, in entity: EntityDescription, owners: [Int64],
    _ body: (_ owner: Int64, _ count: Int) throws -> Void
  ) throws {
    let table: String
    let column: String
    switch layout.storage(of: relationship, in: entity) {
    case .inverse(let members, let owner, _):
      try prepareToLookUp(members)
      (table, column) = (members.quoted, owner.quoted)
    case .link(let end):
      try prepareToLookUp(end.table)
      (table, column) = (end.table.quoted, end.ownerColumn)
    case .column, nil: return
    }
    guard !owners.isEmpty else { return }
    let statement = try connection.statement(
      "SELECT \(column), count(*) FROM \(table) WHERE \(column) IN \(KeyChunks.listed) "
        + "GROUP BY \(column)")
    statement.bind([KeyChunks.list(owners)])
    defer {
      statement.reset()
      statement.clearBindings()
    }
    while try statement.step() { try body(statement.integer(0), Int(statement.integer(1))) }
  }
}
