import Foundation
import SyncCore

/// Turns the steps of a sync into a `Progress`: one child per phase, with the phase's own units (bytes
/// while the payload is read, records afterwards), weighted by what the phases cost.
///
/// 1. It never goes back, and is complete when the sync has succeeded, not before.
/// 2. A child finishes once: Foundation adds its share to the parent each time that one does. So until
///    the phase is over it stays one unit short.
/// 3. A payload that is worked off in parts goes through the phases from parse to link again and again.
///    They then go on together, by the bytes that were read.
///
/// Protected by a lock; called on the thread of the sync.
final class SyncProgress: Sendable {
  /// What users observe: 100 units over all phases.
  let progress: Progress
  private let children: [Progress]
  private let state = Locked(State())

  private struct State {
    var latest: SyncStep?
    var isInParts = false
  }

  /// The step that was reported last; nil before the first.
  var latestStep: SyncStep? { state.withLock { $0.latest } }

  /// Share of each phase in a sync that inserts everything, in percent.
  private static func weight(of phase: SyncPhase) -> Int64 {
    switch phase {
    case .parse: 30
    case .match, .insert: 25
    case .update: 8
    case .link, .delete, .save: 4
    }
  }

  init() {
    let progress = Progress(totalUnitCount: 100)
    progress.isPausable = false
    progress.isCancellable = true
    children = SyncPhase.allCases.map { phase in
      let child = Progress(totalUnitCount: 1)
      progress.addChild(child, withPendingUnitCount: SyncProgress.weight(of: phase))
      return child
    }
    self.progress = progress
  }

  /// Follows one step.
  func follow(_ step: SyncStep) {
    let isInParts = state.withLock { state in
      state.latest = step
      if step.phase == .match, step.begins { state.isInParts = hasMoreToRead }
      return state.isInParts
    }
    guard isInParts, step.phase <= .link else {
      if step.begins { complete(before: step.phase.position) }
      return move(step.phase.position, to: step.completed, of: step.total)
    }
    guard step.phase == .parse else { return }
    for position in SyncPhase.parse.position...SyncPhase.link.position {
      move(position, to: step.completed, of: step.total)
    }
  }

  /// Closes all phases.
  func finish() {
    complete(before: children.count)
  }

  /// Whether a good part of the payload was not read when the first part of it is matched.
  private var hasMoreToRead: Bool {
    let parse = children[SyncPhase.parse.position]
    return parse.completedUnitCount < parse.totalUnitCount / 10 * 9
  }

  private func move(_ position: Int, to completed: Int, of total: Int) {
    let child = children[position]
    guard child.completedUnitCount < child.totalUnitCount else { return }
    let total = max(Int64(total), child.totalUnitCount)
    if total > child.totalUnitCount { child.totalUnitCount = total }
    let reached = min(Int64(completed), total - 1)
    if reached > child.completedUnitCount { child.completedUnitCount = reached }
  }

  private func complete(before position: Int) {
    for child in children[..<position] where child.completedUnitCount < child.totalUnitCount {
      child.completedUnitCount = child.totalUnitCount
    }
  }
}
