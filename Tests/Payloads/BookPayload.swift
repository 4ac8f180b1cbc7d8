/// Books with their chapters in order, as an API would send them, the same in every run.
///
/// Each book has a key, two texts and a date beside its five chapters; each of these has a key, a
/// title and a number.
public struct BookPayload: Sendable {
  public let count: Int
  public let seed: UInt64

  public init(count: Int, seed: UInt64 = 1) {
    self.count = count
    self.seed = seed
  }

  /// The books. In ``UserPayload/Variant/changed`` every hundredth one has another title, and its
  /// last chapter comes first, so that all of them move; in ``UserPayload/Variant/allChanged`` so
  /// does every one.
  public func json(_ variant: UserPayload.Variant = .base) -> [UInt8] {
    let order = PayloadOrder(count: count, seed: seed)
    var text = PayloadText(capacity: count * 480 + 64)
    text.append("[")
    for position in 0..<count {
      let number = order[position]
      if position > 0 { text.append(",") }
      append(variant == .churned && number % 10 == 3 ? number + count : number, variant, &text)
    }
    text.append("]\n")
    return text.bytes
  }

  /// The changes of books by a sync of a variant, chapters not counted, when the store holds the
  /// base.
  public func outcome(_ variant: UserPayload.Variant) -> UserPayload.Outcome {
    DocumentPayload(count: count, seed: seed).outcome(variant)
  }

  private func append(
    _ number: Int, _ variant: UserPayload.Variant, _ text: inout PayloadText
  ) {
    var random = PayloadRandom(seed: seed ^ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    let isChanged = variant.changes(number)
    text.append("{\"id\":")
    text.append(number + 1)
    text.append(",\"title\":\"")
    text.appendWords(3, &random)
    if isChanged { text.append(" changed") }
    text.append("\",\"author\":\"")
    text.appendWords(2, &random)
    text.append("\",\"published_at\":\"")
    text.appendDate(&random)
    text.append("\",\"chapters\":[")
    let chapters = (0..<BookPayload.chapterCount).map { index in
      var chapter = PayloadRandom(seed: random.next() &+ UInt64(index))
      var text = PayloadText(capacity: 80)
      text.append("{\"id\":")
      text.append(number * BookPayload.chapterCount + index + 1)
      text.append(",\"title\":\"")
      text.appendWords(4, &chapter)
      text.append("\",\"pages\":")
      text.append(1 + chapter.below(60))
      text.append("}")
      return text
    }
    let first = isChanged ? chapters.count - 1 : 0
    for index in chapters.indices {
      if index > 0 { text.append(",") }
      text.append(chapters[(index + first) % chapters.count])
    }
    text.append("]}")
  }

  private static let chapterCount = 5
}
