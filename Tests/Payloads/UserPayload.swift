/// Users with three notes each, as an API would send them, the same in every run.
///
/// Each user has ten members beside its notes: a key, five texts, two dates, a double and a
/// boolean; each note has a key, a text and a date. Dates come in six ISO 8601 forms, some texts
/// have escapes or are not ASCII. Keys come in no order, as they do from servers that sort by
/// something else.
///
/// 100,000 of them are about 77 MB.
public struct UserPayload: Sendable {
  /// A payload, compared with ``Variant/base``.
  public enum Variant: String, Sendable, CaseIterable {
    /// All users, as they are in the beginning.
    case base
    /// Every hundredth user and one of its notes have changed.
    case changed
    /// Every user and all of its notes have changed.
    case allChanged
    /// Every tenth user is gone, with its notes, and as many new ones came.
    case churned

    /// Whether the object of a number has changed.
    func changes(_ number: Int) -> Bool {
      self == .allChanged || self == .changed && number % 100 == 7
    }
  }

  /// Objects that a sync of a variant over ``Variant/base`` touches, users and notes together.
  public struct Outcome: Sendable, Equatable {
    public var inserted: Int
    public var updated: Int
    public var deleted: Int
  }

  public let count: Int
  public let seed: UInt64
  private let order: PayloadOrder
  private let noteOrder: PayloadOrder

  public init(count: Int, seed: UInt64 = 1) {
    self.count = count
    self.seed = seed
    order = PayloadOrder(count: count, seed: seed)
    // Notes are numbered in another order than users.
    noteOrder = PayloadOrder(count: count * 3, seed: seed &+ 1)
  }

  /// The document: an array of users.
  public func json(_ variant: Variant = .base) -> [UInt8] {
    text(variant, 0..<count).bytes
  }

  /// Gives the document piece by piece, for payloads that should not be in memory.
  public func forEachPiece(
    _ variant: Variant = .base, users: Int = 10_000, _ body: ([UInt8]) throws -> Void
  ) rethrows {
    for start in stride(from: 0, to: count, by: users) {
      try body(text(variant, start..<min(start + users, count)).bytes)
    }
  }

  private func text(_ variant: Variant, _ positions: Range<Int>) -> PayloadText {
    var text = PayloadText(capacity: positions.count * 800 + 64)
    if positions.lowerBound == 0 { text.append("[") }
    for position in positions {
      let number = order[position]
      if position > 0 { text.append(",") }
      append(variant == .churned && number % 10 == 3 ? number + count : number, variant, &text)
    }
    if positions.upperBound == count { text.append("]\n") }
    return text
  }

  /// The changes that a sync of a variant has to find when the store holds ``Variant/base``.
  public func outcome(_ variant: Variant) -> Outcome {
    let numbers = 0..<count
    switch variant {
    case .base:
      return Outcome(inserted: 0, updated: 0, deleted: 0)
    case .changed:
      return Outcome(inserted: 0, updated: numbers.count(where: variant.changes) * 2, deleted: 0)
    case .allChanged:
      return Outcome(inserted: 0, updated: count * 4, deleted: 0)
    case .churned:
      let gone = numbers.count { $0 % 10 == 3 }
      return Outcome(inserted: gone * 4, updated: 0, deleted: gone * 4)
    }
  }

  private func append(_ number: Int, _ variant: Variant, _ text: inout PayloadText) {
    var random = PayloadRandom(seed: seed ^ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    let isChanged = variant.changes(number)
    text.append("{\"id\":")
    text.append(number + 1)
    text.append(",\"name\":\"")
    text.appendWords(2, &random)
    if isChanged { text.append(" changed") }
    text.append("\",\"email\":\"user")
    text.append(number + 1)
    text.append("@example.com\",\"phone\":\"+")
    text.append(10_000_000_000 + random.below(89_999_999_999))
    text.append("\",\"city\":\"")
    text.appendWords(1, &random)
    text.append("\",\"bio\":\"")
    text.appendWords(24, &random)
    if random.below(20) == 0 { text.append("\\nsaid \\\"yes\\\" \\u00e9") }
    if random.below(20) == 0 { text.append(" \u{e9}t\u{e9} \u{6771}\u{4eac}") }
    text.append("\",\"created_at\":\"")
    text.appendDate(&random)
    text.append("\",\"updated_at\":\"")
    text.appendDate(&random)
    text.append("\",\"score\":")
    text.append(random.below(1000))
    text.append(".")
    text.append(1 + random.below(998))
    text.append(",\"is_active\":")
    text.append(random.below(2) == 0 ? "true" : "false")
    text.append(",\"notes\":[")
    for index in 0..<3 {
      if index > 0 { text.append(",") }
      text.append("{\"id\":")
      text.append(noteKey(number, index))
      text.append(",\"text\":\"")
      text.appendWords(9, &random)
      if isChanged, index == 1 || variant == .allChanged { text.append(" changed") }
      text.append("\",\"created_at\":\"")
      text.appendDate(&random)
      text.append("\"}")
    }
    text.append("]}")
  }

  private func noteKey(_ number: Int, _ index: Int) -> Int {
    (number >= count ? number * 3 + index : noteOrder[number * 3 + index]) + 1
  }
}
