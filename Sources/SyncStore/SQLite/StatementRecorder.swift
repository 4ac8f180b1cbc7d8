import SyncCore
import Synchronization

/// Counts the statements of all connections of a store, and keeps their texts when asked to.
///
/// Counters are atomic; the texts are in a mutex that is taken only while recording.
package final class StatementRecorder: Sendable {
  private let executedCount = Atomic<Int>(0)
  private let preparedCount = Atomic<Int>(0)
  private let isRecording = Atomic<Bool>(false)
  private let texts = Locked<[String]>([])

  package init() {}

  /// How many statements were run.
  package var executed: Int { executedCount.load(ordering: .relaxed) }

  /// How many statements were prepared.
  package var prepared: Int { preparedCount.load(ordering: .relaxed) }

  /// Runs a closure and returns the texts of the statements that were run meanwhile, in order.
  package func record(_ body: () throws -> Void) rethrows -> [String] {
    texts.withLock { $0.removeAll() }
    isRecording.store(true, ordering: .relaxed)
    defer { isRecording.store(false, ordering: .relaxed) }
    try body()
    return texts.withLock { $0 }
  }

  func didPrepare() {
    preparedCount.wrappingAdd(1, ordering: .relaxed)
  }

  @inline(__always)
  func willExecute(_ sql: @autoclosure () -> String) {
    executedCount.wrappingAdd(1, ordering: .relaxed)
    if isRecording.load(ordering: .relaxed) {
      let sql = sql()
      texts.withLock { $0.append(sql) }
    }
  }
}
