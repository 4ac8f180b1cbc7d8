import Foundation

/// The one definition of texts that are equal but for case or accents, used in memory and by SQL.
///
/// - Case: the lower-case form of the upper-case form, scalar by scalar, without regard to
///   language, so that “ß” is “ss” and “ς” is “σ”.
/// - Accents: marks above, below and through a letter are taken away after canonical decomposition,
///   then the text is composed again. Signs that make another letter (the dots of Japanese kana,
///   the vowels of Indic scripts) stay.
///
/// Folding twice changes nothing more.
package enum TextFolding {
  /// The folded form of a text.
  ///
  /// - Complexity: O(*n*); ASCII texts take a short cut.
  package static func fold(_ text: String, _ options: TextOptions) -> String {
    guard !options.isEmpty else { return text }
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      return options.contains(.caseInsensitive) ? lowercasedASCII(text) : text
    }
    var result = text
    if options.contains(.caseInsensitive) { result = foldCase(result) }
    if options.contains(.diacriticInsensitive) { result = foldDiacritics(result) }
    return result
  }

  private static func lowercasedASCII(_ text: String) -> String {
    var text = text
    return text.withUTF8 { source in
      String(unsafeUninitializedCapacity: source.count) { target in
        for (index, byte) in source.enumerated() {
          target[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte
        }
        return source.count
      }
    }
  }

  private static func foldCase(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar.isASCII {
        let value = scalar.value
        result.append(value &- 0x41 < 26 ? Unicode.Scalar(UInt8(value | 0x20)) : scalar)
      } else if scalar == "\u{131}" {
        // The dotless i is a letter of its own; its upper-case form is the plain I.
        result.append(scalar)
      } else {
        // Lower case first: the capital ẞ has no upper-case form but the small ß has one.
        for lower in scalar.properties.lowercaseMapping.unicodeScalars {
          for upper in lower.properties.uppercaseMapping.unicodeScalars {
            result.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
          }
        }
      }
    }
    return String(result)
  }

  private static func foldDiacritics(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars
    where !isDiacritic(scalar) {
      result.append(scalar)
    }
    return String(result).precomposedStringWithCanonicalMapping
  }

  /// Combining classes below 10 are signs that belong to their letter: overlays, nuktas, kana
  /// voicing marks, viramas (unicode.org/reports/tr44, table 15). Overlays are accents all the
  /// same.
  private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value >= 0x300 else { return false }
    let properties = scalar.properties
    guard properties.generalCategory == .nonspacingMark else { return false }
    let combiningClass = properties.canonicalCombiningClass.rawValue
    return combiningClass == 1 || combiningClass >= 10
  }
}

/// How texts are compared, besides byte by byte.
public struct TextOptions: OptionSet, Sendable, Hashable {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Upper and lower case are the same: `[c]`.
  public static let caseInsensitive = TextOptions(rawValue: 1)

  /// Letters with and without accents are the same: `[d]`.
  public static let diacriticInsensitive = TextOptions(rawValue: 2)
}

extension TextOptions: CustomStringConvertible {
  /// The options as a filter's text says them: `[cd]`, or nothing.
  public var description: String {
    let letters =
      (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}
