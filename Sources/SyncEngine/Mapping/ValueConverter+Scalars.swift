import Foundation
import SyncCore

extension ValueConverter {
  /// Converts a whole number.
  func converted(_ value: Int64, arena: CellArena) -> Conversion {
    switch type {
    case .integer16, .integer32, .integer64:
      fits(value) ? .cell(.integer(value)) : .mismatch(.outOfRange)
    case .double, .float: .cell(.real(rounded(Double(value))))
    case .boolean: .cell(.integer(value == 0 ? 0 : 1))
    case .date where form == .isoDate(isStrict: false): .mismatch(.wrongKind(.number))
    case .date: DateText.unix(value).map { .cell(.real($0)) } ?? .mismatch(.outOfRange)
    case .string, .decimal: .cell(ValueConverter.text(value, arena: arena))
    case .uuid, .uri, .binary: .mismatch(.wrongKind(.number))
    case .transformable: .mismatch(.noTransformer)
    }
  }

  /// Converts a number that is not a 64-bit integer as it stands; `2.0` and `1e3` are whole all the
  /// same.
  func converted(number text: UnsafeRawBufferPointer, arena: CellArena) -> Conversion {
    switch type {
    case .uuid, .uri, .binary: return .mismatch(.wrongKind(.number))
    case .transformable: return .mismatch(.noTransformer)
    case .date where form == .isoDate(isStrict: false): return .mismatch(.wrongKind(.number))
    case .string:
      let number = NumberText(text)
      guard let decimal = number?.decimal else { return .cell(.text(arena.copy(text))) }
      return .cell(arena.text(decimal.canonicalText))
    default:
      guard let number = NumberText(text) else { return .mismatch(.notANumber) }
      return converted(number, arena: arena)
    }
  }

  /// Converts a boolean: 1 or 0 where a number or a text is wanted.
  func converted(_ value: Bool, arena: CellArena) -> Conversion {
    switch type {
    case .uuid, .uri, .binary, .date: .mismatch(.wrongKind(.boolean))
    default: converted(value ? 1 : 0 as Int64, arena: arena)
    }
  }

  /// Converts a number for an attribute whose values are numbers.
  func converted(_ number: borrowing NumberText, arena: CellArena) -> Conversion {
    if form == .wholeNumber, number.integer == nil {
      return .mismatch(number.double.magnitude < 0x1p53 ? .fraction : .outOfRange)
    }
    switch type {
    case .integer16, .integer32, .integer64:
      guard let value = number.integer else {
        // No double beyond 2^53 has a fraction.
        return .mismatch(number.double.magnitude < 0x1p53 ? .fraction : .outOfRange)
      }
      return fits(value) ? .cell(.integer(value)) : .mismatch(.outOfRange)
    case .boolean:
      return .cell(.integer(number.isZero ? 0 : 1))
    case .decimal:
      guard let decimal = number.decimal, !decimal.isNaN else { return .mismatch(.outOfRange) }
      return .cell(arena.text(decimal.canonicalText))
    case .date:
      return DateText.unix(number.double).map { .cell(.real($0)) } ?? .mismatch(.outOfRange)
    default:
      let value = rounded(number.double)
      return holds(value) ? .cell(.real(value)) : .mismatch(.outOfRange)
    }
  }

  /// Whether the attribute can hold a floating-point number: beyond the range of its width it would
  /// be infinite for its readers.
  func holds(_ value: Double) -> Bool {
    type == .float ? Float(value).isFinite : value.isFinite
  }

  /// The number as exactly as the form asks for.
  private func rounded(_ value: Double) -> Double {
    form == .float ? Double(Float(value)) : value
  }

  private func fits(_ value: Int64) -> Bool {
    guard checksWidth else { return true }
    return switch type {
    case .integer16: Int16(exactly: value) != nil
    case .integer32: Int32(exactly: value) != nil
    default: true
    }
  }

  /// The text of an integer.
  private static func text(_ value: Int64, arena: CellArena) -> Cell {
    var rest = value.magnitude
    var length = value < 0 ? 2 : 1
    while rest >= 10 {
      rest /= 10
      length += 1
    }
    let target = arena.allocate(length)
    if value < 0 { target[0] = UInt8(ascii: "-") }
    rest = value.magnitude
    var position = length - 1
    repeat {
      target[position] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
      position -= 1
    } while rest > 0
    return .text(UnsafeRawBufferPointer(target))
  }
}
