package import Foundation
package import SyncCore

/// The JSON that a sync reads.
///
/// A list of objects, or one object, which counts as a list of one; newline-delimited JSON; or a
/// document that holds the list somewhere inside, at the path that the sync is given.
///
/// Made by its forms, as in `.file(url)`: ``SyncPayloadConvertible`` lists them.
public struct SyncPayload: Sendable {
  enum Content: Sendable {
    case data(Data)
    case file(URL)
    /// Bytes that come piece by piece.
    case stream(SyncByteStream)
    case json(JSONValue)
    /// A value that could not be turned into JSON; the sync fails with it.
    case unusable(JSONError)
  }

  let content: Content

  /// Whether it is a JSON:API document, and not just a list of objects.
  var isJSONAPI = false

  /// Whether it is a table, whose rows become the objects of a list.
  var isTable = false

  init(_ content: Content) {
    self.content = content
  }

  /// The JSON that the closure makes, or its error.
  init(converting body: () throws -> JSONValue) {
    do {
      content = .json(try body())
    } catch let error as JSONError {
      content = .unusable(error)
    } catch {
      content = .unusable(JSONError(.unsupportedValue, message: String(describing: error)))
    }
  }
}

extension SyncPayload {
  /// Gives the bytes of the payload to a closure.
  ///
  /// - Parameter control: Ends the wait for a stream, or the copying of a file, when it is
  ///   cancelled.
  /// - Throws: ``SyncError`` with ``SyncError/Code/unreadablePayload`` when the file cannot be
  ///   read, the ``JSONError`` of a payload that is none, and errors of the closure.
  func withBytes<T>(
    _ control: SyncControl? = nil, _ body: (UnsafeRawBufferPointer) throws -> T
  ) throws -> T {
    try data(control).withUnsafeBytes(body)
  }

  /// The payload without what cannot be had while a store waits: a stream is read to its end, and a
  /// tree becomes bytes.
  ///
  /// - Throws: `CancellationError`, errors of the stream, the ``JSONError`` of a payload that is
  ///   none.
  func settled(_ control: SyncControl) throws -> SyncPayload {
    switch content {
    case .data, .file: return self
    case .stream, .json, .unusable: return try inMemory(control)
    }
  }

  /// The payload as bytes, mapped where it is a file.
  ///
  /// - Throws: `CancellationError`, ``SyncError`` with ``SyncError/Code/unreadablePayload``, errors
  ///   of the stream, the ``JSONError`` of a payload that is none.
  func inMemory(_ control: SyncControl) throws -> SyncPayload {
    var result = SyncPayload(.data(try data(control)))
    result.isJSONAPI = isJSONAPI
    return result
  }

  /// Whether both have the same text, as far as that is told without reading.
  func isSame(as other: SyncPayload) -> Bool {
    guard isJSONAPI == other.isJSONAPI, isTable == other.isTable else { return false }
    return switch (content, other.content) {
    case (.data(let one), .data(let two)): one == two
    case (.file(let one), .file(let two)): one == two
    case (.stream(let one), .stream(let two)): one === two
    case (.json(let one), .json(let two)): one == two
    default: false
    }
  }

  /// Moves the bytes to a file, so that a payload that waits takes no memory; one that is a file
  /// stays as it is.
  ///
  /// - Parameter url: The file to be written.
  /// - Throws: The ``JSONError`` of a payload that is none, errors of a stream or of the file
  ///   system.
  package func moved(to url: URL) throws -> SyncPayload {
    if case .file = content { return self }
    try data(nil).write(to: url)
    var result = SyncPayload(.file(url))
    result.isJSONAPI = isJSONAPI
    return result
  }

  /// Whether it is no JSON, or has nothing at a path. It tells which of many payloads an error is
  /// about.
  package func isUnreadable(at path: JSONPath?) -> Bool {
    do {
      let document = try JSONValue(parsing: data(nil))
      return path.map { document.value(at: $0) == nil } ?? false
    } catch let error as JSONError {
      // Lines of objects are not one document.
      return error.code != .trailingContent
    } catch {
      return true
    }
  }

  /// How many bytes it has, as far as that is known before it is read.
  var expectedSize: Int? {
    switch content {
    case .data(let data): data.count
    case .file(let url): try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize
    case .stream, .json, .unusable: nil
    }
  }

  private func data(_ control: SyncControl?) throws -> Data {
    let data = try source(control)
    guard isTable else { return data }
    let name = if case .file(let url) = content { url.lastPathComponent } else { nil as String? }
    return try CSVTable.spooled(data, name: name, control)
  }

  private func source(_ control: SyncControl?) throws -> Data {
    switch content {
    case .stream(let stream): try stream.read(control)
    case .data(let data): data
    case .json(let value): value.data()
    case .unusable(let error): throw error
    case .file(let url): try PayloadFile(url).read(control)
    }
  }

  /// The one object of the payload.
  ///
  /// - Throws: ``SyncError`` with ``SyncError/Code/invalidItem`` when it is none, or several.
  func singleObject() throws -> JSONValue {
    let document: JSONValue
    switch content {
    case .json(let value): document = value
    default: document = try JSONValue(parsing: data(nil))
    }
    var item = document
    if let items = document.arrayValue, items.count == 1 { item = items[0] }
    guard case .object = item else {
      let found = document.arrayValue.map { "a list of \($0.count)" } ?? document.kindText
      throw SyncError(
        .invalidItem, path: "$",
        message: "One JSON object is expected, found \(found). Use sync for lists of objects.")
    }
    return item
  }
}
