import SyncCore

/// Members that stand in one list more than once: an object is in a list once, so that something of
/// the payload is lost.
extension Stager {
  /// Notes targets that the latest list names twice. Most lists are short, or name new keys, which
  /// are numbered as they come.
  @inline(__always)
  func noteRepeats(from first: Int, _ link: StagingLink, of owner: Int32, in batch: Batch) {
    let count = targets.count - first
    guard count > 1 else { return }
    if count <= 8 {
      for index in first + 1..<targets.count {
        for earlier in first..<index where targets[earlier] == targets[index] {
          return noteRepeat(targets[index], link, of: owner, in: batch)
        }
      }
    } else {
      for index in first + 1..<targets.count {
        let (one, next) = (targets[index - 1], targets[index])
        if next >= 0 ? next <= one : next >= one {
          return noteRepeat(from: first, link, of: owner, in: batch)
        }
      }
    }
  }

  private func noteRepeat(from first: Int, _ link: StagingLink, of owner: Int32, in batch: Batch) {
    var seen = Set<Int32>()
    for target in targets[first...] where !seen.insert(target).inserted {
      return noteRepeat(target, link, of: owner, in: batch)
    }
  }

  private func noteRepeat(
    _ target: Int32, _ link: StagingLink, of owner: Int32, in batch: Batch
  ) {
    let destination = batches[link.rule.node]
    let cells =
      target >= 0 ? UnsafePointer(destination.block[target]) : destination.references[~target]
    let key = batch.key(batch.cells(owner))
    report.note(
      .repeatedItem, batch.entity, property: link.rule.name, key: key.description,
      path: path.description,
      message: """
        “\(link.rule.name)” of \(batch.entity.name) \(key) names \(destination.entity.name) \(destination.key(cells)) \
        more than once, and an object is in a list once. If each place counts, make the places objects of their own.
        """)
  }
}
