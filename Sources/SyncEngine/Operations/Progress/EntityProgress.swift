import Foundation
import SyncCore

/// Turns the steps of a sync into one `Progress` for each entity: its units are the objects of the
/// payload, nested ones among them.
///
/// A payload that is worked off in parts says more and more how many there are, so those totals grow.
/// Protected by a lock; called on the thread of the sync.
final class EntityProgress: Sendable {
  private struct State {
    var tallies: [Int: ObjectTally] = [:]
    var progresses: [Int: Progress] = [:]
    var phase = SyncPhase.parse
  }

  private let state = Locked(State())

  /// The progress of an entity's objects, as far as the sync has counted them.
  func progress(of entity: EntityDescription) -> Progress {
    state.withLock { state in
      if let progress = state.progresses[entity.index] { return progress }
      let progress = Progress(totalUnitCount: 0)
      progress.isPausable = false
      progress.isCancellable = false
      state.progresses[entity.index] = progress
      EntityProgress.show(state.tallies[entity.index], on: progress)
      return progress
    }
  }

  /// Takes in how many objects of each entity a part of the payload has.
  func begin(_ counts: [Int: Int]) {
    change { state in
      for entity in state.tallies.keys { state.tallies[entity]?.endPart() }
      for (entity, count) in counts where count > 0 {
        state.tallies[entity, default: ObjectTally()].beginPart(count)
      }
    }
  }

  /// Follows one step.
  func follow(_ step: SyncStep) {
    change { state in
      if step.begins, step.phase != state.phase {
        for entity in state.tallies.keys { state.tallies[entity]?.end(before: step.phase) }
        state.phase = step.phase
      }
      if let entity = step.entity { state.tallies[entity]?.advance(step.phase, to: step.done) }
    }
  }

  /// Everything is done.
  func finish() {
    begin([:])
  }

  private func change(_ body: (inout State) -> Void) {
    // Whoever observes a progress may ask for another one, so the lock is not held meanwhile.
    let shown = state.withLock { state in
      body(&state)
      return state.progresses.map { ($0.value, state.tallies[$0.key]) }
    }
    for (progress, tally) in shown { EntityProgress.show(tally, on: progress) }
  }

  private static func show(_ tally: ObjectTally?, on progress: Progress) {
    guard let tally else { return }
    if progress.totalUnitCount < tally.total { progress.totalUnitCount = Int64(tally.total) }
    if progress.completedUnitCount < tally.completed {
      progress.completedUnitCount = Int64(tally.completed)
    }
  }
}

/// How many objects of one entity there are, and how far they are: an object is done when it was matched,
/// written and linked, so each of those counts for a part of it.
struct ObjectTally {
  /// Objects that the payload has, as far as it was read.
  private(set) var total = 0
  /// Those of parts that are through.
  private var before = 0
  /// How many each phase has done, by its position.
  private var done = Array(repeating: 0, count: SyncPhase.allCases.count)

  /// What a phase costs, as for the whole sync.
  private static let weights: [(phase: SyncPhase, weight: Int)] = [
    (.match, 25), (.insert, 25), (.update, 8), (.link, 4),
  ]

  private static let whole = weights.reduce(0) { $0 + $1.weight }

  private var part: Int { total - before }

  /// Objects that are done.
  var completed: Int {
    let sum = ObjectTally.weights.reduce(0) { $0 + $1.weight * done[$1.phase.position] }
    return before + sum / ObjectTally.whole
  }

  mutating func beginPart(_ count: Int) {
    endPart()
    total += count
  }

  mutating func endPart() {
    before = total
    for phase in done.indices { done[phase] = 0 }
  }

  mutating func advance(_ phase: SyncPhase, to count: Int) {
    done[phase.position] = min(max(done[phase.position], count), part)
  }

  mutating func end(before phase: SyncPhase) {
    for (earlier, _) in ObjectTally.weights where earlier < phase {
      done[earlier.position] = part
    }
  }
}
