import SyncCore

/// What fingerprints need of the stager, and what it needs of them.
extension Stager {
  /// Stages the next item of the payload, and notes what a fingerprint of it has to know.
  func stageRootItem(
    _ source: ItemSource, text: UnsafeRawBufferPointer, fingerprint: ContentFingerprint
  ) throws {
    guard let trace else { return try stageRootItem(source, text: text) }
    let noteCount = report.noteCount
    let usable = usableItemCount
    trace.begin()
    try stageRootItem(source, text: text)
    // What it refers to is noted in any case, so that nobody else counts as unchanged who has that.
    let isGood = report.noteCount == noteCount && usableItemCount > usable
    trace.end(isGood ? fingerprint : nil, length: text.count)
  }

  /// Passes over items that are as they were, the last of which is that of the latest record.
  func passOver(_ count: Int = 1, _ set: FingerprintSet?) {
    itemCount += count
    guard count > 0, plan.rootNode.explicit != nil, let set else { return }
    passedItems.append((rootItems.count, set.next - count..<set.next))
  }

  /// Tells the report what matched items would have told it, had they been read.
  func replay(_ set: FingerprintSet) {
    for (shape, count) in zip(set.shapes, set.shapeCounts()) where count > 0 {
      for filled in shape.filled { readers[filled.node].scratch.replay(filled.rules) }
      for unused in shape.unused {
        readers[unused.node].scratch.replay(unused.key, count: unused.count * count)
      }
    }
  }

  /// Whether there are more unused keys than are counted, so that their order matters.
  var hasUncountedKeys: Bool { readers.contains { $0.scratch.isFull } }
}
