import Foundation
import SyncCore

/// Lists of constants as JSON arrays for SQLite's `json_each`.
enum JSONList {
  /// Whole numbers; nil when there is something else.
  static func integers(_ values: [Value]) -> String? {
    list(values) { value in
      switch value {
      case .int(let value): String(value)
      case .bool(let value): value ? "1" : "0"
      default: nil
      }
    }
  }

  /// Texts, and decimals, which are stored as such; nil when there is something else. SQLite ends
  /// texts inside JSON at a null character.
  static func texts(_ values: [Value]) -> String? {
    list(values) { value in
      if case .decimal(let decimal) = value { return "\"\(decimal.canonicalText)\"" }
      guard let text = value.text, !text.utf8.contains(0) else { return nil }
      return quoted(text)
    }
  }

  /// Names in their order. SQLite ends a text inside JSON at a null character, so no name with one
  /// is found.
  static func names(_ names: some Sequence<String>) -> String {
    "[" + names.sorted().map(quoted).joined(separator: ",") + "]"
  }

  /// Numbers and dates as the bits of doubles, because SQLite does not read every double exactly.
  static func bits(_ values: [Value]) -> String? {
    list(values) { value in
      switch value {
      case .date(let date):
        String(Int64(bitPattern: date.timeIntervalSinceReferenceDate.bitPattern))
      case .double(let double): String(Int64(bitPattern: double.bitPattern))
      default: nil
      }
    }
  }

  private static func list(_ values: [Value], _ text: (Value) -> String?) -> String? {
    var result = "["
    for (index, value) in values.enumerated() {
      guard let element = text(value) else { return nil }
      if index > 0 { result += "," }
      result += element
    }
    return result + "]"
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
