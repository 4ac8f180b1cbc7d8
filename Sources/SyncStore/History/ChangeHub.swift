package import SyncCore

/// Delivers change sets to subscribers in commit order.
///
/// Called on the writer queue right after each commit, so subscribers must be quick: each puts the
/// set into an inbox of its own and returns. The list is in one mutex, which is not held while
/// subscribers are called.
package final class ChangeHub: Sendable {
  package typealias Subscriber = @Sendable (ChangeSet) -> Void

  private struct State {
    var next: UInt64 = 1
    var subscribers: [(id: UInt64, deliver: Subscriber)] = []
  }

  private let state = Locked(State())

  /// Adds a subscriber behind those that are there.
  ///
  /// - Returns: a token that ends the subscription when it is cancelled or goes away.
  package func subscribe(_ subscriber: @escaping Subscriber) -> ChangeSubscription {
    let id = state.withLock { state in
      defer { state.next += 1 }
      state.subscribers.append((state.next, subscriber))
      return state.next
    }
    return ChangeSubscription(hub: self, id: id)
  }

  /// Delivers a change set to all present subscribers.
  package func publish(_ changes: ChangeSet) {
    for subscriber in state.withLock({ $0.subscribers }) { subscriber.deliver(changes) }
  }

  fileprivate func remove(_ id: UInt64) {
    // The closure goes away outside the lock: values that it captures may do anything in their
    // deinit.
    let removed = state.withLock { state in
      let index = state.subscribers.firstIndex { $0.id == id }
      return index.map { state.subscribers.remove(at: $0) }
    }
    _ = removed
  }
}

/// Keeps a subscription alive.
package final class ChangeSubscription: Sendable {
  private let hub: ChangeHub
  private let id: UInt64

  fileprivate init(hub: ChangeHub, id: UInt64) {
    self.hub = hub
    self.id = id
  }

  deinit {
    hub.remove(id)
  }

  /// Ends the subscription; a delivery that runs at the moment may still arrive.
  package func cancel() {
    hub.remove(id)
  }
}
