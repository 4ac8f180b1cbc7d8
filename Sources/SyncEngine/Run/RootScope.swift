import SyncCore
import SyncStore

/// Which stored rows take part in a sync: the given parent's children, as far as a predicate lets
/// them; else those that meet the predicate; else, for a tree, its roots and the rows below deleted
/// ones; else the whole entity.
struct RootScope {
  /// Reads the items at the top.
  private let node: PlanNode
  private let filter: Filter?
  private let parent: ParentScope?
  let tree: Tree?

  /// How the objects of an entity may be nested in each other.
  struct Tree {
    /// The to-one relationship that leads to the object above.
    let slot: Int
    /// The rule of the list at its other end, in which a payload nests the objects below.
    let list: Int?
    /// Whether the model says that payloads are trees, also one that nests nothing.
    let isDeclared: Bool

    /// The first relationship by which the objects may be nested in each other; nil when there is
    /// none.
    fileprivate init?(_ node: PlanNode) {
      guard node.mayBeTree else { return nil }
      isDeclared = MappingRules.isTree(node.entity)
      let parents = node.relationships.map(\.relationship).filter {
        !$0.isToMany && $0.destinationIndex == node.entity.index
      }
      guard
        let parent = parents.first(where: \.isInverseToMany)
          ?? (isDeclared ? parents.first : nil)
      else { return nil }
      slot = parent.slot
      list =
        parent.isInverseToMany
        ? parent.inverseSlot.flatMap(node.relationshipRule(forSlot:)) : nil
    }
  }

  init(_ request: SyncRequest, _ parent: ParentScope?) {
    node = request.plan.rootNode
    filter = request.settings.filter
    self.parent = parent
    tree = Tree(node)
  }

  /// Whether the scope of a request may be another one than every object of the entity.
  static func mayBePartial(_ request: SyncRequest) -> Bool {
    request.setup.parent != nil || request.settings.filter != nil || request.plan.rootNode.mayBeTree
  }

  /// The scope as it follows from the claims so far: a payload that nests objects is a tree.
  func scope(_ state: Claims.State) -> Scope {
    if let parent {
      if case .reference = parent.way { return Scope(kind: .children) }
      return Scope(kind: parent.slot(of: node) == nil ? .sharedMembers : .members)
    }
    if let filter { return Scope(kind: .filter(filter)) }
    if let tree, tree.isDeclared || state.nestsChildren {
      return Scope(kind: .roots(slot: tree.slot))
    }
    return Scope(kind: .all)
  }

  /// The objects in scope; nil is every object of the entity.
  func rows(in transaction: StoreTransaction, _ control: SyncControl) throws -> [Int64]? {
    func read(_ selection: RowSelection) throws -> [Int64] {
      var rows: [Int64] = []
      try transaction.scan(node.entity, selection, slots: []) { cursor in
        rows.append(cursor.row)
        if rows.count % SyncControl.stride == 0 { try control.checkpoint() }
      }
      return rows
    }
    let filtered = try filter.map { try read(.filter($0)) }
    if let parent {
      guard let slot = parent.slot(of: node) else { return filtered }
      let children = try read(.references(slot: slot, [parent.parent.row]))
      return filtered.map { Set(children).intersection($0).sorted() } ?? children
    }
    return try filtered ?? tree.map { try read(.empty(slot: $0.slot)) }
  }
}
