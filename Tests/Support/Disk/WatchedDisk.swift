package import Foundation
import SyncCore

/// A folder whose files SQLite reads and writes through code of the tests, which records what
/// reaches the disk, or has an access fail.
///
/// ```swift
/// let disk = try WatchedDisk()
/// let stack = try DataStack(model: model, store: .sqlite(disk.file()))
/// disk.fail(.writes, after: 3, with: SQLITE_FULL)
/// ```
///
/// Stores in other folders are SQLite's alone, at no cost.
package final class WatchedDisk: Sendable {
  /// A change of a file, in the order in which SQLite made them.
  package enum Change: Sendable {
    case write(offset: Int, bytes: [UInt8])
    case truncate(size: Int)
    /// Everything before it is on the disk.
    case sync
    case delete(isSynced: Bool)
    /// The program notes that commit `number` has returned.
    case note(number: Int)
  }

  /// Which accesses fail.
  package enum Access: String, Sendable, CaseIterable {
    case reads, writes, syncs
  }

  /// A fault that is to come.
  struct Fault {
    let access: Access
    var left: Int
    let code: Int32
    let isLasting: Bool
  }

  struct State {
    var changes: [(file: String, change: Change)] = []
    var isRecording = false
    var fault: Fault?
    var counts: [Access: Int] = [:]
    var failed = 0
  }

  let state = Locked(State())
  private let folder: TemporaryFolder

  package init() throws {
    folder = try TemporaryFolder()
    WatchedFiles.watch(self, named: folder.url.lastPathComponent)
  }

  deinit { WatchedFiles.forget(folder.url.lastPathComponent) }

  /// The path of a file in the folder.
  package func file(_ name: String = "test.sqlite") -> URL { folder.file(name) }

  // MARK: - Recording

  /// Records changes from now on, and forgets earlier ones.
  package func record() {
    state.withLock { ($0.changes, $0.isRecording) = ([], true) }
  }

  /// Notes that commit `number` has returned.
  package func note(_ number: Int) { add("", .note(number: number)) }

  /// The changes so far.
  package var changes: [(file: String, change: Change)] { state.withLock { $0.changes } }

  func add(_ file: String, _ change: Change) {
    state.withLock { if $0.isRecording { $0.changes.append((file, change)) } }
  }

  // MARK: - Faults

  /// Has one access fail, or with `isLasting` all from that one on, after so many more have
  /// succeeded.
  package func fail(_ access: Access, after count: Int, with code: Int32, isLasting: Bool = false) {
    state.withLock {
      $0.fault = Fault(access: access, left: count, code: code, isLasting: isLasting)
      $0.failed = 0
    }
  }

  /// Has every access succeed again.
  ///
  /// - Returns: how many have failed.
  @discardableResult
  package func heal() -> Int {
    state.withLock {
      $0.fault = nil
      return $0.failed
    }
  }

  /// How many accesses of a kind there were since the last call.
  package func count(_ access: Access) -> Int {
    state.withLock { $0.counts.updateValue(0, forKey: access) ?? 0 }
  }

  /// The error with which this access fails; nil if it goes on to the disk.
  func outcome(_ access: Access) -> Int32? {
    state.withLock { state in
      state.counts[access, default: 0] += 1
      guard var fault = state.fault, fault.access == access else { return nil }
      guard fault.left == 0 else {
        fault.left -= 1
        state.fault = fault
        return nil
      }
      state.failed += 1
      if !fault.isLasting { state.fault = nil }
      return fault.code
    }
  }
}
