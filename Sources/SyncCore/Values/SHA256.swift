/// 256 bits that stand for some bytes, the same everywhere, for which no other bytes can be made:
/// SHA-256 of FIPS 180-4. Takes the bytes in pieces.
package struct SHA256 {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
    0x5be0_cd19,
  ]

  /// Bytes that are no whole block yet.
  private var rest: [UInt8] = []
  private var count: UInt64 = 0

  package init() {}

  /// Adds bytes behind those before.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    count += UInt64(bytes.count)
    var bytes = bytes[...]
    if !rest.isEmpty {
      let missing = bytes.prefix(64 - rest.count)
      rest += missing
      bytes = bytes.dropFirst(missing.count)
      guard rest.count == 64 else { return }
      rest.withUnsafeBytes { compress($0) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count & ~63
    if whole > 0 { compress(UnsafeRawBufferPointer(rebasing: bytes.prefix(whole))) }
    rest += bytes.dropFirst(whole)
  }

  /// The 64 hexadecimal digits for all bytes. Called once, after the last ``update(_:)``.
  package mutating func finish() -> String {
    let bits = count * 8
    rest.append(0x80)
    while rest.count % 64 != 56 { rest.append(0) }
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      rest.append(UInt8(truncatingIfNeeded: bits >> shift))
    }
    rest.withUnsafeBytes { compress($0) }
    return state.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }.joined()
  }

  /// Takes whole blocks.
  private mutating func compress(_ blocks: UnsafeRawBufferPointer) {
    state.withUnsafeMutableBufferPointer { state in
      Self.keys.withUnsafeBufferPointer { keys in
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
          for start in stride(from: 0, to: blocks.count, by: 64) {
            Self.compress(blocks, start, state, keys, words)
          }
        }
      }
    }
  }

  private static func compress(
    _ blocks: UnsafeRawBufferPointer, _ start: Int, _ state: UnsafeMutableBufferPointer<UInt32>,
    _ keys: UnsafeBufferPointer<UInt32>, _ words: UnsafeMutableBufferPointer<UInt32>
  ) {
    for index in 0..<16 {
      words[index] = UInt32(
        bigEndian: blocks.loadUnaligned(fromByteOffset: start &+ index &* 4, as: UInt32.self))
    }
    for index in 16..<64 {
      let (early, late) = (words[index &- 15], words[index &- 2])
      let first = (early >> 7 | early << 25) ^ (early >> 18 | early << 14) ^ early >> 3
      let second = (late >> 17 | late << 15) ^ (late >> 19 | late << 13) ^ late >> 10
      words[index] = words[index &- 16] &+ first &+ words[index &- 7] &+ second
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let high = (e >> 6 | e << 26) ^ (e >> 11 | e << 21) ^ (e >> 25 | e << 7)
      let one = h &+ high &+ (e & f ^ ~e & g) &+ keys[index] &+ words[index]
      let low = (a >> 2 | a << 30) ^ (a >> 13 | a << 19) ^ (a >> 22 | a << 10)
      let two = low &+ (a & b ^ a & c ^ b & c)
      (h, g, f, e) = (g, f, e, d &+ one)
      (d, c, b, a) = (c, b, a, one &+ two)
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }

  private static let keys: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}
