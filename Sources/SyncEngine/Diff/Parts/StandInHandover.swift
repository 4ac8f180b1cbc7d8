import SyncCore
import SyncStore

/// Gives stored objects what somebody else, who saw their stand-ins between two parts of a payload, did to the
/// relationships of these: members of one-to-many lists, and links of which no part spoke.
struct StandInHandover {
  typealias Relationship = Claims.Relationship

  let claims: Claims
  let model: ManagedObjectModel
  let transaction: StoreTransaction
  let control: SyncControl
  /// What the sync has to leave alone; nil when that is nothing.
  let edits: UnsentEdits?
  /// Stand-ins by table, and the stored objects that they are.
  let objects: StandInSettlement.Objects

  /// - Complexity: O(*n*) in the stand-ins and what they are linked with.
  func handOver() throws {
    for entity in model.entities {
      guard let rows = objects[entity.rootIndex] else { continue }
      for relationship in entity.relationships where relationship.declaringIndex == entity.index {
        try control.checkpoint()
        switch relationship.kind {
        case .oneToMany: try handOverMembers(rows, relationship, of: entity)
        case .manyToMany: try handOverPairs(rows, relationship, of: entity)
        case .toOne: try handOverReferences(rows, relationship, of: entity)
        }
      }
    }
  }

  private func handOverMembers(
    _ rows: [Int64: Int64], _ list: RelationshipDescription, of entity: EntityDescription
  ) throws {
    guard let column = entity.inverse(of: list) else { return }
    let members = try transaction.members(of: list, in: entity, owners: rows.keys.sorted())
    for member in members {
      guard let stored = rows[member.owner] else { continue }
      claims.noteColumn(column, of: member.row, member.entity, from: member.owner)
      let block = RowBlock(width: member.entity.properties.count, capacity: 1)
      block[block.append()][column.slot] = .integer(stored)
      try transaction.update(
        block, index: 0, row: member.row, of: member.entity, slots: [column.slot])
      try transaction.touch(stored, of: entity, slots: [list.slot])
    }
  }

  private func handOverPairs(
    _ rows: [Int64: Int64], _ relationship: RelationshipDescription, of entity: EntityDescription
  ) throws {
    let root = entity.destination(of: relationship).rootIndex
    let inverse = entity.inverse(of: relationship)
    let pairs = try transaction.members(of: relationship, in: entity, owners: rows.keys.sorted())
      .compactMap { member -> PairWriter.Pair? in
        guard let stored = rows[member.owner],
          !isSpoken(of: relationship, by: member.owner, stored),
          inverse.map({ isSpoken(of: $0, by: member.row) }) != true
        else { return nil }
        return (owner: stored, member: objects[root]?[member.row] ?? member.row)
      }
    guard !pairs.isEmpty else { return }
    try PairWriter(transaction: transaction, claims: claims, edits: edits)
      .link(pairs, relationship, of: entity)
  }

  /// Where both objects of a one-to-one relationship would have to change, all stays as it is.
  private func handOverReferences(
    _ rows: [Int64: Int64], _ column: RelationshipDescription, of entity: EntityDescription
  ) throws {
    guard let parts = claims.parts else { return }
    let destination = entity.destination(of: column)
    let inverse = entity.inverse(of: column)
    let links = LinkSettlement(
      claims: claims, parts: parts, model: model, transaction: transaction, control: control,
      edits: edits, arrived: [:])
    var wanted: [Int64: Int64] = [:]
    try transaction.scan(entity, .rows(rows.keys.sorted()), slots: [column.slot]) { cursor in
      guard let linked = cursor.integer(column.slot), linked > 0, let stored = rows[cursor.row],
        !isSpoken(of: column, by: cursor.row, stored),
        inverse.map({ isSpoken(of: $0, about: cursor.row, stored, by: linked) }) != true
      else { return }
      wanted[stored] = objects[destination.rootIndex]?[linked] ?? linked
    }
    for (row, concrete, now) in try destinations(wanted.keys.sorted(), column, of: entity) {
      guard let linked = wanted[row], linked != now else { continue }
      if let inverse, !inverse.isToMany {
        // The partner leads to the stand-in still.
        let partner = try destinations([linked], inverse, of: destination).first
        guard now == 0, let partner, rows[partner.now] == row else { continue }
        try links.set(inverse, of: linked, partner.entity, from: partner.now, to: row)
      }
      try links.set(column, of: row, concrete, from: now, to: linked)
    }
  }

  /// Where a to-one relationship of some objects leads; 0 for nowhere.
  private func destinations(
    _ rows: [Int64], _ column: RelationshipDescription, of entity: EntityDescription
  ) throws -> [(row: Int64, entity: EntityDescription, now: Int64)] {
    var result: [(row: Int64, entity: EntityDescription, now: Int64)] = []
    try transaction.scan(entity, .rows(rows), slots: [column.slot]) { cursor in
      result.append((cursor.row, cursor.entity, cursor.integer(column.slot) ?? 0))
    }
    return result
  }

  // MARK: - What the payload said

  private func isSpoken(of relationship: RelationshipDescription, by rows: Int64...) -> Bool {
    let key = Relationship(relationship)
    return rows.contains { claims.parts?.hasSpoken($0, of: key) ?? false }
  }

  /// Whether a list named a stand-in or its object, or a partner spoke.
  private func isSpoken(
    of inverse: RelationshipDescription, about standIn: Int64, _ stored: Int64, by linked: Int64
  ) -> Bool {
    let key = Relationship(inverse)
    guard inverse.kind == .oneToMany else { return isSpoken(of: inverse, by: linked) }
    return [standIn, stored].contains {
      claims.parts?.isNamed($0, in: key) ?? false || claims.isListed($0, under: inverse)
    }
  }
}
