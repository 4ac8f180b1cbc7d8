import SyncCore
import Testing

@Suite struct TextMatchingTests {
  private func apply(
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool, _ text: String, _ part: String
  ) -> Bool {
    Array(text.utf8).withUnsafeBytes { text in
      Array(part.utf8).withUnsafeBytes { body(text, $0) }
    }
  }

  @Test(arguments: [
    ("", "", true), ("", "*", true), ("", "?", false), ("abc", "abc", true), ("abc", "ab", false),
    ("abc", "a*", true), ("abc", "*c", true), ("abc", "*b*", true), ("abc", "a?c", true),
    ("abc", "??", false), ("é", "?", true), ("😀x", "?x", true), ("a*c", "a\\*c", true),
    ("abc", "a\\*c", false), ("a?", "a\\?", true), ("aab", "*ab", true), ("abab", "*ab", true),
    ("a\\", "a\\", true), ("mississippi", "m*iss*pi", true), ("mississippi", "m*isx*pi", false),
    ("ABC", "abc", false), ("a\nb", "a?b", true), ("a\u{0}b", "a*b", true),
  ])
  func wildcardsStandForCharacters(text: String, pattern: String, isLike: Bool) {
    #expect(apply(TextMatching.like, text, pattern) == isLike)
  }

  @Test func manyStarsStayFast() {
    let text = String(repeating: "a", count: 5000)
    let pattern = String(repeating: "*a", count: 50) + "*b"
    #expect(!apply(TextMatching.like, text, pattern))
  }

  @Test(arguments: [("abc", "", true), ("", "", true), ("abc", "bc", true), ("abc", "abcd", false)])
  func everyTextContainsAndEndsWithTheEmptyOne(text: String, part: String, holds: Bool) {
    #expect(apply(TextMatching.contains, text, part) == holds)
    #expect(apply(TextMatching.ends, text, part) == holds)
  }

  @Test(arguments: [
    ("ab", "a|ab", true), ("abc", "ab", false), ("a\n", "a", false), ("", "", true),
    ("", ".+", false),
    ("é", "\\p{L}", true), ("a(b", "a\\(b", true), ("ab", "(?x) a b # letters", true),
    ("abc", "(?x) a b # letters", false), ("a", "(?x) a # one\n | b # other", true),
  ])
  func patternsMatchTheWholeText(text: String, pattern: String, matches: Bool) throws {
    #expect(try TextPattern.matches(text, pattern, isCaseInsensitive: false) == matches)
  }

  @Test(arguments: ["(", "[", "a\\", "a)|(b", "(?x) a # (\n ("])
  func aPatternThatIsNoneIsAnError(_ pattern: String) {
    #expect {
      try TextPattern.matches("a", pattern, isCaseInsensitive: false)
    } throws: { ($0 as? FilterError)?.code == .invalidPattern }
  }
}

@Suite struct TextFoldingTests {
  @Test(arguments: [
    ("ABCxyz", "abcxyz"), ("Straße", "strasse"), ("STRASSE", "strasse"), ("ẞ", "ss"), ("Σς", "σσ"),
    ("ÉÀ", "éà"), ("ﬀ", "ff"), ("I", "i"), ("ı", "ı"), ("K", "k"), ("ДЖ", "дж"), ("[`{@", "[`{@"),
  ])
  func foldsCaseWithoutRegardToLanguage(text: String, folded: String) {
    #expect(TextFolding.fold(text, .caseInsensitive).utf8.elementsEqual(folded.utf8))
  }

  @Test(arguments: [
    ("é", "e"), ("e\u{301}", "e"), ("Ångström", "Angstrom"), ("ñ", "n"), ("Ấ", "A"),
    ("が", "が"), ("각", "각"), ("हिन्दी", "हिन्दी"), ("й", "и"), ("שׁ", "ש"), ("abc", "abc"), ("ø", "ø"),
  ])
  func foldsAccentsAndKeepsOtherLetters(text: String, folded: String) {
    #expect(TextFolding.fold(text, .diacriticInsensitive).utf8.elementsEqual(folded.utf8))
  }

  @Test(arguments: [
    TextOptions.caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
  ])
  func foldingTwiceChangesNothingMore(options: TextOptions) {
    for value in (0x20...0x2FFF) + [0xA64A, 0xAB70, 0xAC01, 0xFB01, 0x1F600, 0x10400, 0x1E921] {
      guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
      let once = TextFolding.fold("a\(Character(scalar))", options)
      let twice = TextFolding.fold(once, options)
      #expect(once.utf8.elementsEqual(twice.utf8), "U+\(String(value, radix: 16))")
    }
  }

  @Test func withoutOptionsNothingChanges() {
    #expect(TextFolding.fold("e\u{301}X", []).utf8.elementsEqual("e\u{301}X".utf8))
  }
}
