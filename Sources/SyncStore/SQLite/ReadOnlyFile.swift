import Foundation

/// How a database that is only read can be opened.
///
/// One with a write-ahead log needs two files beside it, the log and its index, even to be read
/// (https://www.sqlite.org/wal.html#read_only_databases). Where they are not there and cannot be
/// made, everything is in the file itself, as its last writer left it, so it is opened as one that
/// does not change. A process with more rights may begin to write meanwhile: that goes to a log
/// first, and is not seen.
struct ReadOnlyFile {
  let path: String
  private let canMakeFiles: Bool

  /// - Parameter canMakeFiles: Whether there may be new files beside it; nil asks the system.
  init(_ path: String, canMakeFiles: Bool? = nil) {
    self.path = path
    let folder = (path as NSString).deletingLastPathComponent
    self.canMakeFiles = canMakeFiles ?? FileManager.default.isWritableFile(atPath: folder)
  }

  /// - Throws: ``StoreError`` when there is a log that cannot be read where it is.
  func mode() throws -> Connection.Mode {
    guard !path.isEmpty, !canMakeFiles, hasLog,
      !FileManager.default.isReadableFile(atPath: path + "-shm")
    else { return .reader }
    guard size(of: path + "-wal") == 0 else {
      throw StoreError(
        .cannotOpen,
        message: "The latest changes of \(path) lie in \(path)-wal, which cannot be read there: "
          + "SQLite needs to make a file beside it, and the folder cannot be written. Copy both files "
          + "to a folder of your own and read the copy.")
    }
    return .unchanging
  }

  /// Whether the header says that there is a log
  /// (https://www.sqlite.org/fileformat2.html#file_format_version_numbers).
  private var hasLog: Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    let header = try? file.read(upToCount: 20)
    return header?.count == 20 && header?.last == 2
  }

  private func size(of path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }
}
