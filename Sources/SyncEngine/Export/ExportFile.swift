package import Foundation
package import SyncCore

/// Writes a list of objects piece by piece, in the layout that the options ask for.
package struct ExportWriter {
  private static let bufferSize = 1 << 16

  private var writer: JSONWriter
  private let layout: ExportOptions.Layout
  private let output: (Data) throws -> Void

  /// Makes a writer that hands its text over in pieces.
  package init(_ options: ExportOptions, to output: @escaping (Data) throws -> Void) {
    layout = options.layout
    // A line break inside an object would end its line.
    writer = JSONWriter(
      options: JSONWritingOptions(isPretty: options.isPretty && options.layout == .array))
    self.output = output
    if layout == .array { writer.beginArray() }
  }

  package mutating func write(_ object: JSONValue) throws {
    writer.value(object)
    if layout == .lines { writer.endLine() }
    try writer.drain(above: ExportWriter.bufferSize) { try output(Data($0)) }
  }

  /// Closes the list and hands the rest over.
  package mutating func finish() throws {
    if layout == .array {
      writer.endArray()
      writer.endLine()
    }
    try writer.drain { try output(Data($0)) }
  }
}

/// Writes a file that appears when it is complete: until then an earlier one stays as it is.
///
/// Links are followed. A pipe or a device is written into, for it has no content to be replaced.
package enum ExportFile {
  /// Gives a closure a handle to write to, and puts the written bytes in the place of the file.
  ///
  /// - Throws: ``ExportError`` when the file cannot be made, and errors of the closure; nothing is
  ///   left behind then, but for bytes that went into a pipe or a device.
  package static func replace<Result>(
    _ url: URL, _ body: (FileHandle) throws -> Result
  ) throws -> Result {
    let target = try followingLinks(url)
    let attributes = try? FileManager.default.attributesOfItem(atPath: target.path)
    let type = attributes?[.type] as? FileAttributeType
    guard !isOfSystem(target), type == nil || type == .typeRegular || type == .typeDirectory else {
      guard let handle = FileHandle(forWritingAtPath: target.path) else {
        throw cannotWrite(target, "Check that this user may write there.")
      }
      return try closing(handle, target, body)
    }
    return try replace(target, attributes?[.posixPermissions], body)
  }

  private static func replace<Result>(
    _ url: URL, _ permissions: Any?, _ body: (FileHandle) throws -> Result
  ) throws -> Result {
    let files = FileManager.default
    let draft = url.deletingLastPathComponent().appendingPathComponent(
      ".\(url.lastPathComponent).\(UUID().uuidString)")
    // Another may be allowed to read the file that was there, or not.
    let attributes = permissions.map { [FileAttributeKey.posixPermissions: $0] }
    guard files.createFile(atPath: draft.path, contents: nil, attributes: attributes) else {
      throw cannotWrite(
        url, "Check that its folder exists and that this user may write there.")
    }
    do {
      let handle = try FileHandle(forWritingTo: draft)
      let result = try closing(handle, url, body)
      try files.moveItem(at: draft, over: url)
      return result
    } catch {
      // Why the export failed matters more than whether the draft could be removed.
      try? files.removeItem(at: draft)
      throw error
    }
  }

  // MARK: - Where it is

  /// How many links may lead to one another.
  private static let mostLinks = 40

  /// The target of a path, which need not be there.
  private static func followingLinks(_ url: URL) throws -> URL {
    var url = url
    for _ in 0..<mostLinks where !isOfSystem(url) {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: url.path)
      else { return url }
      url = URL(filePath: target, relativeTo: url.deletingLastPathComponent()).absoluteURL
    }
    if isOfSystem(url) { return url }
    throw cannotWrite(url, "Its links lead in a circle. Give the path of the file itself.")
  }

  /// Whether a path names a file of the system, as `/dev/stdout` is: that is no place for a new
  /// file, and a link there may lead to an object without a path. `/dev/shm` is a folder of the
  /// users.
  private static func isOfSystem(_ url: URL) -> Bool {
    let path = url.path
    return (path.hasPrefix("/dev/") && !path.hasPrefix("/dev/shm/")) || path.hasPrefix("/proc/")
  }

  private static func cannotWrite(_ url: URL, _ advice: String) -> ExportError {
    ExportError(.cannotWrite, message: "The file “\(url.path)” cannot be written. \(advice)")
  }

  private static func closing<Result>(
    _ handle: FileHandle, _ url: URL, _ body: (FileHandle) throws -> Result
  ) throws -> Result {
    do {
      let result = try body(handle)
      try handle.close()
      return result
    } catch let error as CocoaError {
      try? handle.close()
      throw cannotWrite(
        url, "\(error.localizedDescription) Free some space, or give another path.")
    } catch {
      try? handle.close()
      throw error
    }
  }
}
