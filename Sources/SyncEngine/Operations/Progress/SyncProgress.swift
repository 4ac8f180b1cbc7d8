import Foundation
import SyncCore

/// Turns the steps of a sync into a `Progress`: one child per phase, with the phase's own units
/// (bytes while the payload is read, records afterwards), weighted by the costs of the phases.
///
/// 1. It never goes back, and is complete when the sync has succeeded, not before.
/// 2. A child finishes once: Foundation adds its share to the parent each time that one does. So
///    until the phase is over it stays one unit short.
/// 3. A payload that is worked off in parts goes through the phases from parse to link again and
///    again. They then go on together, by the bytes that were read.
/// 4. The objects of Foundation are made on demand, and are then as far as the sync is: a program's
///    first ones cost as much as the rest of a small sync.
///
/// Protected by a lock; followed on the thread of the sync, asked for on any.
final class SyncProgress: Sendable {
  private let state = Locked(State())

  /// How far one phase is.
  struct Units {
    var completed: Int64 = 0
    var total: Int64 = 1

    /// Never complete, and never back.
    mutating func move(to reached: Int, of all: Int) {
      guard completed < total else { return }
      total = max(Int64(all), total)
      completed = max(min(Int64(reached), total - 1), completed)
    }

    mutating func complete() { completed = total }
  }

  private struct State {
    var latest: SyncStep?
    var isInParts = false
    var units = Array(repeating: Units(), count: SyncPhase.allCases.count)
    var estimate: (throughput: Int?, timeRemaining: Double?) = (nil, nil)
    var tree: ProgressTree?

    /// Whether a good part of the payload was not read when the first part of it is matched.
    var hasMoreToRead: Bool {
      let parse = units[SyncPhase.parse.position]
      return parse.completed < parse.total / 10 * 9
    }

    mutating func complete(before position: Int) {
      for index in 0..<position { units[index].complete() }
    }
  }

  /// The step that was reported last; nil before the first.
  var latestStep: SyncStep? { state.withLock { $0.latest } }

  /// Share of each phase in a sync that inserts everything, in percent.
  static func weight(of phase: SyncPhase) -> Int64 {
    switch phase {
    case .parse: 30
    case .match, .insert: 25
    case .update: 8
    case .link, .delete, .save: 4
    }
  }

  // MARK: - Asking

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
    // The new one has no observers yet, so nothing is called while the lock is held.
    return state.withLock { state in
      if let tree = state.tree { return tree.progress }
      made.show(state.units)
      made.show(state.estimate.throughput, state.estimate.timeRemaining)
      state.tree = made
      return made.progress
    }
  }

  /// Whether the sync was cancelled by its `Progress`.
  var isCancelled: Bool { state.withLock { $0.tree }?.progress.isCancelled ?? false }

  /// Share of the whole sync that is done, from 0 to 1.
  var fractionCompleted: Double {
    state.withLock { state in
      var sum = 0.0
      for (phase, units) in zip(SyncPhase.allCases, state.units) {
        let share = Double(units.completed) / Double(units.total)
        sum += Double(SyncProgress.weight(of: phase)) * share
      }
      return sum / 100
    }
  }

  // MARK: - Following

  /// Follows one step.
  func follow(_ step: SyncStep) {
    change { state in
      state.latest = step
      if step.phase == .match, step.begins { state.isInParts = state.hasMoreToRead }
      guard state.isInParts, step.phase <= .link else {
        if step.begins { state.complete(before: step.phase.position) }
        return state.units[step.phase.position].move(to: step.completed, of: step.total)
      }
      guard step.phase == .parse else { return }
      for position in SyncPhase.parse.position...SyncPhase.link.position {
        state.units[position].move(to: step.completed, of: step.total)
      }
    }
  }

  /// Takes in how fast the sync is, and how long it will take in seconds.
  func follow(throughput: Int?, timeRemaining: Double?) {
    let tree = state.withLock { state in
      if let throughput { state.estimate.throughput = throughput }
      if let timeRemaining { state.estimate.timeRemaining = timeRemaining }
      return state.tree
    }
    tree?.show(throughput, timeRemaining)
  }

  /// Closes all phases.
  func finish() {
    change { $0.complete(before: $0.units.count) }
  }

  private func change(_ body: (inout State) -> Void) {
    let tree = state.withLock { state in
      body(&state)
      return state.tree
    }
    // Mostly there is none; and no other thread changes the units meanwhile.
    if let tree { tree.show(state.withLock { $0.units }) }
  }
}

/// The objects of Foundation that show a sync: one for the whole, and a child for each phase.
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
      progress.addChild(child, withPendingUnitCount: SyncProgress.weight(of: phase))
      return child
    }
    self.progress = progress
  }

  func show(_ units: [SyncProgress.Units]) {
    for (child, units) in zip(children, units)
    where child.completedUnitCount < child.totalUnitCount {
      if units.total > child.totalUnitCount { child.totalUnitCount = units.total }
      if units.completed > child.completedUnitCount { child.completedUnitCount = units.completed }
    }
  }

  func show(_ throughput: Int?, _ timeRemaining: Double?) {
    if let throughput { progress.setUserInfoObject(throughput, forKey: .throughputKey) }
    if let timeRemaining {
      progress.setUserInfoObject(timeRemaining, forKey: .estimatedTimeRemainingKey)
    }
  }
}

/// Says which steps of a sync are passed on: those at which a phase begins, and of the others as
/// many as a reader can follow. There is one every few hundred objects, several thousand in a
/// second.
///
/// A class, because a lock that a closure holds is a type that the runtime would have to make
/// first.
final class StepPace: Sendable {
  private let begin = ContinuousClock.now
  private let lastTold = Locked(Duration.zero)

  /// Time between two steps inside a phase.
  static let interval = Duration.milliseconds(20)

  func isDue(_ step: SyncStep) -> Bool {
    isDue(step, at: begin.duration(to: .now))
  }

  func isDue(_ step: SyncStep, at now: Duration) -> Bool {
    lastTold.withLock { lastTold in
      guard step.begins || now - lastTold >= StepPace.interval else { return false }
      lastTold = now
      return true
    }
  }
}
