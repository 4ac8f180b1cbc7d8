import Dispatch
import SyncCore

/// What follows a commit is told here: first in, first out, on a queue that nothing of ours waits
/// for. A stack has one for observers, of which a slow one delays those behind it, never a sync, a
/// save or a context; and one for contexts.
///
/// Posts are delivered together, a millisecond after the first of them: a sync of one object posts
/// ten times within a tenth of a millisecond, and to wake a thread for each of them would take
/// longer than a quarter of the sync.
package final class DeliveryQueue: Sendable {
  private static let key = DispatchSpecificKey<ObjectIdentifier>()
  private let queue: DispatchQueue
  private let posts = Locked<[@Sendable () -> Void]>([])

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
    let isFirst = posts.withLock { posts in
      posts.append(body)
      return posts.count == 1
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + .milliseconds(1)) { [self] in deliver() }
  }

  /// Delivers the posts so far, on the queue.
  private func deliver() {
    let due = posts.withLock { posts in
      defer { posts = [] }
      return posts
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
