import SyncCore
import Testing

@Suite struct ContentPrintTests {
  @Test func differentBytesHaveDifferentPrints() {
    var prints = Set<ContentPrint>()
    var count = 0
    for length in 0..<70 {
      for position in 0..<max(length, 1) {
        var bytes = [UInt8](repeating: 0, count: length)
        if length > 0 { bytes[position] = 1 }
        prints.insert(bytes.withUnsafeBytes { ContentPrint($0, seed: 1) })
        count += 1
      }
      prints.insert(
        [UInt8](repeating: 0, count: length).withUnsafeBytes { ContentPrint($0, seed: 1) })
      count += length > 0 ? 1 : 0
    }
    #expect(prints.count == count)
  }

  @Test func printsDependOnTheSeedAndNothingElse() {
    #expect(ContentPrint("abc", seed: 1) == ContentPrint("abc", seed: 1))
    #expect(ContentPrint("abc", seed: 1) != ContentPrint("abc", seed: 2))
    let padded = [UInt8]("xabcx".utf8)
    padded.withUnsafeBytes { bytes in
      let inner = UnsafeRawBufferPointer(rebasing: bytes[1..<4])
      #expect(ContentPrint(inner, seed: 1) == ContentPrint("abc", seed: 1))
    }
  }
}
