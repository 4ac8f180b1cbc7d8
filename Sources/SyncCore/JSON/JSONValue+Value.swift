import Foundation

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
