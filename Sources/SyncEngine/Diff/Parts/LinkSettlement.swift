import SyncCore
import SyncStore

/// Settles what two parts of a payload said of the same relationships, as the whole payload would have:
/// lists are stronger than what an object says itself, of several lists of an owner the last one counts,
/// what any list of a many-to-many relationship names is linked.
///
/// Reads the log of what was said, a few times over, and keeps of it only what is about the objects that
/// ``PartMemory`` found out.
struct LinkSettlement {
  typealias Relationship = Claims.Relationship

  let claims: Claims
  let parts: PartMemory
  let model: ManagedObjectModel
  let transaction: StoreTransaction
  let control: SyncControl

  /// What the sync has to leave alone; nil when that is nothing.
  let edits: UnsentEdits?

  /// Objects that arrived after they were referred to, by the place, in the order of its keys; 0 where
  /// none did.
  let arrived: [ArrivedReferences.Place: [Int64]]

  func settle() throws {
    let keys = Set(parts.relisted.keys).union(parts.contested.keys)
    var partners: Set<Relationship> = []
    for key in keys.sorted(by: { ($0.entity, $0.slot) < ($1.entity, $1.slot) }) {
      let entity = model.entities[key.entity]
      guard let relationship = entity.properties[key.slot].relationship else { continue }
      switch relationship.kind {
      case .oneToMany: try settleMembers(relationship, of: entity)
      case .manyToMany: try settlePairs(relationship, of: entity)
      case .toOne:
        guard let inverse = entity.inverse(of: relationship), !inverse.isToMany else {
          try settleReferences(relationship, of: entity)
          continue
        }
        // Both sides are settled together.
        if partners.isDisjoint(with: [key, Relationship(inverse)]) {
          partners.formUnion([key, Relationship(inverse)])
          try settlePartners(relationship, of: entity)
        }
      }
    }
  }

  /// Shows what was said, in order, with the objects that arrived later; those that never did are left out.
  func forEachStatement(
    _ body: (_ position: Int, _ statement: StatementLog.Statement) throws -> Void
  ) throws {
    var passed: [ArrivedReferences.Place: Int] = [:]
    try parts.log.forEachStatement(control.checkpoint) { position, statement in
      guard statement.kind == .list || statement.kind == .reference,
        statement.members.contains(StatementLog.unknown)
      else { return try body(position, statement) }
      let relationship = statement.relationship
      let place = ArrivedReferences.Place(
        root: model.entities[relationship.entity].rootIndex, row: statement.row,
        slot: relationship.slot)
      // What is given again waits anew; a list that goes on waits for what all its parts named.
      let goesOn = statement.kind == .list && statement.flags.contains(.goesOn)
      var late = (arrived[place] ?? []).dropFirst(goesOn ? passed[place] ?? 0 : 0)
      var whole = statement
      whole.members = statement.members.compactMap { member in
        guard member == StatementLog.unknown else { return member }
        if goesOn { passed[place, default: 0] += 1 }
        return late.popFirst().flatMap { $0 > 0 ? $0 : nil }
      }
      try body(position, whole)
    }
  }

  /// Where a column led before the first part of the payload; rows of which nothing is known are as they
  /// were.
  func origins(
    _ column: RelationshipDescription, _ entity: EntityDescription, of rows: RowSet
  ) throws -> [Int64: Int64] {
    var origins = try parts.origins(of: Relationship(column), among: rows, control.checkpoint)
    for row in rows.rows where parts.wasInserted(row, entity.rootIndex) { origins[row] = 0 }
    return origins
  }

  /// Stops a cancelled sync now and then in a loop over objects.
  func checkpoint(_ step: Int) throws {
    if step % SyncControl.stride == 0 { try control.checkpoint() }
  }

  /// Puts members of an owner into an order: those of its list first.
  func order(
    _ relationship: RelationshipDescription, of entity: EntityDescription,
    _ lists: [Int64: [Int64]]
  ) throws {
    guard relationship.isOrdered, !lists.isEmpty else { return }
    let members = try transaction.members(
      of: relationship, in: entity, owners: lists.keys.sorted())
    var positions: [(owner: Int64, member: Int64, position: Int64)] = []
    let owners = Dictionary(grouping: members, by: \.owner).sorted { $0.key < $1.key }
    for (step, (owner, present)) in owners.enumerated() {
      try checkpoint(step)
      let now = present.map(\.row)
      let isPresent = Set(now)
      var seen = Set<Int64>()
      let first = (lists[owner] ?? []).filter { isPresent.contains($0) && seen.insert($0).inserted }
      let wanted = first + now.filter { !seen.contains($0) }
      if wanted == now { continue }
      if let edits, edits.protects(relationship.slot, of: owner, entity) {
        edits.withhold([relationship.slot], of: owner, entity)
        continue
      }
      for (position, member) in wanted.enumerated() {
        positions.append((owner, member, Int64(position)))
      }
    }
    if !positions.isEmpty {
      try OrderNotes(claims: claims, transaction: transaction)
        .note(positions.lazy.map(\.owner), relationship, of: entity)
      try transaction.setPositions(relationship, of: entity, positions: positions)
    }
  }
}

/// Where a reference stands whose object arrived later.
enum ArrivedReferences {
  struct Place: Hashable {
    let root: Int
    let row: Int64
    let slot: Int
  }
}
