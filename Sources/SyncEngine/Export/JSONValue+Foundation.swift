import Foundation
public import SyncCore

extension JSONValue {
  /// The value as `JSONSerialization` would give it: dictionaries, arrays, text, numbers, booleans,
  /// and `NSNull` for `null`.
  public var foundationValue: Any { foundationValue(bytesAsData: false) }

  /// - Parameter bytesAsData: Whether an object that stands for bytes becomes `Data`.
  fileprivate func foundationValue(bytesAsData: Bool) -> Any {
    if bytesAsData, let data = BinaryText.bytes(in: self) { return data }
    return switch self {
    case .null: NSNull()
    case .bool(let value): value
    case .integer(let value): Int(exactly: value) ?? value
    case .decimal(let value): value
    case .double(let value): value
    case .string(let value): value
    case .array(let elements): elements.map { $0.foundationValue(bytesAsData: bytesAsData) }
    case .object(let object): object.foundationDictionary(bytesAsData: bytesAsData)
    }
  }
}

extension JSONObject {
  /// The members as a dictionary, which has no order; values as in ``JSONValue/foundationValue``.
  public var foundationDictionary: [String: Any] { foundationDictionary(bytesAsData: false) }

  func foundationDictionary(bytesAsData: Bool) -> [String: Any] {
    var result: [String: Any] = [:]
    for member in self {
      result[member.key] = member.value.foundationValue(bytesAsData: bytesAsData)
    }
    return result
  }
}
