import SyncCore
import Testing

@Suite struct ContentFingerprintTests {
  @Test func differentBytesHaveDifferentFingerprints() {
    var fingerprints = Set<ContentFingerprint>()
    var count = 0
    for length in 0..<70 {
      for position in 0..<max(length, 1) {
        var bytes = [UInt8](repeating: 0, count: length)
        if length > 0 { bytes[position] = 1 }
        fingerprints.insert(bytes.withUnsafeBytes { ContentFingerprint($0, seed: 1) })
        count += 1
      }
      fingerprints.insert(
        [UInt8](repeating: 0, count: length).withUnsafeBytes { ContentFingerprint($0, seed: 1) })
      count += length > 0 ? 1 : 0
    }
    #expect(fingerprints.count == count)
  }

  @Test func printsDependOnTheSeedAndNothingElse() {
    #expect(ContentFingerprint("abc", seed: 1) == ContentFingerprint("abc", seed: 1))
    #expect(ContentFingerprint("abc", seed: 1) != ContentFingerprint("abc", seed: 2))
    let padded = [UInt8]("xabcx".utf8)
    padded.withUnsafeBytes { bytes in
      let inner = UnsafeRawBufferPointer(rebasing: bytes[1..<4])
      #expect(ContentFingerprint(inner, seed: 1) == ContentFingerprint("abc", seed: 1))
    }
  }
}
