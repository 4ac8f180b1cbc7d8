import SyncCore
import TestSupport
import Testing

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
