import SyncCore
import Synchronization

/// Stands for one run of a write transaction, before, while and after it runs: other threads stop
/// it by this, with ``Store/interrupt(_:)``.
///
/// Whether it was stopped is asked in four places, so that no moment is left in which stopping is
/// lost: while it waits for its turn, while another process holds the file, by SQLite every
/// thousand steps of a statement, and between statements. `sqlite3_interrupt` alone does nothing
/// when it comes between two statements (https://www.sqlite.org/c3ref/interrupt.html).
///
/// Protected by an atomic and a lock.
package final class TransactionToken: Sendable {
  private let stopped = Atomic<Bool>(false)
  private let wait = Locked<(@Sendable () -> Void)?>(nil)

  /// Steps of a loop of ours between two looks at whether the transaction was stopped.
  static let stride = 1024

  package init() {}

  /// Whether the transaction was asked to stop.
  package var isStopped: Bool { stopped.load(ordering: .acquiring) }

  func stop() {
    stopped.store(true, ordering: .releasing)
    let end = wait.withLock { $0 }
    end?()
  }

  /// Sets the closure that ends the wait for the transaction's turn; called at once when it was
  /// stopped already.
  func onStop(_ end: (@Sendable () -> Void)?) {
    wait.withLock { $0 = end }
    if isStopped { end?() }
  }

  /// Throws when the transaction was asked to stop.
  func checkpoint() throws {
    if isStopped { throw StoreError.interrupted }
  }
}
