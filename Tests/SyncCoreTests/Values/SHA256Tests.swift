import Testing

@testable import SyncCore

/// The examples of FIPS 180-4, and that pieces make no difference.
@Suite struct SHA256Tests {
  private func hash(_ bytes: [UInt8], piece: Int = .max) -> String {
    var hash = SHA256()
    var rest = bytes[...]
    while !rest.isEmpty {
      Array(rest.prefix(piece)).withUnsafeBytes { hash.update($0) }
      rest = rest.dropFirst(piece)
    }
    return hash.finish()
  }

  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 100_000),
      "6d1cf22d7cc09b085dfc25ee1a1f3ae0265804c607bc2074ad253bcc82fd81ee"
    ),
  ])
  func theExamplesOfTheStandardComeOut(_ text: String, _ digits: String) {
    #expect(hash(Array(text.utf8)) == digits)
  }

  @Test func piecesMakeNoDifference() {
    for count in [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let whole = hash(bytes)
      for piece in [1, 3, 63, 64, 65, 200] { #expect(hash(bytes, piece: piece) == whole) }
    }
  }
}
