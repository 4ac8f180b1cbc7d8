/// Documents in two many-to-many relationships, given by keys alone, as an API would send them.
///
/// Each document has a key, two texts, a date and a number, four of a thousand tags and two of many
/// people; tags and people come as documents of their own, because keys only refer to objects that
/// are there.
public struct DocumentPayload: Sendable {
  public let count: Int
  public let seed: UInt64

  public init(count: Int, seed: UInt64 = 1) {
    self.count = count
    self.seed = seed
  }

  public var tagCount: Int { min(1000, max(10, count / 10)) }
  public var personCount: Int { max(10, count / 5) }

  /// The tags: key and name.
  public func tags() -> [UInt8] { named(tagCount, salt: 2) }

  /// The people: key and name.
  public func people() -> [UInt8] { named(personCount, salt: 3) }

  private func named(_ count: Int, salt: UInt64) -> [UInt8] {
    var random = PayloadRandom(seed: seed &+ salt)
    var text = PayloadText(capacity: count * 60)
    text.append("[")
    for number in 1...count {
      if number > 1 { text.append(",") }
      text.append("{\"id\":")
      text.append(number)
      text.append(",\"name\":\"")
      text.appendWords(3, &random)
      text.append("\"}")
    }
    text.append("]\n")
    return text.bytes
  }

  /// The documents.
  public func json(_ variant: UserPayload.Variant = .base) -> [UInt8] {
    let order = PayloadOrder(count: count, seed: seed)
    var text = PayloadText(capacity: count * 320 + 64)
    text.append("[")
    for position in 0..<count {
      let number = order[position]
      if position > 0 { text.append(",") }
      append(variant == .churned && number % 10 == 3 ? number + count : number, variant, &text)
    }
    text.append("]\n")
    return text.bytes
  }

  /// The changes that a sync of a variant has to find when the store holds the base; a change of a
  /// list alone counts as an update.
  public func outcome(_ variant: UserPayload.Variant) -> UserPayload.Outcome {
    let numbers = 0..<count
    switch variant {
    case .base:
      return UserPayload.Outcome(inserted: 0, updated: 0, deleted: 0)
    case .changed, .allChanged:
      return UserPayload.Outcome(
        inserted: 0, updated: numbers.count(where: variant.changes), deleted: 0)
    case .churned:
      let gone = numbers.count { $0 % 10 == 3 }
      return UserPayload.Outcome(inserted: gone, updated: 0, deleted: gone)
    }
  }

  private func append(
    _ number: Int, _ variant: UserPayload.Variant, _ text: inout PayloadText
  ) {
    var random = PayloadRandom(seed: seed ^ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    let isChanged = variant.changes(number)
    text.append("{\"id\":")
    text.append(number + 1)
    text.append(",\"title\":\"")
    text.appendWords(4, &random)
    if isChanged { text.append(" changed") }
    text.append("\",\"body\":\"")
    text.appendWords(12, &random)
    text.append("\",\"created_at\":\"")
    text.appendDate(&random)
    text.append("\",\"pages\":")
    text.append(1 + random.below(500))
    text.append(",\"tags_ids\":[")
    appendKeys(4, of: tagCount, shift: isChanged ? 1 : 0, &text, &random)
    text.append("],\"people_ids\":[")
    appendKeys(2, of: personCount, shift: 0, &text, &random)
    text.append("]}")
  }

  /// Different keys: a first one at random, the others at fixed distances from it.
  private func appendKeys(
    _ keys: Int, of total: Int, shift: Int, _ text: inout PayloadText, _ random: inout PayloadRandom
  ) {
    let first = random.below(total) + shift
    for index in 0..<keys {
      if index > 0 { text.append(",") }
      text.append((first + index * (total / keys)) % total + 1)
    }
  }
}
