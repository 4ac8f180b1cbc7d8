import SyncCore

/// Fingerprints of how a payload begins, for places further and further on: every byte is read once,
/// however many places there are.
struct PrefixFingerprint {
  private let bytes: UnsafeRawBufferPointer
  private var blockCount = 0
  private var chain: UInt64 = 0
  private static let blockSize = 1 << 20

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// The fingerprint of the first so many bytes, which must not be fewer than the last time.
  ///
  /// - Complexity: O(*n*) in the bytes since then.
  mutating func fingerprint(upTo position: Int) -> ContentFingerprint {
    let size = PrefixFingerprint.blockSize
    while (blockCount + 1) * size <= position {
      let block = fingerprint(blockCount * size..<(blockCount + 1) * size)
      chain = block.low ^ block.high
      blockCount += 1
    }
    return fingerprint(blockCount * size..<position)
  }

  private func fingerprint(_ range: Range<Int>) -> ContentFingerprint {
    ContentFingerprint(UnsafeRawBufferPointer(rebasing: bytes[range]), seed: chain)
  }
}
