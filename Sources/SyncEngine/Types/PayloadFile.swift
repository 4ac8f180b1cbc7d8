package import Foundation
import SyncCore

/// The bytes of a payload file, read before anything looks at them.
///
/// A mapped file that another program cuts off or rewrites loses pages under its reader, which ends
/// the program. So a file is read into memory, and one that would be too large for it is copied to
/// a temporary file of our own, which is mapped. The bytes read decide; a file that had fewer bytes
/// than when it was opened is an error, because in a text of one object a line the cut would not be
/// seen.
package struct PayloadFile {
  private let url: URL
  /// Bytes from which on a file is copied.
  private let largest: Int

  package init(_ url: URL, largest: Int = PayloadFile.largestInMemory) {
    self.url = url
    self.largest = largest
  }

  /// The size from which on a payload is worked off in parts.
  package static let largestInMemory = 256 << 20
  private static let pieceSize = 4 << 20

  /// Reads all of it.
  ///
  /// - Throws: ``SyncError`` with ``SyncError/Code/unreadablePayload`` when there is no such file,
  ///   when it cannot be read, or when it became shorter; `CancellationError`.
  package func read(_ control: SyncControl? = nil) throws -> Data {
    guard !url.isFolder else {
      throw PayloadFile.unreadable(
        "“\(url.path)” is a folder. Give the path of a file with JSON inside it.")
    }
    do {
      let handle = try FileHandle(forReadingFrom: url)
      defer { try? handle.close() }
      // A file without a size, such as a pipe, is read as it comes.
      guard let size = try? handle.seekToEnd(), size > 0 else { return try Data(contentsOf: url) }
      guard size > UInt64(largest) else {
        let data = try handle.readFromStart(Int(size))
        try check(UInt64(data.count), of: size)
        return data
      }
      try handle.seek(toOffset: 0)
      return try copy(handle, size, control)
    } catch let error as SyncError {
      throw error
    } catch let error as CancellationError {
      throw error
    } catch {
      throw PayloadFile.unreadable(
        FileManager.default.fileExists(atPath: url.path)
          || FileManager.default.isForbidden(url.path)
          ? "The file “\(url.path)” cannot be read: \(error.localizedDescription) Check its permissions."
          : "There is no file “\(url.path)”. Check its path.")
    }
  }

  private func copy(_ handle: FileHandle, _ size: UInt64, _ control: SyncControl?) throws -> Data {
    let spool = try PayloadSpool()
    var count: UInt64 = 0
    while count < size {
      try control?.checkpoint()
      let wanted = min(size - count, UInt64(PayloadFile.pieceSize))
      let copied = try spool.append(upTo: Int(wanted), from: handle)
      guard copied > 0 else { break }
      count += UInt64(copied)
    }
    try check(count, of: size)
    spool.end(nil)
    return try spool.wait(control)
  }

  private func check(_ count: UInt64, of size: UInt64) throws {
    guard count < size else { return }
    throw PayloadFile.unreadable(
      """
      The file “\(url.path)” had \(size) bytes when it was opened and \(count) when it was read: another program is \
      writing it. Nothing was changed. Read it when that has finished, or let that write beside it and rename.
      """)
  }

  private static func unreadable(_ message: String) -> SyncError {
    SyncError(.unreadablePayload, message: message)
  }
}

extension URL {
  /// Whether there is a folder, not a file.
  fileprivate var isFolder: Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }
}
