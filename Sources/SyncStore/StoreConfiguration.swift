package import Foundation
package import SyncCore

/// Which commits outlive a power cut. After a cut the store is always as after one of its commits;
/// a process that is killed loses no commit under either value.
///
/// The rules are SQLite's for a write-ahead log
/// (https://www.sqlite.org/pragma.html#pragma_synchronous).
public enum StoreDurability: Sendable, Hashable {
  /// A power cut may take the last commits: those since the log was last brought to the disk.
  case normal
  /// Every commit is on the disk when the save or sync returns; each waits for the disk.
  case full
}

/// Where a store lies and how it treats its file.
package struct StoreConfiguration: Sendable {
  package enum Location: Sendable, Hashable {
    case file(URL)
    case memory
  }

  package enum Journal: Sendable, Hashable {
    /// Readers and the writer do not wait for each other.
    case writeAheadLog
    /// One file only, for file systems without shared memory.
    case rollback
  }

  package var location: Location
  package var durability = StoreDurability.normal
  package var journal = Journal.writeAheadLog

  /// How long to wait for another process, in seconds.
  package var busyTimeout = 5.0
  package var isReadOnly = false

  /// Whether the caller may wait until a suspended store goes on; the main thread may not, which is
  /// the one that has it go on.
  package var mayWait: @Sendable () -> Bool = { true }

  /// Largest size of the file in pages; nil is SQLite's own limit.
  package var maximumPageCount: Int?

  /// Whether every commit is also written to a history that consumers read later. A file that has a
  /// history keeps it, under either value, until ``StoreTransaction/removeHistory()``.
  package var keepsHistory = false

  /// How long, and how many, former values the history keeps; nil leaves it to the file.
  package var formerValues: FormerValueLimits?

  /// The policy for a file that was made with another model.
  package var migration = MigrationPolicy.automatic

  /// Called with a sentence before each step of a migration. Throwing stops it and leaves the file
  /// as it was.
  package var willMigrate: @Sendable (String) throws -> Void = { _ in }

  /// The clock that dates change sets; tests replace it.
  package var now: @Sendable () -> Date = { Date() }

  /// Whether an observer wants to know the values that a commit changes.
  package let values = ValueDemand()

  /// Name of the program, for the history.
  package var processName = ProcessInfo.processInfo.processName

  package init(_ location: Location) {
    self.location = location
  }
}

/// How long, and how many, former values a history keeps.
package struct FormerValueLimits: Sendable, Hashable {
  /// In seconds.
  package var age: Double

  /// In bytes of values, of all commits together.
  package var size: Int

  package init(age: Double, size: Int) {
    self.age = age
    self.size = size
  }
}
