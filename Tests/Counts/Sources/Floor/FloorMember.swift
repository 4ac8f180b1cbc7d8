/// A member of a JSON object: the column that it fills, and its name in a form that is compared in
/// two steps.
struct FloorMember {
  enum Target {
    case integer
    case real
    case boolean
    case text
    /// Stored as milliseconds since 1970.
    case date
    /// Objects of another table; its second column takes the key of this object.
    case children
    /// Keys of other objects, for a link table.
    case links
  }

  let target: Target
  /// Of the column, the children's table or the link table.
  let index: Int
  /// Bytes of the name and the quotation mark behind it.
  let length: Int
  private let name: (UInt64, UInt64)
  private let mask: (UInt64, UInt64)

  init(_ name: String, _ target: Target, _ index: Int) {
    let bytes = Array(name.utf8) + [UInt8(ascii: "\"")]
    precondition(bytes.count <= 16, "“\(name)” is longer than 15 bytes.")
    self.target = target
    self.index = index
    length = bytes.count
    func word(_ start: Int, _ byte: (UInt8) -> UInt8) -> UInt64 {
      bytes.dropFirst(start).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64(byte($1)) }
    }
    self.name = (word(0) { $0 }, word(8) { $0 })
    mask = (word(0) { _ in 0xFF }, word(8) { _ in 0xFF })
  }

  /// Whether the rest of the payload begins with the name.
  @inline(__always)
  func matches(_ text: (UInt64, UInt64)) -> Bool {
    (text.0 & mask.0 ^ name.0) | (text.1 & mask.1 ^ name.1) == 0
  }
}
