import SyncCore
import Synchronization

/// Changes of which a context has not taken notice yet, in the order in which they happened.
///
/// Filled right after a commit on the writer's queue, emptied at every entry of the context.
final class Inbox: Sendable {
  enum Mail: Sendable {
    /// Another writer committed, or the parent context has unsaved changes.
    case changes(ChangeSet)
    /// Objects of these entities were deleted above the parent context, which keeps them for their
    /// unsaved values: they are there, but in no list.
    case unlisted([EntityDescription])
    /// The store was emptied.
    case dropped
  }

  private struct State {
    var mail: [Mail] = []

    /// Permanent row numbers of objects that the parent context saved, by temporary ones. The mail
    /// has the new numbers already.
    var renamed: [Int64: Int64] = [:]
    var isKicked = false

    /// Notes that the context has to be told, unless it was.
    mutating func kick() -> Bool {
      defer { isKicked = true }
      return !isKicked
    }
  }

  private let state = Locked(State())

  /// Whether anything waits; looked at before the mutex is taken.
  private let hasMail = Atomic<Bool>(false)

  /// Whether anything waits, as far as other threads than the context's can know.
  var isFull: Bool { hasMail.load(ordering: .acquiring) }

  /// Puts something in.
  ///
  /// - Returns: whether the context has to be told.
  func put(_ mail: Mail) -> Bool {
    state.withLock { state in
      state.mail.append(mail)
      hasMail.store(true, ordering: .releasing)
      return state.kick()
    }
  }

  /// Notes that new objects of the parent context have their permanent row numbers.
  ///
  /// - Returns: whether the context has to be told.
  func rename(_ rows: [Int64: Int64]) -> Bool {
    state.withLock { state in
      state.mail = state.mail.map { $0.renamed(rows) }
      state.renamed.merge(rows) { _, new in new }
      hasMail.store(true, ordering: .releasing)
      return state.kick()
    }
  }

  /// Takes everything out.
  func take() -> (renamed: [Int64: Int64], mail: [Mail]) {
    guard isFull else { return ([:], []) }
    return state.withLock { state in
      hasMail.store(false, ordering: .releasing)
      defer { state = State() }
      return (state.renamed, state.mail)
    }
  }

  /// Takes the new row numbers out, and leaves the mail.
  func takeRenamed() -> [Int64: Int64] {
    guard isFull else { return [:] }
    return state.withLock { state in
      defer { state.renamed = [:] }
      return state.renamed
    }
  }
}
