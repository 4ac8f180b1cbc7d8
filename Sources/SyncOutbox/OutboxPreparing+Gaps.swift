import SyncCore
import SyncEngine
import SyncGraph
import SyncStore

/// The changes that no request can say as they are: an object without a key is meant, or referred
/// to.
extension OutboxPreparing {
  /// The reason why an object that is to be sent cannot go as it is.
  enum Gap {
    /// It leads to a new object that gets its key later: by another outbox, or a later handler.
    case passing
    case lasting(String)
  }

  /// Looks for references that the JSON of an object would leave out, because the objects that they
  /// lead to have no key. Members of lists that were given up, or that a server has taken without
  /// giving a key, are none: nothing is to be sent of those links.
  ///
  /// - Parameter slots: The slots to send.
  func gap(
    _ row: StoredRow, _ slots: SlotSet, _ export: RowExport, writesResources: Bool,
    in transaction: StoreTransaction
  ) throws -> Gap? {
    let nested = try export.nestedSlots(of: row.entity)
    for relationship in row.entity.relationships where slots.contains(relationship.slot) {
      if relationship.isToMany, nested.contains(relationship.slot) { continue }
      for target in try keyless(
        targets(of: relationship, row, in: transaction), in: transaction)
      where target != row.id {
        // A nested object may say something else than its key.
        if !relationship.isToMany, !writesResources {
          let json = try export.json(
            of: row, only: [relationship.slot], namesKind: false, transaction)
          guard json.objectValue?.allSatisfy(\.value.isNull) ?? true else { continue }
        }
        if let entry = try transaction.outboxEntry(target, in: name), entry.edit?.kind == .insert {
          // It travels with this object, or waits for a handler.
          if try turn(of: entry, in: transaction) == nil { return .passing }
        } else if try isNewElsewhere(target, transaction) {
          return .passing
        } else if !relationship.isToMany {
          return .lasting(
            """
            “\(relationship.name)” leads to an object of “\(target.entity.name)” without a key, which no request can \
            name: it was given up here, or the answer to it gave no key. Edit that object, so that it is sent as new, or \
            lead “\(relationship.name)” elsewhere; then retry this one.
            """)
        }
      }
    }
    return nil
  }

  /// Of objects of one entity those that have no key yet.
  private func keyless(
    _ targets: [ManagedObjectID], in transaction: StoreTransaction
  ) throws -> [ManagedObjectID] {
    guard let entity = targets.first?.entity, let key = entity.primaryKey else { return [] }
    var rows: Set<Int64> = []
    try transaction.scan(entity, .rows(targets.map(\.row)), slots: [key.slot]) {
      if $0.value(key.slot).isNull { rows.insert($0.row) }
    }
    return targets.filter { rows.contains($0.row) }
  }

  /// Whether another outbox of the program has still to send an object as new.
  private func isNewElsewhere(_ id: ManagedObjectID, _ reader: StoreReader) throws -> Bool {
    try OutboxScopes(stack).senders(of: id.entity, for: name).contains {
      try reader.outboxEntry(id, in: $0)?.edit?.kind == .insert
    }
  }

  /// Why a change cannot be sent as it is.
  func reason(against change: OutboxChange, _ gap: Gap?) -> String? {
    if case .lasting(let reason)? = gap { return reason }
    guard change.kind != .insert, change.key == nil else { return nil }
    if change.objectID.entity.primaryKey != nil {
      return "The object has no key, so no request can say which one is meant. Have the handler "
        + "answer an insertion with the JSON that gives the key, or sync the entity."
    }
    guard change.kind == .delete, change.json.objectValue?.isEmpty == true else { return nil }
    return "Nothing is known of the deleted object, so no request can say which one is meant. Have "
      + "the model preserve the attributes that tell its objects apart in the history."
  }
}
