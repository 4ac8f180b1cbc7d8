import SyncCore
import SyncStore

/// Gives an object back what the server last said of it. Confined to a transaction.
///
/// A reference to an object that is not here any more stays empty; where somebody else has taken the place of the object in a
/// one-to-one relationship meanwhile, they keep it. The object comes last in ordered lists of others.
struct RowReverter {
  private let transaction: StoreTransaction
  let id: ManagedObjectID
  private let edit: OutboxEntry.Edit

  init(_ transaction: StoreTransaction, _ id: ManagedObjectID, _ edit: OutboxEntry.Edit) {
    self.transaction = transaction
    self.id = id
    self.edit = edit
  }

  /// Names of properties of which nobody knows what the server had: they were edited before there was an outbox.
  var unknown: [String] {
    let entity = id.entity
    guard edit.kind == .update else { return [] }
    return edit.slots.map { entity.properties[$0] }
      .filter { $0.relationship?.kind != .oneToMany && edit.base[$0.name] == nil }.map(\.name)
  }

  /// Whether there is a row to write to.
  var isPresent: Bool {
    get throws { try transaction.missing([id.row], of: id.entity).isEmpty }
  }

  /// Brings a deleted object back under its own number, leading nowhere yet. One that was deleted before there was an
  /// outbox stays away.
  func bringBack() throws {
    guard edit.kind == .delete, !edit.base.isEmpty else { return }
    let arena = CellArena()
    let block = RowBlock(width: id.entity.properties.count, capacity: 1)
    let index = block.append()
    for attribute in id.entity.attributes {
      guard let value = edit.base[attribute.name] else { continue }
      block[index][attribute.slot] = arena.cell(value, as: attribute.type)
    }
    try withExtendedLifetime(arena) { try transaction.restore(block, id.row, of: id.entity) }
  }

  /// Writes what is known of the object, which is there.
  func revert() throws {
    var values: [Int: Value] = [:]
    for property in id.entity.properties {
      guard let value = edit.base[property.name] else { continue }
      guard let relationship = property.relationship else {
        values[property.slot] = value
        continue
      }
      switch relationship.kind {
      case .oneToMany: continue
      case .manyToMany: try relink(relationship, to: RowList.rows(value))
      case .toOne:
        let target = try present(value, relationship)
        try leadBack(relationship, from: transaction.value(property.slot, of: id), to: target)
        try transaction.lead(property.slot, of: id, to: target)
        try takeLastPlace(relationship, in: target)
      }
    }
    if edit.kind == .update { try transaction.write(values, to: id) }
  }

  // MARK: - Relationships

  /// Where a reference may lead: to what is there, and not taken by somebody else.
  private func present(_ value: Value, _ relationship: RelationshipDescription) throws -> Value {
    guard case .int(let row) = value else { return .null }
    let target = ManagedObjectID(entity: id.entity.destination(of: relationship), row: row)
    guard try transaction.missing([row], of: target.entity).isEmpty else { return .null }
    if let inverse = partnerSlot(relationship) {
      let partner = try transaction.value(inverse, of: target)
      guard partner.isNull || partner == .int(id.row) else { return .null }
    }
    return value
  }

  /// The other half of a one-to-one relationship.
  private func partnerSlot(_ relationship: RelationshipDescription) -> Int? {
    relationship.isInverseToMany ? nil : relationship.inverseSlot
  }

  /// Has the partners in a one-to-one relationship know of each other.
  private func leadBack(
    _ relationship: RelationshipDescription, from before: Value, to target: Value
  ) throws {
    guard let inverse = partnerSlot(relationship), before != target else { return }
    let destination = id.entity.destination(of: relationship)
    for (partner, value) in [(before, Value.null), (target, .int(id.row))] {
      guard case .int(let row) = partner else { continue }
      try transaction.write([inverse: value], to: ManagedObjectID(entity: destination, row: row))
    }
  }

  private func takeLastPlace(_ relationship: RelationshipDescription, in owner: Value) throws {
    guard case .int(let row) = owner, let inverse = id.entity.inverse(of: relationship),
      inverse.isOrdered
    else { return }
    try transaction.arrange(
      inverse, of: id.entity.destination(of: relationship), owner: row, as: [])
  }

  private func relink(_ relationship: RelationshipDescription, to rows: [Int64]) throws {
    let destination = id.entity.destination(of: relationship)
    let gone = try Set(transaction.missing(Set(rows).sorted(), of: destination))
    let wanted = rows.filter { !gone.contains($0) }
    let current = try transaction.members(of: relationship, in: id.entity, owners: [id.row])
      .map(\.row)
    try transaction.removeLinks(
      relationship, of: id.entity,
      pairs: current.filter { !wanted.contains($0) }.map { (id.row, $0) })
    try transaction.addLinks(
      relationship, of: id.entity,
      pairs: wanted.filter { !current.contains($0) }.map { (id.row, $0) })
    if relationship.isOrdered {
      try transaction.arrange(relationship, of: id.entity, owner: id.row, as: wanted)
    }
  }
}
