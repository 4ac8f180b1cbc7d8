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
    var link = stager.rootLink ?? RootLink(scope: self)
    defer { stager.rootLink = link }
    switch way {
    case .list(let batch, let rule):
      stager.part.rootOwner = Owner(
        batch: batch, owner: occurrence(in: stager, batch), rule: rule)
    case .reference(let rule, let batch):
      link.reference = RootReference(rule: rule, target: occurrence(in: stager, batch))
    case .links: return
    }
  }

  private func occurrence(in stager: Stager, _ number: Int) -> Int32 {
    let batch = stager.batches[number]
    _ = batch.block.append()
    var occurrence = Occurrence()
    occurrence.flags = .referenceOnly
    let result = batch.append(occurrence)
    stager.part.parent = GivenParent(id: parent, batch: number, occurrence: result)
    return result
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

/// A given parent, as it stands among the objects of the payload.
struct GivenParent {
  let id: ManagedObjectID
  let batch: Int
  let occurrence: Int32
}

/// How the items at the top are linked with a given parent.
struct RootLink {
  let scope: ParentScope
  var reference: RootReference?
  /// The objects of the items.
  var targets: [Int32] = []
}

/// What every item at the top says of one of its to-one relationships.
struct RootReference {
  let rule: Int
  /// Occurrence of the destination's batch.
  let target: Int32
}
