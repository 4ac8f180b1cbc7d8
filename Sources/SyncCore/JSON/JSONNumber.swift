import Foundation

/// The one text form of every number.
///
/// All digits, no needless zeros, no point behind whole numbers; plain digits while the point
/// stands within 21 digits and at most six zeros lead, else one digit before the point and an
/// exponent. For doubles this is the form of ECMAScript (and RFC 8785 asks for it); larger numbers
/// keep their digits. Infinity, which JSON cannot say, is `1e999`: every reader makes infinity of
/// it. Not-a-number is `null`.
enum JSONNumber {
  /// Hands over the text of a number in any form, for ``NumberText``.
  static func withText<Result>(
    of value: JSONValue, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    var text =
      switch value {
      case .integer(let value): String(value)
      case .decimal(let value): value.description
      case .double(let value): value.description
      default: ""
      }
    return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }

  /// The canonical text of a number; empty for other values.
  static func canonicalText(of value: JSONValue) -> [UInt8] {
    var result: [UInt8] = []
    switch value {
    case .integer(let value): append(value, to: &result)
    case .decimal(let value): append(value, to: &result)
    case .double(let value): append(value, to: &result)
    default: break
    }
    return result
  }

  static func append(_ value: Int64, to output: inout [UInt8]) {
    output.append(contentsOf: String(value).utf8)
  }

  static func append(_ value: Double, to output: inout [UInt8]) {
    guard value.isFinite else {
      output.append(contentsOf: (value.isNaN ? "null" : (value < 0 ? "-1e999" : "1e999")).utf8)
      return
    }
    appendDigits(of: value.description, to: &output)
  }

  static func append(_ value: Decimal, to output: inout [UInt8]) {
    if value.isNaN {
      output.append(contentsOf: "null".utf8)
    } else {
      appendDigits(of: value.description, to: &output)
    }
  }

  private static func appendDigits(of text: String, to output: inout [UInt8]) {
    var text = text
    text.withUTF8 { appendDigits(of: UnsafeRawBufferPointer($0), to: &output) }
  }

  /// Appends the canonical form of a number as it stands in a document, so that it is also the
  /// canonical form of the ``JSONValue`` read from it.
  static func append(numberText bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    guard let number = NumberText(bytes) else { return }
    if number.decimal != nil {
      appendDigits(of: bytes, to: &output)
    } else {
      append(number.double, to: &output)
    }
  }

  /// The value of a number as it stands in a document.
  static func value(_ bytes: UnsafeRawBufferPointer) -> JSONValue {
    guard let number = NumberText(bytes) else { return .null }
    return number.decimal.map { .decimal($0) } ?? .double(number.double)
  }

  /// Appends the significant digits of a valid number in the form described above.
  private static func appendDigits(of bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { digits in
      var count = 0
      var point = 0
      var pastPoint = false
      var index = 0
      scan: while index < bytes.count {
        let byte = bytes[index]
        switch byte {
        case 0x30...0x39:
          if count > 0 || byte != 0x30 {
            digits[count] = byte
            count += 1
            if !pastPoint { point += 1 }
          } else if pastPoint {
            point -= 1
          }
        case UInt8(ascii: "."): pastPoint = true
        case UInt8(ascii: "e"), UInt8(ascii: "E"): break scan
        default: break
        }
        index += 1
      }
      if index < bytes.count {
        let power = UnsafeRawBufferPointer(rebasing: bytes[(index + 1)...])
        point += Int(String(decoding: power, as: UTF8.self)) ?? 0
      }
      while count > 0, digits[count - 1] == 0x30 { count -= 1 }
      guard count > 0 else {
        output.append(0x30)
        return
      }
      if bytes.first == UInt8(ascii: "-") { output.append(UInt8(ascii: "-")) }
      place(UnsafeBufferPointer(digits)[..<count], point: point, in: &output)
    }
  }

  /// Writes digits whose point stands behind the first `point` of them.
  private static func place(
    _ digits: Slice<UnsafeBufferPointer<UInt8>>, point: Int, in output: inout [UInt8]
  ) {
    let zero = UInt8(ascii: "0")
    let dot = UInt8(ascii: ".")
    if point >= digits.count && point <= 21 {
      output.append(contentsOf: digits)
      output.append(contentsOf: repeatElement(zero, count: point - digits.count))
    } else if point > 0 && point <= 21 {
      output.append(contentsOf: digits.prefix(point))
      output.append(dot)
      output.append(contentsOf: digits.dropFirst(point))
    } else if point > -6 && point <= 0 {
      output.append(zero)
      output.append(dot)
      output.append(contentsOf: repeatElement(zero, count: -point))
      output.append(contentsOf: digits)
    } else {
      output.append(contentsOf: digits.prefix(1))
      if digits.count > 1 {
        output.append(dot)
        output.append(contentsOf: digits.dropFirst())
      }
      output.append(contentsOf: point > 0 ? "e+".utf8 : "e-".utf8)
      output.append(contentsOf: String(abs(point - 1)).utf8)
    }
  }
}
