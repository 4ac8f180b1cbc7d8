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
