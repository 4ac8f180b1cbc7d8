import CHeap
import CSQLite
import Synchronization

/// Counters of a process that are the same on every machine and at any load.
enum Counters {
  /// Requests for memory so far; nil where they are not counted.
  static var heapRequests: Int? {
    let count = heap_requests()
    return count < 0 ? nil : Int(count)
  }

  private static let statements = Atomic<Int>(0)

  /// Statements that any connection has begun to run since ``countStatements()``.
  static var statementCount: Int { statements.load(ordering: .relaxed) }

  /// Counts the statements of all connections that are opened from now on.
  static func countStatements() {
    // https://sqlite.org/c3ref/auto_extension.html: the function is called for each new connection.
    let entry:
      @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
      ) -> Int32 = { connection, _, _ in
        sqlite3_trace_v2(connection, UInt32(SQLITE_TRACE_STMT), Counters.traced, nil)
      }
    sqlite3_auto_extension(unsafeBitCast(entry, to: (@convention(c) () -> Void).self))
  }

  private static let traced:
    @convention(c) (
      UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
    ) -> Int32 = { _, _, _, _ in
      Counters.statements.add(1, ordering: .relaxed)
      return 0
    }
}
