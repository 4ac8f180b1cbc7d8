import SyncCore
import SyncStore

/// Which stored rows take part.
extension SyncPass {
  /// The parent's children, as far as a predicate lets them; else the predicate; else, for a tree, its roots,
  /// unless the items name their parents themselves; else the whole entity.
  var scope: Scope {
    if let parent {
      if case .reference = parent.way { return Scope(kind: .children) }
      return Scope(kind: referringSlot == nil ? .sharedMembers : .members)
    }
    if let filter = request.filter { return Scope(kind: .filter(filter)) }
    if let rule = treeRule, !claims.state.rootItemsNameParent {
      return Scope(kind: .roots(slot: request.plan.rootNode.relationships[rule].slot))
    }
    return Scope(kind: .all)
  }

  /// The to-one relationship of the entity to itself, if it has one.
  var treeRule: Int? {
    let node = request.plan.rootNode
    guard node.explicit == nil else { return nil }
    return node.relationships.firstIndex {
      !$0.relationship.isToMany && $0.relationship.destinationIndex == node.entity.index
    }
  }

  /// Reads which objects are in scope. Has to happen before anything is written, because writing moves
  /// objects into and out of a scope.
  func readScope(in transaction: StoreTransaction) throws {
    if let session = request.session {
      try session.refresh(in: transaction, control)
      try session.check(request, in: transaction)
      claims = session.claims
      // Others may have written since the last page.
      claims.seenKeys = [:]
    }
    if let parent {
      try parent.check(in: transaction)
      claims.mention(parent.parent.row, parent.parent.entity)
    }
    if claims.state.partCount == 0, request.defersReferences {
      for reference in try deferred(in: transaction).load() { claims.append(reference) }
    }
    // It tells who goes, and to later parts which of several objects of a key comes first.
    guard claims.state.partCount == 0, request.operations.contains(.delete) || mayHaveParts else {
      return
    }
    claims.setScope(try scopeRows(in: transaction))
  }

  /// The objects in scope; nil is every object of the entity.
  func scopeRows(in transaction: StoreTransaction) throws -> [Int64]? {
    let filtered = try request.filter.map { try rows(.filter($0), in: transaction) }
    if let parent {
      guard let slot = referringSlot else { return filtered }
      let children = try rows(.references(slot: slot, [parent.parent.row]), in: transaction)
      return filtered.map { Set(children).intersection($0).sorted() } ?? children
    }
    if let filtered { return filtered }
    guard let rule = treeRule else { return nil }
    return try rows(.empty(slot: request.plan.rootNode.relationships[rule].slot), in: transaction)
  }

  private func rows(_ selection: RowSelection, in transaction: StoreTransaction) throws -> [Int64] {
    var rows: [Int64] = []
    try transaction.scan(request.plan.rootNode.entity, selection, slots: []) { cursor in
      rows.append(cursor.row)
      if rows.count % SyncControl.stride == 0 { try control.checkpoint() }
    }
    return rows
  }

  /// Whether the payload may be worked off in several parts.
  private var mayHaveParts: Bool {
    isStreamed || request.session != nil || request.transaction != .whole
  }

  /// Whether the part that is worked off is the whole payload, and the payload all there is.
  var isOnlyPart: Bool {
    reader.isAtEnd && claims.state.partCount <= 1 && request.session == nil
  }
}
