package import SyncCore

extension StoreReader {
  /// Reads the members of a relationship for many owners at once: in the order of the owners' row
  /// numbers, for each owner in the relationship's order, or that of insertion when it has none.
  ///
  /// - Parameters:
  ///   - relationship: a relationship of any kind, as the entity has it.
  ///   - owners: row numbers of objects of the entity.
  package func members(
    of relationship: RelationshipDescription, in entity: EntityDescription, owners: [Int64]
  ) throws -> [StoredMember] {
    guard let storage = layout.storage(of: relationship, in: entity) else { return [] }
    let destination = layout.entities[relationship.destinationIndex]
    let owners = Set(owners).sorted()
    let select: String
    let ownerColumn: String
    switch storage {
    case .inverse(let table, let column, let position)
    where try owners.count > StoreReader.leastScanned && areMany(owners.count, of: entity):
      var current = destination
      return try scanMembers(in: table, column, position, owners: owners).map { member in
        if table.hasEntityColumn, member.entity != current.number {
          current = try layout.entity(numbered: member.entity, in: table, row: member.row)
        }
        return StoredMember(owner: member.owner, row: member.row, entity: current.entity)
      }
    case .column(let column):
      try prepareToRead()
      let table = layout[entity].table
      ownerColumn = "o._row"
      select =
        "SELECT o._row, m._row\(entityColumn(of: destination.table)) FROM \(table.quoted) o "
        + "JOIN \(destination.table.quoted) m ON m._row = o.\(column.quoted)"
    case .inverse(let table, let column, _):
      try prepareToLookUp(table)
      ownerColumn = "m.\(column.quoted)"
      select = "SELECT m.\(column.quoted), m._row\(entityColumn(of: table)) FROM \(table.quoted) m"
    case .link(let end):
      try prepareToLookUp(end.table)
      ownerColumn = "l.\(end.ownerColumn)"
      select =
        "SELECT l.\(end.ownerColumn), m._row\(entityColumn(of: destination.table)) "
        + "FROM \(end.table.quoted) l CROSS JOIN \(destination.table.quoted) m "
        + "ON m._row = l.\(end.memberColumn)"
    }
    let order = [ownerColumn] + memberOrder(storage)
    var result: [StoredMember] = []
    let ending = " ORDER BY \(order.joined(separator: ", "))"
    var chunks = KeyChunks(connection, "\(select) WHERE \(ownerColumn) IN", .listed(owners), ending)
    defer { chunks.end() }
    while let statement = try chunks.next() {
      try collect(statement, destination: destination, into: &result)
    }
    return result
  }

  /// Visits owners and members of a to-many relationship for many owners, in the order that
  /// ``members(of:in:owners:)`` has, without looking at the members' entities. One scan when the
  /// owners are many of those there are.
  ///
  /// - Parameter owners: row numbers of objects of the entity, ascending, each once.
  package func scanLinks(
    of relationship: RelationshipDescription, in entity: EntityDescription,
    owners: ArraySlice<Int64>,
    _ body: (_ owner: Int64, _ member: Int64) throws -> Void
  ) throws {
    let storage = layout.storage(of: relationship, in: entity)
    guard let storage, !owners.isEmpty else { return }
    let select: String
    let ownerColumn: String
    switch storage {
    case .column: return
    case .inverse(let table, let column, let position):
      if owners.count > StoreReader.leastScanned, try areMany(owners.count, of: entity) {
        for member in try scanMembers(in: table, column, position, owners: Array(owners)) {
          try body(member.owner, member.row)
        }
        return
      }
      try prepareToLookUp(table)
      ownerColumn = "m.\(column.quoted)"
      select = "SELECT \(ownerColumn), m._row FROM \(table.quoted) m"
    case .link(let end):
      try prepareToLookUp(end.table)
      ownerColumn = "l.\(end.ownerColumn)"
      select = "SELECT \(ownerColumn), l.\(end.memberColumn) FROM \(end.table.quoted) l"
    }
    let order = " ORDER BY " + ([ownerColumn] + memberOrder(storage)).joined(separator: ", ")
    if case .link = storage, try areMany(owners.count, of: entity) {
      let statement = try connection.statement("\(select) WHERE \(ownerColumn) >= ?\(order)")
      statement.bind(1, owners[owners.startIndex])
      defer { statement.reset() }
      var next = owners.startIndex
      while next < owners.endIndex, try statement.step() {
        let owner = statement.integer(0)
        while next < owners.endIndex, owners[next] < owner { next += 1 }
        if next < owners.endIndex, owners[next] == owner {
          try body(owner, try checked(statement.integer(1), storage, owner: owner))
        }
      }
      return
    }
    var chunks = KeyChunks(
      connection, "\(select) WHERE \(ownerColumn) IN", .rows(Array(owners)), order)
    defer { chunks.end() }
    while let statement = try chunks.next() {
      while try statement.step() {
        let owner = statement.integer(0)
        try body(owner, try checked(statement.integer(1), storage, owner: owner))
      }
    }
  }

  /// The row number of a member.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` for one that no row can have.
  @inline(__always)
  private func checked(
    _ member: Int64, _ storage: RelationshipStorage, owner: Int64
  ) throws -> Int64 {
    guard !RowNumber.isValid(member) else { return member }
    switch storage {
    case .inverse(let table, _, _):
      throw StoreError.damaged(table.identifier.name, "row \(member)", "_row", member)
    case .link(let end): throw end.table.damaged(end.memberColumn, member, beside: owner)
    case .column: return member
    }
  }

  /// Up to as many owners are looked up without asking how many there are: walking the lists of a
  /// fetch is common, and the question is a statement.
  package static let leastScanned = 1024

  /// From this share of the owners on, one scan is cheaper than looking them up.
  static let scanShare = 6

  /// Whether so many owners are cheaper scanned for than looked up.
  func areMany(_ owners: Int, of entity: EntityDescription) throws -> Bool {
    try owners * StoreReader.scanShare >= estimatedCount(of: entity)
  }

  private func entityColumn(of table: Table) -> String {
    table.hasEntityColumn ? ", m._entity" : ""
  }

  /// Positions first, members without one last, then insertion.
  private func memberOrder(_ storage: RelationshipStorage) -> [String] {
    switch storage {
    case .column: []
    case .inverse(_, _, let position):
      (position.map { ["m.\($0.quoted) IS NULL", "m.\($0.quoted)"] } ?? []) + ["m._row"]
    case .link(let end):
      (end.positionColumn.map { ["l.\($0) IS NULL", "l.\($0)"] } ?? [])
        + ["l.\(end.memberColumn)"]
    }
  }

  private func collect(
    _ statement: Statement, destination: EntityLayout, into result: inout [StoredMember]
  ) throws {
    let hasEntityColumn = destination.table.hasEntityColumn
    var current = destination
    while try statement.step() {
      let row = try statement.row(1, of: destination.table)
      if hasEntityColumn, statement.integer(2) != current.number {
        current = try layout.entity(numbered: statement.integer(2), in: destination.table, row: row)
      }
      result.append(StoredMember(owner: statement.integer(0), row: row, entity: current.entity))
    }
  }
}
