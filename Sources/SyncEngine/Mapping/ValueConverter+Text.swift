import Foundation
import SyncCore

extension ValueConverter {
  /// Converts text, which stays valid as long as the arena or the payload.
  func converted(text: UnsafeRawBufferPointer, arena: CellArena) -> Conversion {
    switch type {
    case .string: return .cell(.text(text))
    case .date: return date(text)
    case .uuid: return ValueConverter.uuid(text, arena: arena)
    case .uri: return ValueConverter.url(text, arena: arena)
    case .binary: return base64(text, arena: arena)
    case .transformable: return .mismatch(.noTransformer)
    case .boolean where ValueConverter.boolean(text) != nil:
      return .cell(.integer(ValueConverter.boolean(text) == true ? 1 : 0))
    case .integer16, .integer32, .integer64, .double, .float, .boolean, .decimal:
      guard let number = NumberText(text), text.first != UInt8(ascii: "+") else {
        return .mismatch(.notANumber)
      }
      return converted(number, arena: arena)
    }
  }

  private func date(_ text: UnsafeRawBufferPointer) -> Conversion {
    switch form {
    case .isoDate where text.isEmpty:
      return .cell(.null)
    case .isoDate(let isStrict):
      // A day alone is the moment at which it begins in UTC.
      let date =
        ZonedDateText.parse(text, isStrict: isStrict)
        ?? (text.count == 10 ? DateText.parse(text) : nil)
      return date.map { .cell(.real($0)) } ?? .mismatch(.notADate)
    case .unixTime:
      return DateText.unix(text).map { .cell(.real($0)) } ?? .mismatch(.notADate)
    default:
      return DateText.parse(text).map { .cell(.real($0)) } ?? .mismatch(.notADate)
    }
  }

  /// The boolean that a word stands for, in letters of any size; nil for everything else.
  private static func boolean(_ text: UnsafeRawBufferPointer) -> Bool? {
    func isWord(_ word: StaticString) -> Bool {
      text.count == word.utf8CodeUnitCount
        && text.indices.allSatisfy { text[$0] | 0x20 == word.utf8Start[$0] }
    }
    guard text.count < 6 else { return nil }
    if isWord("true") || isWord("yes") { return true }
    return isWord("false") || isWord("no") ? false : nil
  }

  /// A UUID in its one spelling: capitals and dashes.
  private static func uuid(_ text: UnsafeRawBufferPointer, arena: CellArena) -> Conversion {
    guard text.count == 36 else { return .mismatch(.notAUUID) }
    let target = arena.allocate(36)
    for (position, byte) in text.enumerated() {
      switch (position, byte) {
      case (8, UInt8(ascii: "-")), (13, UInt8(ascii: "-")), (18, UInt8(ascii: "-")),
        (23, UInt8(ascii: "-")):
        target[position] = byte
      case (8, _), (13, _), (18, _), (23, _):
        return .mismatch(.notAUUID)
      case (_, UInt8(ascii: "0")...UInt8(ascii: "9")), (_, UInt8(ascii: "A")...UInt8(ascii: "F")):
        target[position] = byte
      case (_, UInt8(ascii: "a")...UInt8(ascii: "f")):
        target[position] = byte & ~0x20
      default:
        return .mismatch(.notAUUID)
      }
    }
    return .cell(.text(UnsafeRawBufferPointer(target)))
  }

  /// The absolute string of a URL.
  private static func url(_ text: UnsafeRawBufferPointer, arena: CellArena) -> Conversion {
    if isPlainURL(text) { return .cell(.text(text)) }
    guard let url = URLText.parse(String(decoding: text, as: UTF8.self)) else {
      return .mismatch(.notAURL)
    }
    return .cell(arena.text(url.absoluteString))
  }

  /// Whether the text is a web address that needs no escapes and no second look: `https://`, a
  /// plain host, a plain path and query. Most are, and making a URL of one costs microseconds.
  private static func isPlainURL(_ text: UnsafeRawBufferPointer) -> Bool {
    let scheme = hasPrefix(text, "https://") ? 8 : (hasPrefix(text, "http://") ? 7 : 0)
    guard scheme > 0, text.count > scheme else { return false }
    var isHost = true
    for (offset, byte) in text.dropFirst(scheme).enumerated() {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
        continue
      case UInt8(ascii: "/") where offset > 0:
        isHost = false
      case UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "?"), UInt8(ascii: "="),
        UInt8(ascii: "&"), UInt8(ascii: "+"), UInt8(ascii: ","):
        if isHost { return false }
      default:
        return false
      }
    }
    return true
  }

  private static func hasPrefix(_ text: UnsafeRawBufferPointer, _ prefix: StaticString) -> Bool {
    let length = prefix.utf8CodeUnitCount
    guard text.count >= length else { return false }
    return (0..<length).allSatisfy { text[$0] == prefix.utf8Start[$0] }
  }

  private func base64(_ text: UnsafeRawBufferPointer, arena: CellArena) -> Conversion {
    guard let data = Data(base64Encoded: Data(text)) else { return .mismatch(.notBase64) }
    return .cell(arena.blob(data))
  }
}
