import SyncCore

/// Who reads nested objects: the nodes of the plan, and those that sources make of theirs.
extension Stager {
  /// Makes the nodes of all that sources say, before any of it is read.
  func prepare(_ resolved: ResolvedSources) {
    for reader in resolved.readers {
      let identity = reader.node.identity
      guard !identity.isEmpty, identity != batches[reader.number].node.identity else { continue }
      _ = identify(reader.number, by: identity)
    }
    for reader in resolved.readers.dropFirst(nodes.count) {
      nestedNodes.append(
        StagingNode(batches[reader.number], plan: reader.node, among: batches, arena))
    }
    let readers = nodes + nestedNodes
    for (number, reader) in resolved.readers.enumerated() {
      for (rule, other) in reader.below {
        readers[number].links[rule].destination = readers[other]
      }
    }
  }

  func register(_ node: StagingNode, _ key: NodeKey?) {
    nestedNodes.append(node)
    if let key { keyedNodes[key] = node }
  }

  /// Whether a nested source reads objects into the batch.
  func isRead(_ batch: Batch) -> Bool { nestedNodes.contains { $0.batch === batch } }

  /// Has the objects of a batch, of which there are none yet, told apart by some attributes.
  func identify(_ number: Int, by slots: [Int]) -> Batch {
    let old = batches[number]
    let batch = Batch(
      node: old.node.identified(by: slots), number: number, keepsSources: old.sources != nil,
      keepsItems: old.items != nil, keepsOrders: old.orders != nil)
    batches[number] = batch
    nodes[number] = StagingNode(batch, plan: batch.node, among: batches, arena)
    if !old.occurrences.isEmpty { parentScope?.prepare(self) }
    return batch
  }
}
