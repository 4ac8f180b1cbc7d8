import Foundation
import Measuring
import SyncStack
import Synchronization

/// Cancels syncs of many objects at random moments of each phase, and measures how long they take
/// to end: from `cancel()` until `waitUntilFinished()` returns, rollback and freeing of memory
/// included; by the clock, and in processor time of the whole process, which other programs do not
/// disturb.
///
/// A sync that was past the point of no return when it was cancelled succeeds; those are listed as
/// *committed*: the time they took is the length of the one step that cannot be stopped.
struct CancelTrial {
  private let users: Int
  private let rounds: Int

  init(users: Int, rounds: Int) {
    self.users = users
    self.rounds = rounds
  }

  private struct Sample {
    let phase: SyncPhase
    let milliseconds: Double
    let processorMilliseconds: Double
    let isCommitted: Bool
  }

  /// - Parameters:
  ///   - name: The only case to measure; nil is all.
  ///   - phase: The only phase to cancel in; nil is each. In the last one some cancellations come
  ///     after its usual length, to meet the commit.
  func run(_ name: String?, in phase: SyncPhase? = nil) throws {
    say("| \(users) objects | phase | cancelled | median ms | 90 % ms | max ms | processor max |")
    say("|---|---|---:|---:|---:|---:|---:|")
    for one in try CancelCase.all(users, named: name) where name == nil || name == one.name {
      // One process each would be fairer to the later cases; a store of their own has to do.
      let folder = try TrialFolder()
      let stack = try DataStack(
        model: try TrialModel.everything(), store: .sqlite(folder.file("store.sqlite")))
      try one.prepare(stack)
      report(one.name, try measure(one, stack, phase))
      try stack.close()
    }
  }

  private func measure(
    _ one: CancelCase, _ stack: DataStack, _ only: SyncPhase?
  ) throws -> [Sample] {
    let trial = try one.sync(stack)
    trial.isDryRun = true
    stack.syncQueue.addOperations([trial], waitUntilFinished: true)
    guard let durations = try trial.result?.get().phaseDurations else { return [] }
    var samples: [Sample] = []
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<rounds {
      for phase in SyncPhase.allCases where only == nil || only == phase {
        let length = durations[phase.rawValue] ?? 0
        let span = only == .save ? 1.2 : 1
        let delay = Double.random(in: 0...span, using: &generator) * length
        guard let sample = cancel(try one.sync(stack), stack, in: phase, after: delay) else {
          continue
        }
        samples.append(sample)
        // Changes that a late cancel let through would make the next round another one.
        if sample.isCommitted { try one.restore(stack) }
      }
    }
    return samples
  }

  /// Cancels a sync some time after a phase has begun.
  private func cancel(
    _ sync: Sync, _ stack: DataStack, in phase: SyncPhase, after delay: Double
  ) -> Sample? {
    let current = CurrentPhase()
    let updates = sync.progressUpdates
    Task { for await update in updates { current.phase = update.phase ?? .parse } }
    stack.syncQueue.addOperation(sync)
    while current.phase < phase, !sync.isFinished { usleep(50) }
    usleep(UInt32(delay * 1e6))
    guard !sync.isFinished else { return nil }
    let start = ContinuousClock.now
    let startOfWork = clock()
    let reached = current.phase
    sync.cancel()
    sync.waitUntilFinished()
    let work = Double(clock() - startOfWork) / Double(CLOCKS_PER_SEC) * 1_000
    let time = start.duration(to: .now) / .milliseconds(1)
    let isCommitted = (try? sync.result?.get()) != nil
    return Sample(
      phase: reached, milliseconds: time, processorMilliseconds: work, isCommitted: isCommitted)
  }

  private func report(_ name: String, _ samples: [Sample]) {
    for phase in SyncPhase.allCases {
      line(name, phase.rawValue, samples.filter { $0.phase == phase && !$0.isCommitted })
    }
    line(name, "committed", samples.filter(\.isCommitted))
  }

  private func line(_ name: String, _ phase: String, _ samples: [Sample]) {
    let times = samples.map(\.milliseconds).sorted()
    guard let last = times.last else { return }
    func at(_ share: Double) -> String { text(times[Int(Double(times.count - 1) * share)]) }
    func text(_ time: Double) -> String { String(format: "%.1f", time) }
    let work = text(samples.map(\.processorMilliseconds).max() ?? 0)
    say(
      "| \(name) | \(phase) | \(times.count) | \(at(0.5)) | \(at(0.9)) | \(text(last)) | \(work) |")
  }
}

/// The phase that a sync is in, as far as it has said so.
private final class CurrentPhase: Sendable {
  private let position = Atomic<Int>(0)

  var phase: SyncPhase {
    get { SyncPhase.allCases[position.load(ordering: .relaxed)] }
    set {
      position.store(SyncPhase.allCases.firstIndex(of: newValue) ?? 0, ordering: .relaxed)
    }
  }
}
