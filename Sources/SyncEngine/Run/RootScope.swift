import SyncCore
import SyncStore

/// Which stored rows take part.
extension SyncPass {
  /// The parent's children, as far as a predicate lets them; else the predicate; else, for a tree,
  /// its roots and the rows below deleted ones; else the whole entity.
  var scope: Scope {
    if let parent {
      if case .reference = parent.way { return Scope(kind: .children) }
      return Scope(kind: referringSlot == nil ? .sharedMembers : .members)
    }
    if let filter = request.settings.filter { return Scope(kind: .filter(filter)) }
    if let tree, tree.isDeclared || claims.state.nestsChildren {
      return Scope(kind: .roots(slot: tree.slot))
    }
    return Scope(kind: .all)
  }

  /// How the objects of an entity may be nested in each other.
  struct Tree {
    /// The to-one relationship that leads to the object above.
    let slot: Int
    /// The rule of the list at its other end, in which a payload nests the objects below.
    let list: Int?
    /// Whether the model says that payloads are trees, also one that nests nothing.
    let isDeclared: Bool
  }

  /// The first relationship by which the objects may be nested in each other; nil when there is
  /// none.
  var tree: Tree? {
    let node = request.plan.rootNode
    guard node.mayBeTree else { return nil }
    let isDeclared = MappingRules.isTree(node.entity)
    let parents = node.relationships.map(\.relationship).filter {
      !$0.isToMany && $0.destinationIndex == node.entity.index
    }
    guard let parent = parents.first(where: \.isInverseToMany) ?? (isDeclared ? parents.first : nil)
    else { return nil }
    return Tree(
      slot: parent.slot,
      list: parent.isInverseToMany
        ? parent.inverseSlot.flatMap(node.relationshipRule(forSlot:)) : nil,
      isDeclared: isDeclared)
  }

  /// Reads the facts about the store that have to be read before anything is written.
  func begin(in transaction: StoreTransaction) throws {
    try checkParent(in: transaction)
    try loadDeferred(in: transaction)
    try readScope(in: transaction)
  }

  /// Checks that the given parent is there.
  func checkParent(in transaction: StoreTransaction) throws {
    guard let parent else { return }
    try parent.check(in: transaction)
    claims.mention(parent.parent.row, parent.parent.entity)
  }

  /// Takes over references that earlier syncs left behind.
  func loadDeferred(in transaction: StoreTransaction) throws {
    guard request.settings.deferReferences else { return }
    for reference in try deferred(in: transaction).load() { claims.append(reference) }
  }

  /// Reads which objects are in scope. Has to happen before anything is written, because writing
  /// moves objects into and out of a scope: the scope decides which rows may be deleted, and in
  /// later parts which of several objects of a key comes first.
  func readScope(in transaction: StoreTransaction) throws {
    guard request.settings.operations.contains(.delete) || mayHaveParts else { return }
    claims.setScope(try scopeRows(in: transaction))
  }

  /// Whether the scope of a request may be another one than every object of the entity.
  static func mayHaveScope(_ request: SyncRequest) -> Bool {
    request.setup.parent != nil || request.settings.filter != nil || request.plan.rootNode.mayBeTree
  }

  /// The objects in scope; nil is every object of the entity.
  func scopeRows(in transaction: StoreTransaction) throws -> [Int64]? {
    let filtered = try request.settings.filter.map { try rows(.filter($0), in: transaction) }
    if let parent {
      guard let slot = referringSlot else { return filtered }
      let children = try rows(.references(slot: slot, [parent.parent.row]), in: transaction)
      return filtered.map { Set(children).intersection($0).sorted() } ?? children
    }
    if let filtered { return filtered }
    guard let tree else { return nil }
    return try rows(.empty(slot: tree.slot), in: transaction)
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
    isStreamed || request.place != nil || request.setup.transaction != .whole
  }

  /// Whether references of one part of the sync may lead to objects of another one.
  var isInParts: Bool { claims.state.partCount > 1 || request.place != nil }

  /// Whether the part that is worked off is a whole list.
  var isWholeList: Bool {
    reader.isAtEnd && claims.state.partCount <= 1 && request.session == nil
  }

  /// Whether the part that is worked off is the whole payload, and the payload all there is.
  var isOnlyPart: Bool { isWholeList && request.place == nil }
}
