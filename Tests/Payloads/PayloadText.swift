/// JSON text while it is written.
struct PayloadText {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int) {
    bytes.reserveCapacity(capacity)
  }

  mutating func append(_ text: StaticString) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(_ text: PayloadText) { bytes += text.bytes }

  mutating func append(_ number: Int) {
    if number < 10 {
      bytes.append(UInt8(ascii: "0") + UInt8(number))
      return
    }
    append(number / 10)
    bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  /// A number of two digits.
  mutating func appendPair(_ number: Int) {
    if number < 10 { append("0") }
    append(number)
  }

  mutating func appendWords(_ count: Int, _ random: inout PayloadRandom) {
    for index in 0..<count {
      if index > 0 { append(" ") }
      append(PayloadText.words[random.below(PayloadText.words.count)])
    }
  }

  /// A date in one of six ISO 8601 forms.
  mutating func appendDate(_ random: inout PayloadRandom) {
    let form = random.below(6)
    append(2010 + random.below(15))
    append("-")
    appendPair(1 + random.below(12))
    append("-")
    appendPair(1 + random.below(28))
    guard form != 0 else { return }
    append(form == 1 ? " " : "T")
    appendPair(random.below(24))
    append(":")
    appendPair(random.below(60))
    append(":")
    appendPair(random.below(60))
    switch form {
    case 2: append("Z")
    case 3:
      append(".")
      append(100 + random.below(900))
      append("Z")
    case 4: append("+02:00")
    case 5: append("-0530")
    default: break
    }
  }

  private static let words: [StaticString] = [
    "river", "stone", "amber", "cloud", "paper", "green", "winter", "harbor", "silent", "copper",
    "meadow", "orange", "signal", "window", "garden", "bridge", "market", "forest", "candle",
    "summer", "island", "silver", "castle", "valley", "rocket", "violet", "anchor", "shadow",
    "thunder", "compass", "lantern", "orchard",
  ]
}
