import SyncCore
import Synchronization

/// What a context has not taken notice of yet, in the order in which it happened.
///
/// Filled right after a commit on the writer's queue, emptied at every entry of the context.
final class Inbox: Sendable {
  enum Mail: Sendable {
    /// Somebody else committed.
    case changes(ChangeSet)
    /// The store was emptied.
    case dropped
  }

  private struct State {
    var mail: [Mail] = []
    var isKicked = false
  }

  private let state = Locked(State())

  /// Whether anything waits; looked at before the mutex is taken.
  private let hasMail = Atomic<Bool>(false)

  /// Puts something in.
  ///
  /// - Returns: whether the context has to be told.
  func put(_ mail: Mail) -> Bool {
    state.withLock { state in
      state.mail.append(mail)
      hasMail.store(true, ordering: .releasing)
      defer { state.isKicked = true }
      return !state.isKicked
    }
  }

  /// Takes everything out.
  func take() -> [Mail] {
    guard hasMail.load(ordering: .acquiring) else { return [] }
    return state.withLock { state in
      hasMail.store(false, ordering: .releasing)
      state.isKicked = false
      defer { state.mail = [] }
      return state.mail
    }
  }
}
