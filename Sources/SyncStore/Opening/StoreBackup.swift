package import Foundation
import SyncCore

/// The copy of a store that is made before it is migrated:
/// `<file>.backup-<version hash of its model>` next to it, a store of its own that opens with the
/// old model. The copy of the last migration stays there; earlier ones are removed when a migration
/// has succeeded.
struct StoreBackup {
  private static let infix = ".backup-"
  private static let unfinishedEnding = ".part"
  let path: String
  let copyPath: String

  init(path: String, versionHash: String) {
    self.path = path
    copyPath = path + StoreBackup.infix + versionHash
  }

  /// Copies the store as it was last committed. A half-written copy has another name.
  ///
  /// - Throws: ``StoreError``; nothing is left behind then.
  func make(busyTimeout: Double) throws {
    let unfinished = copyPath + StoreBackup.unfinishedEnding
    StoreBackup.remove(unfinished)
    do {
      let source = try Connection(
        path: path, options: Connection.Options(mode: .reader, busyTimeout: busyTimeout),
        recorder: StatementRecorder())
      defer { source.close() }
      try source.copy(to: unfinished)
      StoreBackup.remove(copyPath)
      try FileManager.default.moveItem(atPath: unfinished, toPath: copyPath)
    } catch let error as StoreError {
      StoreBackup.remove(unfinished)
      throw StoreError(
        error.code,
        message:
          "The store was not migrated, because it could not be copied first: \(error.message)",
        sqliteCode: error.sqliteCode, sql: error.sql)
    } catch {
      StoreBackup.remove(unfinished)
      throw StoreError(
        .failed,
        message: "The store was not migrated, because it could not be copied to \(copyPath): "
          + "\(error). Check the permissions of the folder.")
    }
  }

  /// Removes the copy of a migration that did not happen.
  func discard() {
    StoreBackup.remove(copyPath)
  }

  /// Removes copies of earlier migrations.
  func removeOthers() {
    for other in StoreBackup.all(of: path) where other != copyPath { StoreBackup.remove(other) }
  }

  /// The copies that lie beside a store.
  static func all(of path: String) -> [String] {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent().path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasPrefix(url.lastPathComponent + infix) }.sorted()
      .map { url.deletingLastPathComponent().appendingPathComponent($0).path }
  }

  /// Removes the copies beside a store that are half-written.
  static func removeUnfinished(of path: String) {
    for copy in all(of: path) where copy.hasSuffix(unfinishedEnding) { remove(copy) }
  }

  /// Removes a file with the files that SQLite may have laid beside it; one that is not there is no
  /// matter.
  private static func remove(_ path: String) {
    for suffix in ["", "-journal", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }
}

extension Store {
  /// Removes the half-written copy of a store that is about to be migrated, for a process that is
  /// told to end meanwhile.
  package static func removeUnfinishedCopy(of url: URL) {
    StoreBackup.removeUnfinished(of: url.path)
  }
}
