public import Foundation

extension JSONValue {
  /// Reads a document: exactly one value.
  ///
  /// - Throws: ``JSONError`` with the position and the remedy.
  /// - Complexity: O(*n*).
  public init(parsing data: Data, options: JSONReadingOptions = JSONReadingOptions()) throws {
    self = try data.withUnsafeBytes { try JSONValue(bytes: $0, options: options) }
  }

  /// Reads a document from a text.
  ///
  /// - Throws: ``JSONError`` with the position and the remedy.
  /// - Complexity: O(*n*).
  public init(parsing text: String, options: JSONReadingOptions = JSONReadingOptions()) throws {
    var text = text
    self = try text.withUTF8 {
      try JSONValue(bytes: UnsafeRawBufferPointer($0), options: options)
    }
  }

  private init(bytes: UnsafeRawBufferPointer, options: JSONReadingOptions) throws {
    var document = try JSONDocument(bytes, options: options)
    let tape = JSONTape()
    try document.scanner.scanValue(into: tape)
    try document.expectEnd()
    self = tape.value(0)
  }

  /// Writes the value as JSON text.
  ///
  /// - Parameters:
  ///   - isPretty: Whether lines and indentation are added, for people.
  ///   - sortsKeys: Whether members are sorted by name; otherwise they keep their order.
  /// - Complexity: O(*n*).
  public func data(isPretty: Bool = false, sortsKeys: Bool = false) -> Data {
    let options = JSONWritingOptions(isPretty: isPretty, sortsKeys: sortsKeys)
    return Data(JSONWriter.bytes(of: self, options: options))
  }

  /// The one encoding of this value: sorted names, no white space, exact numbers in one form.
  ///
  /// Equal values have equal bytes. Binary attributes hold JSON in this form.
  ///
  /// - Complexity: O(*n* log *n*).
  public var canonicalData: Data {
    data(sortsKeys: true)
  }

  /// Reads the text of ``canonicalData``, or any other JSON document.
  ///
  /// - Throws: ``JSONError`` when the bytes are no JSON.
  /// - Complexity: O(*n*).
  public init(canonical data: Data) throws {
    try self.init(
      parsing: data, options: JSONReadingOptions(allowsTrailingCommas: false, maximumDepth: 1000))
  }
}

/// Between stored scalars and JSON.
extension JSONValue {
  /// The JSON form of a stored scalar: dates as ISO 8601, bytes as base64.
  package init(scalar value: SyncCore.Value) {
    self =
      switch value {
      case .null: .null
      case .bool(let value): .bool(value)
      case .int(let value): .integer(value)
      case .double(let value): value.isFinite ? .double(value) : .null
      case .decimal(let value): .decimal(value)
      case .string(let value): .string(value)
      case .data(let value): .string(value.base64EncodedString())
      case .date(let value): .string(DateText.iso8601(value))
      case .uuid(let value): .string(value.uuidString)
      case .url(let value): .string(value.absoluteString)
      }
  }
}

extension Value {
  /// The stored form of a JSON value: scalars as they are, arrays and objects as canonical JSON.
  public init(json: JSONValue) {
    self =
      switch json {
      case .null: .null
      case .bool(let value): .bool(value)
      case .integer(let value): .int(value)
      case .decimal(let value): .decimal(value)
      case .double(let value): .double(value)
      case .string(let value): .string(value)
      case .array, .object: .data(json.canonicalData)
      }
  }
}
