import Foundation
import SyncStack

/// A payload that a model is drawn from, or tried with.
struct DraftInput {
  let name: String
  private let source: Source

  private enum Source {
    case data(Data)
    case file(InputFile, size: Int)
  }

  /// Bytes of a file that a sample is taken from; the rest of a large one is not read for that.
  private static let sampleBytes = 32 << 20

  /// A payload whose items stand by themselves, whatever form of document they come in.
  ///
  /// - Throws: ``ToolError`` when there is no such file; `SyncError` when it is no document of the
  ///   form.
  init(_ path: String, form: DocumentForm?) throws {
    let plain = try DraftInput(path)
    switch DocumentForm(of: path, given: form) {
    case .jsonAPI:
      let document = try JSONAPIDocument(JSONValue(parsing: plain.bytes()))
      self.init(
        name: path, JSONValue.array(document.nested(namesTypes: false).map { .object($0) }).data())
    case .csv:
      let file = path == "-" ? nil : URL(filePath: path).lastPathComponent
      self.init(name: path, try CSVTable.guessed(plain.bytes(), name: file))
    case nil:
      self = plain
    }
  }

  private init(name: String, _ data: Data) {
    self.name = name
    source = .data(data)
  }

  /// - Throws: ``ToolError`` when there is no such file.
  init(_ path: String) throws {
    name = path
    guard path != "-" else {
      source = .data(try FileHandle.standardInput.readToEnd() ?? Data())
      return
    }
    let file = try InputFile(URL(filePath: path))
    source = .file(file, size: (file.attributes[.size] as? Int64).map { Int($0) } ?? 0)
  }

  /// The payload for a sync, which may be asked for again.
  var payload: SyncPayload {
    switch source {
    case .data(let data): .data(data)
    case .file(let file, _): file.payload
    }
  }

  /// Gives the items to a closure.
  ///
  /// - Parameters:
  ///   - limit: How many at most; nil is all.
  ///   - key: The key of an item under which its own key is given in an object of objects.
  ///   - item: Gets nil for an item that is null.
  /// - Returns: Whether there are no others.
  func items(
    at path: JSONPath, upTo limit: Int?, keyedBy key: String?, _ terminal: Terminal?,
    _ item: (JSONObject?) -> Void
  ) throws -> Bool {
    func body(_ value: JSONValue, _ member: String?) {
      if value == .null { return item(nil) }
      guard var object = value.objectValue ?? value.row else { return }
      if let key, let member { object[key] = .string(member) }
      item(object)
    }
    if let limit, case .file(let file, let size) = source, size > DraftInput.sampleBytes,
      let sample = try sample(of: file.url, at: path, limit)
    {
      for item in sample { body(item.value, item.member) }
      return false
    }
    return try read(bytes(), at: path, upTo: limit, terminal, body)
  }

  /// Whether its first item stands in a list, and not by itself.
  func isList(at path: JSONPath) throws -> Bool {
    try bytes().withUnsafeBytes { bytes in
      var reader = try JSONItemReader(bytes, at: path)
      return try reader.next(into: JSONTape()) && reader.isElement
    }
  }

  func bytes() throws -> Data {
    switch source {
    case .data(let data): return data
    case .file: return try InputFile.data(name)
    }
  }

  /// The first items of a large file; nil when it does not begin with that many.
  private func sample(
    of url: URL, at path: JSONPath, _ limit: Int
  ) throws -> [(value: JSONValue, member: String?)]? {
    let handle = try FileHandle(forReadingFrom: url)
    defer { try? handle.close() }
    let beginning = try handle.read(upToCount: DraftInput.sampleBytes) ?? Data()
    var items: [(value: JSONValue, member: String?)] = []
    let isAll = try? read(beginning, at: path, upTo: limit, nil) { items.append(($0, $1)) }
    return isAll == false ? items : nil
  }

  private func read(
    _ data: Data, at path: JSONPath, upTo limit: Int?, _ terminal: Terminal?,
    _ body: (JSONValue, String?) -> Void
  ) throws -> Bool {
    let position = Locked(0)
    let display = terminal.flatMap { $0.errorWidth == nil ? nil : $0 }.map { terminal in
      ProgressDisplay(on: terminal) {
        let done = position.withLock { $0 }
        return .init(
          phase: "read", completed: done, total: data.count, isBytes: true,
          fraction: Double(done) / Double(max(1, data.count)))
      }
    }
    defer { display?.end() }
    let tape = JSONTape()
    return try data.withUnsafeBytes { bytes in
      var reader = try JSONItemReader(bytes, at: path)
      var count = 0
      while try reader.next(into: tape) {
        if let limit, count == limit { return false }
        body(tape.value(0), reader.memberKey.map { $0.tape.string($0.token) })
        count += 1
        if count % 256 == 0 {
          try Task.checkCancellation()
          position.withLock { $0 = reader.position }
        }
      }
      return true
    }
  }
}
