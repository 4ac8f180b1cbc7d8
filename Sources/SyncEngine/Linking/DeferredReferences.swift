import Foundation
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

  /// What earlier syncs left behind and is still wanted. What names entities or relationships that the model does not
  /// have any more is left out.
  func load() throws -> [UnresolvedReference] {
    guard let sync = try transaction.openSync(DeferredReferences.kind, DeferredReferences.name)
    else {
      return []
    }
    var references: [UnresolvedReference] = []
    try transaction.readReferences(of: sync) { kept in
      if references.count % SyncControl.stride == 0 { try control.checkpoint() }
      if let reference = UnresolvedReference(kept, in: model) { references.append(reference) }
    }
    return try wanted(references)
  }

  /// Leaves references behind for later syncs.
  func save(_ references: [UnresolvedReference]) throws {
    if let sync = try transaction.openSync(DeferredReferences.kind, DeferredReferences.name) {
      try transaction.forget(sync)
    }
    let kept = try wanted(references.filter { !$0.isRefused })
    guard !kept.isEmpty else { return }
    let sync = try transaction.keepOpen(
      DeferredReferences.kind, DeferredReferences.name, head: Data())
    try transaction.write(
      kept.enumerated().map { number, reference in
        var kept = reference.kept
        kept.number = Int64(number)
        return kept
      }, removing: [], of: sync)
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
