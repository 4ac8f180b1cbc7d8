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
package enum ExportFile {
  /// Gives a closure a handle to write to, and puts what was written in the place of the file.
  ///
  /// - Throws: ``ExportError`` when the file cannot be made, and what the closure throws; nothing
  ///   is left behind then.
  package static func replace<Result>(
    _ url: URL, _ body: (FileHandle) throws -> Result
  ) throws -> Result {
    let files = FileManager.default
    let draft = url.deletingLastPathComponent().appendingPathComponent(
      ".\(url.lastPathComponent).\(UUID().uuidString)")
    guard files.createFile(atPath: draft.path, contents: nil) else {
      throw ExportError(
        .cannotWrite,
        message: """
          The file “\(url.path)” cannot be written. Check that its folder exists and that this user may \
          write there.
          """)
    }
    do {
      let handle = try FileHandle(forWritingTo: draft)
      let result = try closing(handle, body)
      try files.moveItem(at: draft, over: url)
      return result
    } catch {
      // Why the export failed matters more than whether the draft could be removed.
      try? files.removeItem(at: draft)
      throw error
    }
  }

  private static func closing<Result>(
    _ handle: FileHandle, _ body: (FileHandle) throws -> Result
  ) throws -> Result {
    do {
      let result = try body(handle)
      try handle.close()
      return result
    } catch {
      try? handle.close()
      throw error
    }
  }
}
