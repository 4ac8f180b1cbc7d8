import Foundation
import SyncCore
import Testing

/// UUIDs are read without Foundation's parser, and the same ones.
@Suite struct UUIDTextTests {
  @Test(arguments: [
    "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B810-9dad-11D1-80b4-00C04FD430C8",
  ])
  func takesDigitsOfEitherCase(_ text: String) {
    #expect(UUIDText.parse(text) == UUID(uuidString: text))
    #expect(UUIDText.parse(text)?.uuidString == text.uppercased())
  }

  @Test(arguments: [
    "", "6ba7b810-9dad-11d1-80b4-00c04fd430c", "6ba7b810-9dad-11d1-80b4-00c04fd430c88",
    "6ba7b8109dad11d180b400c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430cg",
    "6ba7b81-09dad-11d1-80b4-00c04fd430c8", "{6ba7b810-9dad-11d1-80b4-00c04fd430c8}",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c\u{e9}", "+6a7b810-9dad-11d1-80b4-00c04fd430c8",
    " 6ba7b810-9dad-11d1-80b4-00c04fd430c8",
  ])
  func takesNothingElse(_ text: String) {
    #expect(UUIDText.parse(text) == nil)
  }

  @Test func takesWhatItWrites() {
    for _ in 0..<200 {
      let id = UUID()
      #expect(UUIDText.parse(id.uuidString) == id)
      #expect(UUIDText.parse(id.uuidString.lowercased()) == id)
    }
  }
}
