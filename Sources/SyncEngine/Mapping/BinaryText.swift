package import Foundation
package import SyncCore

/// How JSON says bytes: binary attributes hold JSON values in canonical form, and bytes that are no
/// such form are `{"$base64": "…"}`, so that export and import give the same bytes.
package enum BinaryText {
  static let key = "$base64"

  /// The JSON of the bytes in a binary attribute.
  package static func json(of data: Data) -> JSONValue {
    if let value = try? JSONValue(canonical: data), value.canonicalData == data, !isTagged(value) {
      return value
    }
    return tagged(data)
  }

  /// The bytes as they are.
  package static func tagged(_ data: Data) -> JSONValue {
    [key: .string(data.base64EncodedString())]
  }

  /// The bytes that a JSON value stands for; nil when it is an ordinary one.
  package static func bytes(in json: JSONValue) -> Data? {
    guard isTagged(json), let text = json[key]?.stringValue else { return nil }
    return Data(base64Encoded: text)
  }

  private static func isTagged(_ value: JSONValue) -> Bool {
    value.objectValue.map { $0.count == 1 && $0[key] != nil } ?? false
  }

  /// The bytes that an object of the tape stands for; nil when it is an ordinary one.
  static func bytes(_ index: Int, of tape: JSONTape) -> Data? {
    let token = tape.tokens[index]
    guard token.kind == .object, token.word == 1, tape.string(index + 1) == key,
      case .string(let text) = tape.value(index + 2)
    else { return nil }
    return Data(base64Encoded: text)
  }
}
