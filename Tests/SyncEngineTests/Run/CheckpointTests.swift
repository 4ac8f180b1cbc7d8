import SyncStack
import TestSupport
import Testing

/// Every loop over the items of a payload or the rows of a store passes checkpoints, so that no
/// phase works for long without asking whether it was cancelled. The checkpoints of a payload of
/// twice the size tell how many loops do so: each is one more for every 256 objects more.
@Suite struct CheckpointTests {
  private static let size = 512

  enum Call: CaseIterable { case alone, page }

  /// A stored note of every user stays, one goes, one comes; a task moves.
  private func payload(_ users: Int, isStored: Bool) -> String {
    let items = (1...users).map { id in
      let other = isStored ? id + 100_000 : id + 200_000
      return """
        {"id": \(id), "name": "\(isStored ? "a" : "b")", "tags_ids": [\(id)],
         "notes": [{"id": \(id)}, {"id": \(other)}], "tasks": [{"id": \(isStored ? id : id % users + 1)}]}
        """
    }
    return "[" + items.joined(separator: ",") + "]"
  }

  /// Checkpoints by the phase that began before them.
  private func checkpoints(_ call: Call, users: Int) throws -> [SyncPhase: Int] {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(payload(users, isStored: true), "User")
    let control = SyncControl()
    let starts = Locked<[(phase: SyncPhase, count: Int)]>([])
    control.observe { [unowned control] step in
      guard step.begins else { return }
      starts.withLock { $0.append((step.phase, control.checkpointCount)) }
    }
    let user = try bench.model.requireEntity(named: "User")
    _ = try bench.syncWithChanges(
      payload(users, isStored: false), "User",
      { if call == .page { $0.session = SessionState(entity: user, name: "daily") } },
      control: control)
    let begun = starts.withLock { $0 }
    let ends = begun.dropFirst().map(\.count) + [control.checkpointCount]
    return Dictionary(uniqueKeysWithValues: zip(begun, ends).map { ($0.phase, $1 - $0.count) })
  }

  @Test(arguments: Call.allCases) func noLoopIsWithoutCheckpoint(_ call: Call) throws {
    let small = try checkpoints(call, users: Self.size)
    let large = try checkpoints(call, users: Self.size * 2)
    let added = large.merging(small) { $0 - $1 }
    let loops = added.mapValues { $0 / (Self.size / 256) }
    #expect(loops[SyncPhase.match, default: 0] >= 28, "\(loops)")
    #expect(loops[SyncPhase.link, default: 0] >= (call == .page ? 8 : 4), "\(loops)")
  }
}
