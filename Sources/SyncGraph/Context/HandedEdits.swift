import SyncCore
import SyncStore

/// The edits that a save of a child context hands to its parent: its unsaved changes as plain
/// values, because the objects of one context are nothing in another.
struct HandedEdits {
  /// A new or edited object.
  struct Object {
    let id: ManagedObjectID
    let isNew: Bool

    /// The row that the edits were made on; nil for a new object and when only lists changed.
    let base: StoredRow?

    /// Attributes and to-one relationships that changed; all that count of a new object.
    let values: [(slot: Int, value: Value)]
    let lists: [List]
  }

  /// A changed to-many relationship.
  struct List {
    let ordinal: Int
    let added: [ManagedObjectID]
    let removed: [ManagedObjectID]

    /// All members, when they have an order.
    let order: [ManagedObjectID]
  }

  /// New objects first, in the order in which they were inserted.
  let objects: [Object]
  let deleted: [ManagedObjectID]

  init(_ inserted: [ManagedObject], _ updated: [ManagedObject], _ deleted: [ManagedObject]) {
    objects = (inserted + updated).map(Object.init)
    self.deleted = deleted.map(\.identifier)
  }
}

extension HandedEdits.Object {
  fileprivate init(_ object: ManagedObject) {
    let shape = object.home.shape
    id = object.identifier
    isNew = object.isInserted
    base =
      isNew || object.isFault
      ? nil
      : StoredRow(
        entity: object.entity, row: object.rowNumber, version: object.version,
        values: object.base)
    let slots = isNew ? Array(shape.kinds.indices) : Array(object.changed)
    values = slots.compactMap { slot in
      if case .toMany = shape.kinds[slot] { return nil }
      return (slot, object.row[slot])
    }
    lists = object.links.enumerated().compactMap { ordinal, link in
      (link as? MemberList).flatMap {
        HandedEdits.List($0, shape.relationships[ordinal])
      }
    }
  }
}

extension HandedEdits.List {
  /// - Returns: nil when the list has nothing to hand over that the other side does not say.
  fileprivate init?(_ list: MemberList, _ relationship: RelationshipShape) {
    guard list.hasChanges else { return nil }
    let isColumn = relationship.inverseSlot != nil && !relationship.isInverseToMany
    guard !isColumn || relationship.isOrdered else { return nil }
    func ids(_ members: some Sequence<ManagedObject>) -> [ManagedObjectID] {
      members.filter { !$0.isKnownDeleted }.map(\.identifier).sorted(on: \.insertionOrder)
    }
    ordinal = relationship.ordinal
    added = isColumn ? [] : ids(list.added.values)
    removed = isColumn ? [] : ids(list.removed.values)
    order = relationship.isOrdered && list.isLoaded ? list.objects.map(\.identifier) : []
  }
}

/// The saves of a child context go out here.
extension ManagedObjectContext {
  /// Makes the unsaved changes here unsaved changes of the parent. To be called inside of
  /// ``withSource(_:)``.
  ///
  /// - Returns: the objects that were handed over.
  func handOver(
    to parent: ManagedObjectContext, _ result: inout SaveResult
  ) throws -> [ManagedObject] {
    let inserted = pending.inserted
    let deleted = pending.deleted
    var outcome = SaveOutcome()
    outcome.vanished = try lostObjects(parent)
    let gone = Set(outcome.vanished.map(ObjectIdentifier.init))
    let updated = pending.updated.filter { !gone.contains(ObjectIdentifier($0)) }
    let edits = HandedEdits(inserted, updated, deleted)
    let changes = parent.queue.sync { parent.receive(edits, from: self) }
    result.overruled += outcome.vanished.map { SaveConflict($0, $0.changed, $0.base, nil) }
    take(outcome, inserted, updated, deleted)
    let saved = inserted + updated + deleted
    merge(changes, except: saved)
    tellChildren(outcome, changes, saved)
    announce(
      .local(inserted: inserted, updated: updated, deleted: deleted, changes),
      as: .managedObjectContextDidSave)
    return saved
  }

  /// Lets edited objects go that were deleted in the parent, where the merge policy says so: before
  /// anything is validated or handed over, so that nothing that stays leads to them.
  func giveUpLost(_ result: inout SaveResult) {
    guard savingPolicy.letsStoreWin else { return }
    let lost = pending.updated.filter { $0.flags.contains(.lost) }
    guard !lost.isEmpty else { return }
    result.overruled += lost.map { SaveConflict($0, $0.changed, $0.base, nil) }
    for object in lost {
      announce(object)
      bury(object)
      noteForChildren(object)
    }
    queue.closed { settle() }
  }

  /// The edited objects that are gone from the parent, for the save to give up.
  ///
  /// - Throws: ``GraphError`` with ``GraphError/Code/conflict`` unless the merge policy lets them
  ///   go.
  private func lostObjects(_ parent: ManagedObjectContext) throws -> [ManagedObject] {
    let updated = pending.updated
    let ids = updated.map(\.identifier)
    let deleted = try parent.queue.sync { try parent.deleted(among: ids) }
    let lost = updated.filter { $0.flags.contains(.lost) || deleted.contains($0.identifier) }
    guard !lost.isEmpty else { return [] }
    if savingPolicy.letsStoreWin { return lost }
    let conflicts = lost.map { SaveConflict($0, $0.changed, $0.base, nil) }
    let names = lost.prefix(10).map { "\($0.objectID)" }.joined(separator: ", ")
    throw GraphError(
      .conflict, entity: lost[0].entity.name, objects: lost.map(\.objectID), conflicts: conflicts,
      message: """
        \(lost.count) object\(lost.count == 1 ? " that was" : "s that were") edited here \
        \(lost.count == 1 ? "is" : "are") deleted in the parent context: \(names). Delete them here \
        too, roll back, or choose a merge policy that lets the store win.
        """)
  }
}
