import SyncCore
import SyncStore

/// Gives an object the server's last values back. Confined to a transaction.
///
/// A reference to an object that is not here any more stays empty; where another object has taken
/// the place of the object in a one-to-one relationship meanwhile, it keeps it. The object comes
/// last in ordered lists of others.
struct RowReverter {
  let transaction: StoreTransaction
  let id: ManagedObjectID
  let edit: OutboxEntry.Edit

  /// Names of properties whose server values are not known: they were edited before there was an
  /// outbox.
  var unknown: [String] {
    let entity = id.entity
    guard edit.kind == .update else { return [] }
    return edit.slots.map { entity.properties[$0] }.filter { property in
      switch property.relationship?.kind {
      case .oneToMany: false
      case .manyToMany: EditedList(edit.base[property.name]).before == nil
      case .toOne, nil: edit.base[property.name] == nil
      }
    }.map(\.name)
  }

  /// Whether there is a row to write to.
  var isPresent: Bool {
    get throws { try transaction.missing([id.row], of: id.entity).isEmpty }
  }

  /// Brings a deleted object back under its own number, leading nowhere yet. One that was deleted
  /// before there was an outbox stays away.
  func bringBack() throws {
    guard edit.kind == .delete, !edit.base.isEmpty else { return }
    try transaction.restore(values, as: id)
  }

  /// Writes the known values of the object, which is there.
  func revert() throws {
    for relationship in id.entity.relationships {
      guard let value = edit.base[relationship.name] else { continue }
      switch relationship.kind {
      case .oneToMany: continue
      case .manyToMany: try relink(relationship, EditedList(value))
      case .toOne:
        let target = try present(value, relationship)
        try transaction.lead(relationship, of: id.entity, row: id.row, to: target)
        try transaction.takeLastPlace(relationship, of: id.entity, in: target)
      }
    }
    if edit.kind == .update { try transaction.write(values, to: [id.row], of: id.entity) }
  }

  /// The attributes that are known.
  private var values: [(slot: Int, value: Value)] {
    id.entity.attributes.compactMap { attribute in
      edit.base[attribute.name].map { (attribute.slot, $0) }
    }
  }

  // MARK: - Objects that were made here

  /// Leads the objects of the server that an edit has led to one made here, which goes, back to
  /// where the server has them, and ends that edit: the delete rules would take them along.
  ///
  /// - Parameter made: The objects that go.
  static func release(
    from id: ManagedObjectID, beside made: Set<ManagedObjectID>, outbox: String,
    _ transaction: StoreTransaction
  ) throws {
    for entity in transaction.model.entities {
      for reference in entity.relationships
      where reference.declaringIndex == entity.index && reference.kind == .toOne
        && id.entity.isKind(of: entity.destination(of: reference))
      {
        let leads = Filter.compare([reference.name], .equal, object: id)
        for owner in try transaction.fetchIdentifiers(FetchPlan(entity: entity, filter: leads))
        where !made.contains(owner) {
          let before = try transaction.outboxEntry(owner, in: outbox)
          let server = before?.edit?.base[reference.name] ?? .null
          guard before?.edit?.kind != .insert, reference.isOptional || !server.isNull else {
            continue
          }
          let edit = OutboxEntry.Edit(
            .update, slots: [reference.slot], base: [reference.name: server])
          try RowReverter(transaction: transaction, id: owner, edit: edit).revert()
          guard let before, var waiting = before.waiting else { continue }
          waiting.slots.remove(reference.slot)
          waiting.base[reference.name] = nil
          try transaction.change(before, in: outbox) {
            $0.waiting = waiting.slots.isEmpty ? nil : waiting
          }
        }
      }
    }
  }

  // MARK: - Relationships

  /// Where a reference may lead: to an object that is there, and not taken by another one.
  private func present(_ value: Value, _ relationship: RelationshipDescription) throws -> Int64? {
    guard case .int(let row) = value else { return nil }
    let target = ManagedObjectID(entity: id.entity.destination(of: relationship), row: row)
    guard try transaction.missing([row], of: target.entity).isEmpty else { return nil }
    if let inverse = relationship.inverseSlot, relationship.isOneToOne {
      let partner = try transaction.value(inverse, of: target)
      guard partner.isNull || partner == .int(id.row) else { return nil }
    }
    return row
  }

  /// Takes back the links that were edited; others may have come and gone since.
  private func relink(_ relationship: RelationshipDescription, _ list: EditedList) throws {
    guard let before = list.before else { return }
    let isWhole = edit.kind == .delete
    let destination = id.entity.destination(of: relationship)
    let now = try transaction.members(of: relationship, in: id.entity, owners: [id.row]).map(\.row)
    let gone = try Set(transaction.missing(Set(before).sorted(), of: destination))
    let wanted =
      before.filter { !gone.contains($0) && (isWhole || list.isEdited($0) || now.contains($0)) }
      + now.filter { !isWhole && !list.isEdited($0) && !before.contains($0) }
    let surplus = Set(now).subtracting(wanted).sorted()
    try transaction.removeLinks(relationship, of: id.entity, pairs: surplus.map { (id.row, $0) })
    try transaction.addLinks(relationship, of: id.entity, pairs: wanted.map { (id.row, $0) })
    try transaction.arrange(relationship, of: id.entity, owner: id.row, as: wanted)
  }
}

extension StoreTransaction {
  /// Gives an object that was led to an owner a place in its ordered list.
  func takeLastPlace(
    _ relationship: RelationshipDescription, of entity: EntityDescription, in owner: Int64?
  ) throws {
    guard let owner, let list = entity.inverse(of: relationship) else { return }
    try arrange(list, of: entity.destination(of: relationship), owner: owner, as: [])
  }
}
