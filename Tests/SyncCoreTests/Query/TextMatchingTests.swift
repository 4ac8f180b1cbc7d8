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
    ("é", "\\p{L}", true), ("a(b", "a\\(b", true),
  ])
  func patternsMatchTheWholeText(text: String, pattern: String, matches: Bool) throws {
    #expect(try TextPattern.matches(text, pattern, isCaseInsensitive: false) == matches)
  }

  @Test func aPatternThatIsNoneIsAnError() {
    #expect {
      try TextPattern.matches("a", "(", isCaseInsensitive: false)
    } throws: { ($0 as? FilterError)?.code == .invalidPattern }
  }
}
