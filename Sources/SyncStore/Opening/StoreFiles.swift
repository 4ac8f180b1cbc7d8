import Foundation

/// The files of a store: the database and those that SQLite lays beside it.
struct StoreFiles {
  let url: URL?

  init(_ location: Store.Configuration.Location) {
    switch location {
    case .file(let url): self.url = url.standardizedFileURL
    case .memory: url = nil
    }
  }

  /// Path of the database; empty for memory.
  var path: String { url?.path ?? "" }

  /// Removes the files that are there, copies of earlier migrations and the folder of remote sync
  /// included: with a store its data has to go.
  ///
  /// - Throws: ``StoreError`` that names the file that cannot be removed.
  func remove() throws {
    guard let url else { return }
    let files = ["", "-wal", "-shm", "-journal", ".assets"].map { url.path + $0 }
    for path in files + StoreBackup.all(of: url.path) {
      guard FileManager.default.fileExists(atPath: path) else { continue }
      do {
        try FileManager.default.removeItem(atPath: path)
      } catch {
        throw StoreError(
          .failed, message: "The file \(path) of the store cannot be removed: \(error).")
      }
    }
  }

  /// The error that keeps the database from being opened or made at its path; nil when there is
  /// none.
  func obstacle() -> StoreError? {
    guard let url else { return nil }
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) {
      guard isDirectory.boolValue else { return nil }
      return StoreError(
        .cannotOpen,
        message: "\(url.path) is a folder. Give the path of a file inside it.")
    }
    var folder = url.deletingLastPathComponent()
    while !FileManager.default.fileExists(atPath: folder.path, isDirectory: &isDirectory) {
      let parent = folder.deletingLastPathComponent()
      guard parent.path != folder.path else { break }
      folder = parent
    }
    guard !isDirectory.boolValue else { return nil }
    return StoreError(
      .cannotOpen,
      message: "The store cannot be made at \(url.path): \(folder.path) is a file, not a folder. "
        + "Give a path inside a folder.")
  }

  /// Makes the folder of the database and those above it, where they are missing.
  ///
  /// - Throws: ``StoreError`` when something else is there, or when nothing may be made there.
  func makeFolder() throws {
    if let obstacle = obstacle() { throw obstacle }
    guard let folder = url?.deletingLastPathComponent() else { return }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw StoreError(
        .cannotOpen,
        message: "The store cannot be made at \(path): the folder \(folder.path) cannot be made "
          + "(\(error)). Create it, or give another path.")
    }
  }
}
