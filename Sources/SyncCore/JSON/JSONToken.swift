/// One entry of a ``JSONTape``: a value, or the key of an object's member.
///
/// ```
/// kind            word                          length                start
/// null, bool      0                             bytes of the literal  offset of the value
/// integer         bits of the Int64             bytes of its text     offset of its text
/// number          address of its text           bytes of its text     offset of its text
/// string          address behind the quote      bytes of its content  offset of the quote
/// escapedString   the same, escapes as written  the same              offset of the quote
/// object, array   number of members, elements   bytes, brackets too   offset of the bracket
/// ```
///
/// A `number` is one that is no 64-bit integer: it has a fraction or an exponent, or is too large.
package struct JSONToken {
  /// The kind of a token.
  package enum Kind: UInt8, Sendable {
    case null, `false`, `true`, integer, number, string, escapedString, object, array
  }

  /// The word by kind: a number, an address or a count.
  package var word: UInt64
  /// Byte offset of the value in the payload.
  package var start: UInt64
  /// Number of bytes. Containers larger than 4 GB say `UInt32.max`.
  package var length: UInt32
  /// Index of the first token behind this value and everything in it.
  package var next: Int32
  /// The kind of the token.
  package var kind: Kind

  /// Makes a token; the table above tells the fields.
  package init(kind: Kind, word: UInt64, length: UInt32, next: Int32, start: UInt64) {
    self.word = word
    self.start = start
    self.length = length
    self.next = next
    self.kind = kind
  }

  /// The value of an integer.
  package var integer: Int64 { Int64(bitPattern: word) }

  /// Number of members of an object or elements of an array.
  package var count: Int { Int(truncatingIfNeeded: word) }

  /// Whether the token is a string, with or without escapes.
  package var isString: Bool { kind == .string || kind == .escapedString }

  /// The bytes that `word` points to: the content of a string as written, the text of a number.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: UInt(word)), count: Int(length))
  }
}

@available(*, unavailable, message: "A token points into the payload that its reader owns.")
extension JSONToken: Sendable {}

extension JSONToken.Kind {
  /// The kind in words, for messages: “an object”, “a number”.
  package var text: String {
    switch self {
    case .null: "null"
    case .false, .true: "a boolean"
    case .integer, .number: "a number"
    case .string, .escapedString: "a string"
    case .object: "an object"
    case .array: "an array"
    }
  }
}
