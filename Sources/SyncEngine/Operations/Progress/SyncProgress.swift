import Foundation
import SyncCore

/// Follows the steps of a sync and tells them, as each phase begins and ten times a second inside
/// one: to a `Progress`, to sequences of ``SyncProgressUpdate``, and to the caller, which posts the
/// notifications.
///
/// What shows the steps is made on demand, and is then as far as the sync is. Foundation's first
/// objects cost a program as much as the rest of a small sync.
///
/// Protected by a lock, which is not held during calls out; followed on the thread of the sync,
/// asked for on any.
final class SyncProgress: Sendable {
  private struct State {
    var units = PhaseUnits()
    var rate: ProgressRate
    var isFinished = false
    var tree: ProgressTree?
    var updates: Broadcast<SyncProgressUpdate>?

    mutating func update(at now: Duration) -> SyncProgressUpdate {
      rate.update(fraction: units.fraction, at: now, isFinished: isFinished)
    }

    /// Gives what shows the present state; nil when there is nothing that would.
    mutating func showing(at now: Duration) -> Showing? {
      guard tree != nil || updates != nil else { return nil }
      return Showing(tree: tree, updates: updates, phases: units.phases, update: update(at: now))
    }
  }

  /// A state, and what shows it.
  private struct Showing {
    let tree: ProgressTree?
    let updates: Broadcast<SyncProgressUpdate>?
    let phases: [PhaseUnits.Units]
    let update: SyncProgressUpdate

    func show() {
      tree?.show(phases, update)
      guard let updates else { return }
      if update.isFinished { updates.finish(update) } else { updates.yield(update) }
    }
  }

  private let state = Locked(State(rate: ProgressRate(now: .zero)))
  private let origin = ContinuousClock.now

  private var now: Duration { origin.duration(to: .now) }

  // MARK: - Asking

  /// Where the sync is; nil before the first step.
  var latestStep: SyncStep? { state.withLock { $0.rate.latest } }

  /// Share of the whole sync that is done, from 0 to 1.
  var fractionCompleted: Double { state.withLock { $0.units.fraction } }

  /// The `Progress` that users observe: 100 units over all phases.
  var progress: Progress { progress {} }

  /// The `Progress` that users observe; cancelling it calls the handler of the first caller.
  ///
  /// - Parameter joinsCurrent: Whether one that is made becomes a part of the caller's current
  ///   progress.
  func progress(
    joinsCurrent: Bool = false, onCancel: @escaping @Sendable () -> Void
  ) -> Progress {
    if let tree = state.withLock({ $0.tree }) { return tree.progress }
    let made = ProgressTree(joinsCurrent: joinsCurrent)
    made.progress.cancellationHandler = onCancel
    let now = now
    // The new one has no observers yet, so nothing is called while the lock is held.
    return state.withLock { state in
      if let tree = state.tree { return tree.progress }
      made.show(state.units.phases, state.update(at: now))
      state.tree = made
      return made.progress
    }
  }

  /// Makes a sequence that ends with the sync; one that is asked for afterwards has the last
  /// update.
  func makeStream() -> AsyncStream<SyncProgressUpdate> {
    let now = now
    let updates = state.withLock { state in
      if let updates = state.updates { return updates }
      let updates = Broadcast<SyncProgressUpdate>()
      state.updates = updates
      if state.isFinished { updates.finish(state.update(at: now)) }
      return updates
    }
    return updates.makeStream()
  }

  /// Whether the sync was cancelled by its `Progress`.
  var isCancelled: Bool { state.withLock { $0.tree }?.progress.isCancelled ?? false }

  // MARK: - Following

  /// Follows one step.
  ///
  /// - Returns: Whether it was told.
  func follow(_ step: SyncStep) -> Bool { follow(step, at: now) }

  /// - Parameter now: The time since the sync was made.
  func follow(_ step: SyncStep, at now: Duration) -> Bool {
    let (isDue, showing) = state.withLock { state in
      state.units.follow(step)
      guard state.rate.follow(step, at: now) else { return (false, Showing?.none) }
      return (true, state.showing(at: now))
    }
    showing?.show()
    return isDue
  }

  /// Tells the end.
  ///
  /// - Parameter isComplete: Whether all phases are done.
  func finish(isComplete: Bool) {
    let now = now
    let showing = state.withLock { state in
      if isComplete { state.units.complete() }
      state.isFinished = true
      return state.showing(at: now)
    }
    showing?.show()
  }
}

/// The objects of Foundation that show a sync: one for the whole, and a child for each phase.
///
/// A child finishes once: Foundation adds its share to the parent each time that one does. So until
/// the phase is over it stays one unit short.
private struct ProgressTree: Sendable {
  let progress: Progress
  private let children: [Progress]

  init(joinsCurrent: Bool) {
    let progress =
      joinsCurrent
      ? Progress(totalUnitCount: 100) : Progress.discreteProgress(totalUnitCount: 100)
    progress.isPausable = false
    progress.isCancellable = true
    children = SyncPhase.allCases.map { phase in
      let child = Progress.discreteProgress(totalUnitCount: 1)
      progress.addChild(child, withPendingUnitCount: PhaseUnits.weight(of: phase))
      return child
    }
    self.progress = progress
  }

  func show(_ phases: [PhaseUnits.Units], _ update: SyncProgressUpdate) {
    for (child, units) in zip(children, phases)
    where child.completedUnitCount < child.totalUnitCount {
      if units.total > child.totalUnitCount { child.totalUnitCount = units.total }
      if units.completed > child.completedUnitCount { child.completedUnitCount = units.completed }
    }
    if let throughput = update.throughput {
      progress.setUserInfoObject(Int(throughput), forKey: .throughputKey)
    }
    if let left = update.estimatedTimeRemaining {
      progress.setUserInfoObject(left, forKey: .estimatedTimeRemainingKey)
    }
  }
}
