import CSyncStackSQLite
import Foundation
import SyncCore

/// The file system that SQLite uses by default once a test has a ``WatchedDisk``: files of watched
/// folders go through ``WatchedFile``, all others straight to the system's
/// (https://www.sqlite.org/vfs.html).
enum WatchedFiles {
  private static let disks = Locked<[String: WeakDisk]>([:])

  private struct WeakDisk {
    weak var disk: WatchedDisk?
  }

  static func watch(_ disk: WatchedDisk, named folder: String) {
    _ = isRegistered
    disks.withLock { $0[folder] = WeakDisk(disk: disk) }
  }

  static func forget(_ folder: String) {
    disks.withLock { $0[folder] = nil }
  }

  /// The disk that a path lies on. Folders have names that occur once.
  fileprivate static func disk(_ path: UnsafePointer<CChar>?) -> (disk: WatchedDisk, file: String)?
  {
    guard let path else { return nil }
    let url = URL(filePath: String(cString: path))
    let folder = url.deletingLastPathComponent().lastPathComponent
    guard let disk = disks.withLock({ $0[folder]?.disk }) else { return nil }
    return (disk, url.lastPathComponent)
  }

  /// The system's file system, which functions of this one get.
  nonisolated(unsafe) fileprivate static let system: UnsafeMutablePointer<sqlite3_vfs> = {
    guard let system = sqlite3_vfs_find(nil) else {
      preconditionFailure("SQLite has no file system.")
    }
    return system
  }()

  private static let isRegistered: Bool = {
    let watched = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    watched.initialize(to: system.pointee)
    watched.pointee.pNext = nil
    watched.pointee.zName = UnsafePointer(strdup("syncstack-watched"))
    watched.pointee.szOsFile = Int32(WatchedFile.innerOffset) + system.pointee.szOsFile
    watched.pointee.xOpen = { _, path, file, flags, outFlags in
      guard let file, let open = system.pointee.xOpen else { return SQLITE_CANTOPEN }
      guard let (disk, name) = disk(path) else { return open(system, path, file, flags, outFlags) }
      return WatchedFile.open(file, on: disk, name) { open(system, path, $0, flags, outFlags) }
    }
    watched.pointee.xDelete = { _, path, isSynced in
      let code = system.pointee.xDelete?(system, path, isSynced) ?? SQLITE_IOERR
      if code == SQLITE_OK, let (disk, name) = disk(path) {
        disk.add(name, .delete(isSynced: isSynced != 0))
      }
      return code
    }
    return sqlite3_vfs_register(watched, 1) == SQLITE_OK
  }()
}
