/// How many cells of a terminal a text takes.
enum TextWidth {
  /// Two for characters of East Asian scripts and pictures, none for marks, one for the rest.
  static func of(_ text: some StringProtocol) -> Int {
    var width = 0
    for character in text { width += of(character) }
    return width
  }

  static func of(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if scalar.isASCII { return scalar.value < 0x20 ? 0 : 1 }
    if scalar.properties.generalCategory == .nonspacingMark { return 0 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F1E6...0x1F1FF, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  /// The text cut to a width, with “…” at its end when something was cut off.
  static func cut(_ text: String, to width: Int) -> String {
    guard of(text) > width else { return text }
    guard width > 0 else { return "" }
    var result = ""
    var used = 0
    for character in text {
      used += of(character)
      if used > width - 1 { break }
      result.append(character)
    }
    return result + "…"
  }

  /// The text with blanks behind it, or before it, up to a width.
  static func pad(_ text: String, to width: Int, right: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, width - of(text)))
    return right ? blanks + text : text + blanks
  }
}
