import Foundation
import SyncStack

/// Stored values as people read them.
enum CellText {
  /// Bytes that are looked at as JSON at most.
  private static let longestJSON = 65_536

  /// The value of an attribute; nothing for no value, quotation marks for a text without letters.
  static func of(_ value: Value, _ type: AttributeType?) -> String {
    guard !value.isNull else { return "" }
    if case .string("") = value { return "\"\"" }
    guard case .data(let data) = value else { return value.description }
    if type == .transformable, let content = Value(archive: data) { return of(content, .binary) }
    return json(data) ?? value.description
  }

  /// JSON that is kept as it stands, as attributes of a program's own types are.
  private static func json(_ data: Data) -> String? {
    guard data.count <= longestJSON, (try? JSONValue(parsing: data)) != nil else { return nil }
    return String(data: data, encoding: .utf8)
  }
}
