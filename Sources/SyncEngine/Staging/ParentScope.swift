import SyncCore
import SyncStore

/// The stored object whose children the items of a payload are, and what leads from
/// one to the other.
///
/// ```
/// list       parent ──items──▶ children     staged as an object that the payload says nothing about but the list
/// reference  parent ◀──owner── child        every item says that its owner is the parent
/// links      either, in a link table        pairs come when a part is written, go and are ordered at the end
/// ```
struct ParentScope {
  let parent: ManagedObjectID
  let way: Way

  enum Way {
    /// The parent's list, or its to-one relationship: batch and relationship rule of the parent.
    case list(batch: Int, rule: Int)
    /// A to-one relationship of the items: its rule, and the batch of its destination.
    case reference(rule: Int, batch: Int)
    /// Members of a link table of which the plan has no list: the relationship and the entity that has it, and
    /// whether that is the parent's.
    case links(RelationshipDescription, of: EntityDescription, isParents: Bool)
  }

  /// Whether items without a key are the parent's, and go with it.
  func ownsKeyless(_ plan: MappingPlan) -> Bool {
    guard case .list(let batch, let rule) = way else { return false }
    let relationship = plan.nodes[batch].relationships[rule]
    return relationship.ownsKeyless && relationship.kind == .oneToMany
  }

  /// Stages the parent, if the items are linked with it as they are written.
  func prepare(_ stager: Stager) {
    stager.parentScope = self
    switch way {
    case .list(let batch, let rule):
      stager.part.rootOwner = Owner(
        batch: batch, owner: occurrence(in: stager.batches[batch]), rule: rule)
    case .reference(let rule, let batch):
      stager.rootReference = RootReference(
        rule: rule, target: occurrence(in: stager.batches[batch]))
    case .links: return
    }
  }

  private func occurrence(in batch: Batch) -> Int32 {
    let index = batch.stored.append(
      row: parent.row, entity: batch.entity.subentities.isEmpty ? nil : parent.entity.index
    ) { _ in 0 }
    batch.placeholder = index
    let occurrence = batch.occurrence(ofStored: index)
    batch.occurrences[occurrence].flags.formUnion([.reached, .decided])
    return occurrence
  }

  /// - Throws: ``SyncError`` with ``SyncError/Code/parentNotFound`` when the parent is not stored.
  func check(in transaction: StoreTransaction) throws {
    var isStored = false
    if parent.row > 0 {
      try transaction.scan(parent.entity, .rows([parent.row]), slots: []) { _ in isStored = true }
    }
    guard isStored else {
      throw SyncError(
        .parentNotFound, entity: parent.entity.name, key: parent.description,
        message: """
          The parent \(parent) is not stored. Save it before its children are synced.
          """)
    }
  }
}

/// What every item at the top says of one of its to-one relationships.
struct RootReference {
  let rule: Int
  /// Occurrence of the destination's batch.
  let target: Int32
}
