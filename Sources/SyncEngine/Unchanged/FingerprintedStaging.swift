import SyncCore

/// Stages the items of a part whose fingerprints were looked at.
struct FingerprintedStaging {
  let stager: Stager

  /// Nil when the sync keeps none.
  let set: FingerprintSet?

  /// Stages the next item of the payload, and notes what a fingerprint of it has to know.
  func stage(
    _ source: ItemSource, text: UnsafeRawBufferPointer, fingerprint: ContentFingerprint
  ) throws {
    guard let trace = stager.trace else { return try stager.stageRootItem(source, text: text) }
    let noteCount = stager.report.noteCount
    let usable = stager.part.items.usable
    trace.begin()
    try stager.stageRootItem(source, text: text)
    // What it refers to is noted in any case, so that nobody else counts as unchanged who has that.
    let isGood = stager.report.noteCount == noteCount && stager.part.items.usable > usable
    trace.end(isGood ? fingerprint : nil, length: text.count)
  }

  /// Passes over items that are as they were, the last of which is that of the latest record.
  func passOver(_ count: Int = 1) {
    stager.part.items.end += count
    guard count > 0, stager.plan.rootNode.listsObjects, let set else { return }
    stager.part.items.passed.append((stager.part.items.listed.count, set.next - count..<set.next))
  }

  /// Tells the report what matched items would have told it, had they been read.
  func replay() {
    guard let set else { return }
    let readers = stager.readers.all
    for (shape, count) in zip(set.shapes, set.shapeCounts()) where count > 0 {
      for filled in shape.filled { readers[filled.node].scratch.replay(filled.rules) }
      for unused in shape.unused {
        readers[unused.node].scratch.replay(unused.key, count: unused.count * count)
      }
    }
  }
}
