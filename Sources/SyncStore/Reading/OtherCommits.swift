import Foundation
import SyncCore

/// Notices the commits of others to the file of a store: other processes, and other stores in this
/// one. Confined to the writer queue.
///
/// Every commit that changes something raises the file's generation by one. Those between the
/// latest one that was told here and the one in the file were made by others. Of a file with a
/// history they are known exactly; otherwise their changes are unknown (``ChangeSet/isUnknown``).
struct OtherCommits {
  /// The version of the file that the writer's connection had seen at the last look.
  private var version: UInt32

  /// The latest commit that was told.
  private var generation: Int64

  /// The model of the file, as the store found it or made it.
  private let model: String?

  /// Has the connection look at the file. It is not counted among the statements of the store.
  private var glance: Statement?

  init(of reader: StoreReader) throws {
    glance = try Self.glance(on: reader.connection)
    let metadata = Metadata(connection: reader.connection)
    // Damaged counts are reported by the next write, and by a repair.
    generation = (try? metadata.counters().generation) ?? 0
    model = try metadata.text(.versionHash)
    version = reader.connection.seenVersion
  }

  /// Lets go of a connection that is about to be closed.
  mutating func stop() { glance = nil }

  /// Goes on with another connection, and looks at the file once whatever it has seen.
  mutating func goOn(on connection: Connection) throws {
    glance = try Self.glance(on: connection)
    version = connection.seenVersion &- 1
  }

  private static func glance(on connection: Connection) throws -> Statement {
    try Statement(
      "PRAGMA data_version", connection: connection.handle, recorder: StatementRecorder(),
      isKept: true)
  }

  /// Whether there is something to look at. To be asked outside of transactions.
  func areThere(on connection: Connection) throws -> Bool {
    defer { glance?.reset() }
    _ = try glance?.step()
    return connection.seenVersion != version
  }

  /// The commits of others since the last look, oldest first. To be asked inside a transaction.
  ///
  /// - Complexity: O(1), without a statement, as long as no other connection has committed.
  mutating func look(with reader: StoreReader, now: () -> Date) throws -> [ChangeSet] {
    let seen = reader.connection.seenVersion
    guard seen != version else { return [] }
    let metadata = Metadata(connection: reader.connection)
    guard try metadata.text(.versionHash) == model else { throw StoreError.migratedElsewhere }
    let known = generation
    var found: [ChangeSet] = []
    if let counters = try? metadata.counters(), counters.generation > known {
      if counters.keepsHistory,
        let commits = try reader.commits(after: known, through: counters.generation)
      {
        found = commits
      } else {
        var unknown = ChangeSet(generation: counters.generation, date: now())
        unknown.isUnknown = true
        found = [unknown]
      }
      generation = counters.generation
    }
    version = seen
    return found
  }

  /// Takes notice of a commit of the store itself.
  mutating func note(_ changes: ChangeSet, on connection: Connection) {
    generation = max(generation, changes.generation)
    version = connection.seenVersion
  }
}

extension StoreError {
  fileprivate static let migratedElsewhere = StoreError(
    .migrationNeeded,
    message: "Another process has brought the store to another model since it was opened here. "
      + "Close the stack, and open it with the model of that process.")
}
