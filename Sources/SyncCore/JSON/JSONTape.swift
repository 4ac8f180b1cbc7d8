/// A scanned JSON value as a flat list of tokens, in the order of the text.
///
/// ```
/// {"id": 7, "tags": ["a", "b"]}
///
/// index   0        1      2    3        4       5     6
/// kind    object   "id"   7    "tags"   array   "a"   "b"
/// next    7        2      3    4        7       6     7
/// ```
///
/// An object's members are pairs of a key token and a value; `next` steps over a value with all its
/// content. Members stay in the order of the text, repeated ones too.
///
/// The tape is used again for one value after the other; its memory grows and never shrinks.
/// Strings and numbers stay in the payload, which has to outlive the content of the tape. Confined
/// to its owner.
package final class JSONTape {
  // Private, so that the compiler sees all accesses and leaves their checks out.
  private var storage: UnsafeMutablePointer<JSONToken>
  private var used = 0
  /// The tokens; valid until the next scan.
  package var tokens: UnsafeMutablePointer<JSONToken> { storage }
  /// How many there are.
  package var count: Int { used }
  private(set) var capacity: Int

  /// Makes an empty tape.
  package init(capacity: Int = 256) {
    self.capacity = Swift.max(capacity, 16)
    storage = .allocate(capacity: self.capacity)
  }

  deinit {
    storage.deallocate()
  }

  /// The token at an index.
  package subscript(index: Int) -> JSONToken { tokens[index] }

  /// Index of the token after a value: its next sibling, when there is one.
  package func index(after index: Int) -> Int { Int(tokens[index].next) }

  /// Doubles the memory, which holds `used` tokens, and returns whether that was possible: indexes
  /// have 31 bits.
  func grow(used: Int) -> Bool {
    guard capacity < Int(Int32.max) / 2 else { return false }
    let larger = UnsafeMutablePointer<JSONToken>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: storage, count: used)
    storage.deallocate()
    storage = larger
    capacity *= 2
    return true
  }

  /// Says how many tokens a scan has left.
  func setCount(_ newCount: Int) {
    used = newCount
  }

  /// Forgets all tokens and keeps the memory.
  package func removeAll() {
    used = 0
  }
}

@available(*, unavailable, message: "A tape is confined to the reader that fills it.")
extension JSONTape: Sendable {}

extension JSONTape {
  /// The tree of a value.
  ///
  /// - Complexity: O(*n*) in the size of the value.
  package func value(_ index: Int) -> JSONValue {
    let token = tokens[index]
    switch token.kind {
    case .null: return .null
    case .false: return .bool(false)
    case .true: return .bool(true)
    case .integer: return .integer(token.integer)
    case .number: return JSONNumber.value(token.bytes)
    case .string, .escapedString: return .string(string(index))
    case .array:
      var elements: [JSONValue] = []
      elements.reserveCapacity(token.count)
      var element = index + 1
      while element < Int(token.next) {
        elements.append(value(element))
        element = Int(tokens[element].next)
      }
      return .array(elements)
    case .object:
      var object = JSONObject()
      object.reserveCapacity(token.count)
      var key = index + 1
      while key < Int(token.next) {
        object[string(key)] = value(key + 1)
        key = Int(tokens[key + 1].next)
      }
      return .object(object)
    }
  }

  /// The canonical bytes of a value, as ``JSONValue/canonicalData`` has them, without making a
  /// tree.
  ///
  /// - Complexity: O(*n* log *n*) in the size of the value.
  package func canonical(_ index: Int, arena: CellArena) -> UnsafeRawBufferPointer {
    var writer = JSONWriter()
    writeCanonical(index, to: &writer)
    return writer.bytes.withUnsafeBytes { arena.copy($0) }
  }

  private func writeCanonical(_ index: Int, to writer: inout JSONWriter) {
    let token = tokens[index]
    switch token.kind {
    case .null: writer.null()
    case .false: writer.bool(false)
    case .true: writer.bool(true)
    case .integer: writer.integer(token.integer)
    case .number: writer.number(text: token.bytes)
    case .string: writer.string(utf8: token.bytes)
    case .escapedString: writer.string(string(index))
    case .array:
      writer.beginArray()
      var element = index + 1
      while element < Int(token.next) {
        writeCanonical(element, to: &writer)
        element = Int(tokens[element].next)
      }
      writer.endArray()
    case .object:
      writer.beginObject()
      for member in sortedMembers(index) {
        writer.key(member.key)
        writeCanonical(member.value, to: &writer)
      }
      writer.endObject()
    }
  }

  /// The members of an object by the bytes of their names; of repeated ones the last.
  private func sortedMembers(_ index: Int) -> [(key: String, value: Int)] {
    var members: [(key: String, value: Int)] = []
    var key = index + 1
    while key < Int(tokens[index].next) {
      members.append((string(key), key + 1))
      key = Int(tokens[key + 1].next)
    }
    members.sort { left, right in
      if ByteKey(text: left.key) == ByteKey(text: right.key) { return left.value < right.value }
      return left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
    }
    var result: [(key: String, value: Int)] = []
    for member in members {
      if let last = result.last, ByteKey(text: last.key) == ByteKey(text: member.key) {
        result.removeLast()
      }
      result.append(member)
    }
    return result
  }
}
