import Dispatch
import SyncCore

/// What follows a commit is told here: first in, first out, on a queue that nothing of ours waits
/// for. A stack has one for observers, of which a slow one delays those behind it, never a sync, a
/// save or a context; and one for contexts.
///
/// Posts are delivered together, a millisecond after the first of them: a sync of one object posts
/// ten times within a tenth of a millisecond, and to wake a thread for each of them would take
/// longer than a quarter of the sync. After a delivery the queue looks once more, a millisecond
/// later, so that commits that follow each other closely wake no thread at all.
package final class DeliveryQueue: Sendable {
  private static let key = DispatchSpecificKey<ObjectIdentifier>()
  private let queue: DispatchQueue
  private let state = Locked(State())

  private struct State {
    var posts: [@Sendable () -> Void] = []
    /// Whether the queue is going to look at the posts by itself.
    var isDue = false
  }

  package init(label: String) {
    queue = DispatchQueue(label: label)
    queue.setSpecific(key: DeliveryQueue.key, value: ObjectIdentifier(self))
  }

  /// Whether the caller is an observer that is being told at the moment.
  package var isCurrent: Bool {
    DispatchQueue.getSpecific(key: DeliveryQueue.key) == ObjectIdentifier(self)
  }

  /// Runs the body after everything that was posted before.
  package func post(_ body: @escaping @Sendable () -> Void) {
    let wasDue = state.withLock { state in
      defer { state.isDue = true }
      state.posts.append(body)
      return state.isDue
    }
    if !wasDue { lookSoon() }
  }

  private func lookSoon() {
    queue.asyncAfter(deadline: .now() + .milliseconds(1)) { [self] in look() }
  }

  /// Delivers the posts, and looks again where there were any.
  private func look() {
    let isDone = state.withLock { state in
      if state.posts.isEmpty { state.isDue = false }
      return !state.isDue
    }
    if isDone { return }
    deliver()
    lookSoon()
  }

  /// Delivers the posts so far, on the queue.
  private func deliver() {
    let due = state.withLock { state in
      defer { state.posts = [] }
      return state.posts
    }
    for post in due { post() }
  }

  /// Returns when everything posted before has been delivered; at once inside an observer, which
  /// cannot wait for itself.
  package func drain() {
    guard !isCurrent else { return }
    queue.sync { deliver() }
  }

  /// Returns when everything posted before has been delivered.
  package func drain() async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        deliver()
        continuation.resume()
      }
    }
  }
}
