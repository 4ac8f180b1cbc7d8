package import Foundation

/// UUIDs as text: 32 hexadecimal digits of either case, with dashes behind the 8th, 12th, 16th and
/// 20th.
package enum UUIDText {
  /// The UUID that a text is; nil when it is none.
  ///
  /// Foundation's own initialiser goes through `sscanf` on Linux, which takes twenty times as long.
  package static func parse(_ text: String) -> UUID? {
    var text = text
    return text.withUTF8 { parse($0) }
  }

  private static func parse(_ text: UnsafeBufferPointer<UInt8>) -> UUID? {
    guard text.count == 36 else { return nil }
    var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    let isValid = withUnsafeMutableBytes(of: &bytes) { bytes in
      var position = 0
      for index in 0..<16 {
        if index == 4 || index == 6 || index == 8 || index == 10 {
          guard text[position] == UInt8(ascii: "-") else { return false }
          position += 1
        }
        guard let high = digit(text[position]), let low = digit(text[position + 1]) else {
          return false
        }
        bytes[index] = high << 4 | low
        position += 2
      }
      return true
    }
    return isValid ? UUID(uuid: bytes) : nil
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
