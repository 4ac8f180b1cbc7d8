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

  /// Stores keep fingerprints: of plans and items.
  @Test func fingerprintsOfEveryLengthAreWhatStoresHave() {
    let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 * 73 + 19) }
    var sum = ContentFingerprint(low: 0, high: 0)
    bytes.withUnsafeBytes { bytes in
      for first in 0..<3 {
        for count in 0..<100 {
          let part = UnsafeRawBufferPointer(rebasing: bytes[first..<first + count])
          let fingerprint = ContentFingerprint(part, seed: UInt64(count))
          sum.low = sum.low &* 31 &+ fingerprint.low
          sum.high = sum.high &* 31 &+ fingerprint.high
        }
      }
    }
    #expect(sum == ContentFingerprint(low: 0xFA8F_8E4B_7D21_3FB2, high: 0xDE28_05B5_0B57_060B))
  }
}
