package import Foundation

extension Store {
  /// Copies the files of a store that is not open, such as one that came with the program, to where
  /// none is. The copy can be written to, under any permissions of the original.
  ///
  /// - Throws: ``StoreError`` when there is a file already or it cannot be copied; nothing is left
  ///   behind then.
  package static func copy(from source: URL, to url: URL) throws {
    let target = StoreFiles(.file(url))
    if let obstacle = target.obstacle() ?? existing(url) { throw obstacle }
    guard FileManager.default.fileExists(atPath: source.path) else {
      throw StoreError(
        .cannotOpen, message: "There is no store at \(source.path) to be copied. Give another path."
      )
    }
    try target.makeFolder()
    // A half-written copy has another name; the log first, because a database without it is older.
    let unfinished = target.path + ".part"
    do {
      try copyFile(source.path, to: unfinished)
      try? FileManager.default.removeItem(atPath: target.path + "-shm")
      try? FileManager.default.removeItem(atPath: target.path + "-wal")
      if FileManager.default.fileExists(atPath: source.path + "-wal") {
        try copyFile(source.path + "-wal", to: target.path + "-wal")
      }
      try FileManager.default.moveItem(atPath: unfinished, toPath: target.path)
    } catch {
      for path in [unfinished, target.path + "-wal"] {
        try? FileManager.default.removeItem(atPath: path)
      }
      throw StoreError(
        .failed,
        message:
          "The store at \(source.path) cannot be copied to \(target.path): \(error). Check the "
          + "permissions of the folder.")
    }
  }

  /// Copies the store as it was last committed into a file of its own, while it is in use.
  ///
  /// - Throws: ``StoreError`` when there is a file already or it cannot be written; nothing is left
  ///   behind then.
  package func copy(to url: URL) throws {
    let target = StoreFiles(.file(url))
    if let obstacle = target.obstacle() ?? Store.existing(url) { throw obstacle }
    try target.makeFolder()
    let unfinished = target.path + ".part"
    try? FileManager.default.removeItem(atPath: unfinished)
    do {
      try read { reader in
        try reader.prepareToRead()
        try reader.connection.copy(to: unfinished)
      }
      try FileManager.default.moveItem(atPath: unfinished, toPath: target.path)
    } catch {
      try? FileManager.default.removeItem(atPath: unfinished)
      throw error as? StoreError
        ?? StoreError(.failed, message: "The store cannot be copied to \(target.path): \(error).")
    }
  }

  private static func existing(_ url: URL) -> StoreError? {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    return StoreError(
      .cannotOpen,
      message: "There is a file at \(url.path) already. Remove it first, or give another path.")
  }

  private static func copyFile(_ path: String, to copy: String) throws {
    let files = FileManager.default
    if files.fileExists(atPath: copy) { try files.removeItem(atPath: copy) }
    try files.copyItem(atPath: path, toPath: copy)
    // A file that comes with a program may be read only.
    let mode = try files.attributesOfItem(atPath: copy)[.posixPermissions] as? NSNumber
    if let mode = mode?.intValue, mode & 0o200 == 0 {
      try files.setAttributes(
        [.posixPermissions: NSNumber(value: mode | 0o200)], ofItemAtPath: copy)
    }
  }
}
