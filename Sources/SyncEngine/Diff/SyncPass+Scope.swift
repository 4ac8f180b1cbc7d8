import SyncCore
import SyncStore

/// Which stored rows take part.
extension SyncPass {
  /// The predicate; else the parent's members; else, for a tree, its roots, unless the items name their
  /// parents themselves; else the whole entity (sync-behaviour, sections 8.10 and 9).
  var scope: Scope {
    if let filter = request.filter { return Scope(kind: .filter(filter)) }
    if parent != nil { return Scope(kind: .members) }
    if let rule = treeRule, !claims.rootItemsNameParent {
      return Scope(kind: .roots(slot: request.plan.rootNode.relationships[rule].slot))
    }
    return Scope(kind: .all)
  }

  /// The to-one relationship of the entity to itself, if it has one.
  var treeRule: Int? {
    let node = request.plan.rootNode
    return node.relationships.firstIndex {
      !$0.relationship.isToMany && $0.relationship.destinationIndex == node.entity.index
    }
  }

  /// Reads which objects are in scope. Has to happen before anything is written, because writing moves
  /// objects into and out of a scope.
  func readScope(in transaction: StoreTransaction) throws {
    // A copy, so that a page that fails leaves no trace.
    if let session = request.session { claims = session.claims.copy() }
    if let parent {
      try parent.check(in: transaction)
      claims.mention(parent.parent.row, parent.parent.entity)
    }
    if claims.partCount == 0, request.defersReferences {
      for reference in try deferred(in: transaction).load() { claims.append(reference) }
    }
    guard claims.partCount == 0, request.operations.contains(.delete) else { return }
    claims.rootScope = try scopeRows(in: transaction)
  }

  /// The objects in scope; nil is every object of the entity.
  func scopeRows(in transaction: StoreTransaction) throws -> [Int64]? {
    let selection: RowSelection
    if let filter = request.filter {
      selection = .filter(filter)
    } else if parent == nil, let rule = treeRule {
      selection = .empty(slot: request.plan.rootNode.relationships[rule].slot)
    } else {
      return nil
    }
    var rows: [Int64] = []
    try transaction.scan(request.plan.rootNode.entity, selection, slots: []) { cursor in
      rows.append(cursor.row)
      if rows.count % SyncControl.stride == 0 { try control.checkpoint() }
    }
    return rows
  }

  /// Whether the part that is worked off is the whole payload, and the payload all there is.
  var isOnlyPart: Bool {
    reader.isAtEnd && claims.partCount == 1 && request.session == nil
  }
}
