import Dispatch

/// Where a stack tells observers: one queue, first in, first out, that nothing of ours waits for.
///
/// What is posted arrives after everything posted before it. A slow observer delays those behind
/// it, never a sync, a save or a context.
package final class DeliveryQueue: Sendable {
  private static let key = DispatchSpecificKey<ObjectIdentifier>()
  private let queue = DispatchQueue(label: "SyncStack.delivery")

  package init() {
    queue.setSpecific(key: DeliveryQueue.key, value: ObjectIdentifier(self))
  }

  /// Whether the caller is an observer that is being told at the moment.
  package var isCurrent: Bool {
    DispatchQueue.getSpecific(key: DeliveryQueue.key) == ObjectIdentifier(self)
  }

  /// Runs the body after everything that was posted before.
  package func post(_ body: @escaping @Sendable () -> Void) {
    queue.async(execute: body)
  }

  /// Returns when everything posted before has been delivered; at once inside an observer, which
  /// cannot wait for itself.
  package func drain() {
    guard !isCurrent else { return }
    queue.sync {}
  }

  /// Returns when everything posted before has been delivered.
  package func drain() async {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume() }
    }
  }
}
