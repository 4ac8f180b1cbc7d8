import SyncCore

/// Who reads objects.
struct StagingReaders {
  /// The nodes of the plan.
  var nodes: [StagingNode] = []

  /// Those that sources made of nested objects, and those of them that can be found again.
  private(set) var nested: [StagingNode] = []
  private var keyed: [NodeKey: StagingNode] = [:]

  /// Those that were known before anything was read: the nodes, and what sources said that were asked before.
  private var nestedBefore = 0
  var all: [StagingNode] { nodes + nested.prefix(nestedBefore) }

  subscript(key: NodeKey) -> StagingNode? { keyed[key] }

  mutating func add(_ node: StagingNode, _ key: NodeKey?) {
    nested.append(node)
    if let key { keyed[key] = node }
  }

  /// Adds one that a source gave before anything was read.
  mutating func addBefore(_ node: StagingNode) {
    nested.append(node)
    nestedBefore += 1
  }

  /// Whether a nested source reads objects into the batch.
  func readNested(_ batch: Batch) -> Bool { nested.contains { $0.batch === batch } }
}

extension Stager {
  /// Makes the nodes of all that sources say, before any of it is read.
  func prepare(_ resolved: ResolvedSources) {
    for reader in resolved.readers {
      let identity = reader.node.identity
      guard !identity.isEmpty, identity != batches[reader.number].node.identity else { continue }
      _ = identify(reader.number, by: identity)
    }
    for reader in resolved.readers.dropFirst(readers.nodes.count) {
      readers.addBefore(
        StagingNode(batches[reader.number], plan: reader.node, among: batches, arena))
    }
    let all = readers.all
    for (number, reader) in resolved.readers.enumerated() {
      for (rule, other) in reader.below { all[number].links[rule].destination = all[other] }
    }
  }

  /// Has the objects of a batch, of which there are none yet, told apart by some attributes.
  func identify(_ number: Int, by slots: [Int]) -> Batch {
    let old = batches[number]
    let batch = Batch(
      old.node.identified(by: slots), number: number, old.origins.emptied,
      keepsOrders: old.orders != nil)
    batches[number] = batch
    readers.nodes[number] = StagingNode(batch, plan: batch.node, among: batches, arena)
    if !old.occurrences.isEmpty { rootLink?.scope.prepare(self) }
    return batch
  }
}
