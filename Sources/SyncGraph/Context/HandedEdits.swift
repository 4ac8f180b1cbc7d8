import SyncCore
import SyncStore

/// What a save of a child context hands to its parent: its unsaved changes as plain values, because
/// the objects of one context are nothing in another.
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
