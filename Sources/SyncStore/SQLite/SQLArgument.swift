import CSyncStackSQLite
import Foundation
import SyncCore

/// Arguments and results of SQL functions.
enum SQLArgument {
  typealias List = UnsafeMutablePointer<OpaquePointer?>

  /// The bytes of a text argument where SQLite keeps them; nil when it is no text.
  static func bytes(_ arguments: List?, _ index: Int) -> UnsafeRawBufferPointer? {
    guard let argument = arguments?[index], sqlite3_value_type(argument) == SQLITE_TEXT else {
      return nil
    }
    let start = sqlite3_value_text(argument)
    let count = Int(sqlite3_value_bytes(argument))
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  }

  static func text(_ arguments: List?, _ index: Int) -> String? {
    bytes(arguments, index).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A number; texts are decimals.
  static func number(_ argument: OpaquePointer?) -> Value {
    switch sqlite3_value_type(argument) {
    case SQLITE_INTEGER: return .int(sqlite3_value_int64(argument))
    case SQLITE_FLOAT: return .double(sqlite3_value_double(argument))
    case SQLITE_TEXT:
      guard let start = sqlite3_value_text(argument) else { return .null }
      return Decimal(string: String(cString: start), locale: nil).map { .decimal($0) } ?? .null
    default: return .null
    }
  }

  // MARK: - Results

  /// Answers with the result of a comparison of two texts; with NULL when one is missing.
  static func answer(
    _ context: OpaquePointer?, _ arguments: List?,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) {
    guard let left = bytes(arguments, 0), let right = bytes(arguments, 1) else { return }
    sqlite3_result_int(context, body(left, right) ? 1 : 0)
  }

  static func answer(_ context: OpaquePointer?, text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        // An address is needed even for no text: without one SQLite answers NULL.
        let nothing = UnsafeRawPointer(("" as StaticString).utf8Start)
          .assumingMemoryBound(to: CChar.self)
        sqlite3_result_text64(
          context, $0.baseAddress ?? nothing, UInt64($0.count), transient, UInt8(SQLITE_UTF8))
      }
    }
  }

  static func answer(_ context: OpaquePointer?, _ value: Value) {
    switch value {
    case .int(let value): sqlite3_result_int64(context, value)
    case .double(let value): sqlite3_result_double(context, value)
    case .decimal(let value): answer(context, text: value.canonicalText)
    case .string(let value): answer(context, text: value)
    case .date(let value): sqlite3_result_double(context, value.timeIntervalSinceReferenceDate)
    default: sqlite3_result_null(context)
    }
  }

  /// Tells SQLite to copy (SQLITE_TRANSIENT, which is a cast that Swift cannot import).
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
