/// All numbers below a count, each once, in an order without pattern.
struct PayloadOrder: Sendable {
  private let numbers: [Int32]

  init(count: Int, seed: UInt64) {
    var random = PayloadRandom(seed: seed)
    var numbers = (0..<Int32(count)).map { $0 }
    for index in numbers.indices.reversed() { numbers.swapAt(index, random.below(index + 1)) }
    self.numbers = numbers
  }

  subscript(position: Int) -> Int { Int(numbers[position]) }
}

/// Random numbers that are the same in every run (SplitMix64), fast enough for every word of 77 MB.
struct PayloadRandom {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var result = state
    result = (result ^ (result >> 30)) &* 0xBF58_476D_1CE4_E5B9
    result = (result ^ (result >> 27)) &* 0x94D0_49BB_1331_11EB
    return result ^ (result >> 31)
  }

  /// A number from 0 up to, and not including, the limit.
  mutating func below(_ limit: Int) -> Int { Int(truncatingIfNeeded: next() >> 1) % limit }
}
