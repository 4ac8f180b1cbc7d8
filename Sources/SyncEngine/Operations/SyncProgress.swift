import Foundation
import Synchronization

/// Turns the steps of a sync into a `Progress`: one child per phase, with the phase's own units (bytes
/// while the payload is read, records afterwards), weighted by what the phases cost.
///
/// Protected by a lock; called on the thread of the sync.
final class SyncProgress: Sendable {
  /// What users observe: 100 units over all phases.
  let progress: Progress
  private let children: [Progress]
  private let latest = Mutex<SyncStep?>(nil)

  /// The step that was reported last; nil before the first.
  var latestStep: SyncStep? { latest.withLock { $0 } }

  /// Share of each phase in a sync that inserts everything, in percent.
  private static let weights: [SyncPhase: Int64] = [
    .parse: 30, .match: 25, .insert: 25, .update: 8, .link: 4, .delete: 4, .save: 4,
  ]

  init() {
    let progress = Progress(totalUnitCount: 100)
    progress.isPausable = false
    progress.isCancellable = true
    children = SyncPhase.allCases.map { phase in
      let child = Progress(totalUnitCount: 1)
      progress.addChild(child, withPendingUnitCount: SyncProgress.weights[phase] ?? 0)
      return child
    }
    self.progress = progress
  }

  /// Follows one step.
  func follow(_ step: SyncStep) {
    latest.withLock { $0 = step }
    let position = step.phase.position
    if step.begins {
      complete(before: position)
      children[position].totalUnitCount = Int64(max(step.total, 1))
    } else {
      children[position].completedUnitCount = Int64(min(step.completed, max(step.total, 1)))
    }
  }

  /// Closes all phases.
  func finish() {
    complete(before: children.count)
  }

  private func complete(before position: Int) {
    for child in children[..<position] where child.completedUnitCount < child.totalUnitCount {
      child.completedUnitCount = child.totalUnitCount
    }
  }
}
