package import SyncCore

extension StoreReader {
  /// Counts the members of a to-many relationship for many owners at once; owners without members
  /// are passed over.
  ///
  /// - Parameter owners: row numbers of objects of the entity.
  /// - Complexity: one statement, whatever the number of owners; O(members).
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
