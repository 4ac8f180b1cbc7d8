import Foundation
import SyncCore

/// Tells how far an import is: to `Progress`, and to the sequences that were asked for.
final class ImportTracker: Sendable {
  private let updates = Broadcast<ImportProgress>()
  private let shown = Progress.discreteProgress(totalUnitCount: 1)

  func makeStream() -> AsyncStream<ImportProgress> { updates.makeStream() }

  /// The `Progress` that users observe; cancelling it calls the handler of the last caller.
  func progress(onCancel: @escaping @Sendable () -> Void) -> Progress {
    shown.isPausable = false
    shown.cancellationHandler = onCancel
    return shown
  }

  /// Tells the state of the feeds. `Progress` is never complete before the end, and never goes
  /// back.
  func follow(_ queues: [FeedQueue]) {
    let progress = ImportProgress(
      feeds: queues.map { queue in
        ImportProgress.FeedProgress(
          name: queue.feed.name, storedPages: queue.kept.pages,
          knownPages: queue.kept.pages + queue.openCount, items: queue.items,
          hasEnded: queue.hasEnded)
      })
    shown.totalUnitCount = max(Int64(progress.knownPages) + 1, shown.totalUnitCount)
    shown.completedUnitCount = max(Int64(progress.storedPages), shown.completedUnitCount)
    updates.yield(progress)
  }

  func finish(isComplete: Bool) {
    if isComplete { shown.completedUnitCount = shown.totalUnitCount }
    updates.finish()
  }
}
