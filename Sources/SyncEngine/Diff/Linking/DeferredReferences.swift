import SyncCore
import SyncStore

/// References whose object has not come yet, kept in the store from one sync to the next.
///
/// One ends when its object arrives, when the owner's relationship is given again or was set meanwhile,
/// and when the owner goes.
struct DeferredReferences {
  private static let kind = "references"
  private static let name = "deferred"

  let transaction: StoreTransaction
  let model: ManagedObjectModel
  let control: SyncControl

  /// What earlier syncs left behind and is still wanted.
  func load() throws -> [UnresolvedReference] {
    guard let data = try transaction.kept(DeferredReferences.kind, DeferredReferences.name) else {
      return []
    }
    return try wanted(Claims.references(decoding: data, model: model, control))
  }

  /// Leaves references behind for later syncs.
  func save(_ references: [UnresolvedReference]) throws {
    let kept = try wanted(references.filter { !$0.isRefused })
    guard !kept.isEmpty else {
      return try transaction.keep(DeferredReferences.kind, DeferredReferences.name, nil)
    }
    let claims = Claims()
    for reference in kept { claims.append(reference) }
    try transaction.keep(
      DeferredReferences.kind, DeferredReferences.name, try claims.encoded(model: model, control))
  }

  /// Leaves out those whose owner is gone, or whose to-one relationship leads somewhere by now.
  private func wanted(_ references: [UnresolvedReference]) throws -> [UnresolvedReference] {
    var filled: [ManagedObjectID: Set<Int>] = [:]
    for (entity, group) in Dictionary(grouping: references, by: { $0.owner.entity }) {
      let slots = Set(group.filter { $0.relationship.kind == .toOne }.map(\.relationship.slot))
      try transaction.scan(entity, .rows(group.map(\.owner.row))) { cursor in
        filled[ManagedObjectID(entity: entity, row: cursor.row)] =
          slots.filter { cursor.integer($0) != nil }
      }
    }
    return references.filter { reference in
      filled[reference.owner].map { !$0.contains(reference.relationship.slot) } ?? false
    }
  }
}
