import SyncCore

/// A scanned item, and where the bytes lie that its offsets count from. Valid until the tape is used
/// for the next item.
struct ItemSource {
  let tape: JSONTape
  let base: UInt
  let tokens: UnsafeMutablePointer<JSONToken>
  /// Where the item stands on the tape.
  let root: Int

  init(tape: JSONTape, base: UInt, root: Int = 0) {
    self.tape = tape
    self.base = base
    self.root = root
    tokens = tape.tokens
  }

  /// Address of a value: what identifies an item of the payload.
  @inline(__always)
  func address(_ token: Int) -> UInt {
    base + UInt(truncatingIfNeeded: tokens[token].start)
  }
}

/// A value under a key of a relationship.
struct LinkCandidate: BitwiseCopyable {
  let rule: Int
  let kind: MemberTarget.Kind
  let precedence: UInt8
  let token: Int

  /// Whether the key is one of identifiers, so that an object does not belong under it.
  var isForReferences: Bool {
    if case .references = kind { true } else { false }
  }
}
