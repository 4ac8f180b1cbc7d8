extension JSONTape {
  /// The content of a string or key in UTF-8: in place in the payload, or in the arena when escapes
  /// had to be undone. For a number, its text.
  ///
  /// - Complexity: O(1) without escapes, else O(*n*).
  package func text(_ index: Int, arena: CellArena) -> UnsafeRawBufferPointer {
    let token = tokens[index]
    switch token.kind {
    case .escapedString:
      let target = arena.allocate(Int(token.length))
      let count = JSONUnescaping.unescape(token.bytes, into: target)
      return UnsafeRawBufferPointer(rebasing: target[..<count])
    case .string, .number:
      return token.bytes
    case .null, .false, .true, .integer, .object, .array:
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
  }

  /// The content of a string or key, or the text of a number; empty for other values.
  ///
  /// - Complexity: O(*n*).
  package func string(_ index: Int) -> String {
    let token = tokens[index]
    switch token.kind {
    case .escapedString:
      return String(unsafeUninitializedCapacity: Int(token.length)) { target in
        JSONUnescaping.unescape(token.bytes, into: UnsafeMutableRawBufferPointer(target))
      }
    case .string, .number:
      return String(decoding: token.bytes, as: UTF8.self)
    case .integer:
      return String(token.integer)
    case .null, .false, .true, .object, .array:
      return ""
    }
  }

  /// Whether the content of a string or key is these bytes.
  ///
  /// - Complexity: O(*n*).
  package func isText(_ index: Int, _ other: UnsafeRawBufferPointer) -> Bool {
    let token = tokens[index]
    switch token.kind {
    case .string:
      return token.bytes.elementsEqual(other)
    case .escapedString:
      return string(index).utf8.elementsEqual(other)
    default:
      return false
    }
  }

  /// Whether the content of a string or key is this text, byte by byte.
  func isText(_ index: Int, _ other: String) -> Bool {
    var other = other
    return other.withUTF8 { isText(index, UnsafeRawBufferPointer($0)) }
  }

  /// Index of the value of a member; nil when the value is no object or has no such member. Of
  /// members that are there more than once, the last one counts.
  ///
  /// - Complexity: O(*n*) in the number of members.
  package func member(_ name: String, of index: Int) -> Int? {
    guard tokens[index].kind == .object else { return nil }
    var name = name
    return name.withUTF8 { bytes in
      let name = UnsafeRawBufferPointer(bytes)
      var found: Int?
      var key = index + 1
      let end = Int(tokens[index].next)
      while key < end {
        if isText(key, name) { found = key + 1 }
        key = Int(tokens[key + 1].next)
      }
      return found
    }
  }

  /// Index of an element; nil when the value is no array or is shorter.
  ///
  /// - Complexity: O(`position`).
  package func element(_ position: Int, of index: Int) -> Int? {
    let token = tokens[index]
    guard token.kind == .array, position >= 0, position < token.count else { return nil }
    var element = index + 1
    for _ in 0..<position { element = Int(tokens[element].next) }
    return element
  }

  /// Index of the value a path leads to from a value; nil when it leads nowhere.
  package func value(at path: JSONPath, from index: Int = 0) -> Int? {
    path.steps.reduce(index) { index, step in
      guard let index else { return nil }
      switch tokens[index].kind {
      case .object: return member(step.key, of: index)
      case .array: return step.position.flatMap { element($0, of: index) }
      default: return nil
      }
    }
  }
}

/// Undoes the escapes of strings that a scanner has checked.
enum JSONUnescaping {
  /// Writes the content of a string and returns its length, which never exceeds that of the text.
  static func unescape(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) -> Int {
    var read = 0
    var written = 0
    while read < source.count {
      let byte = source[read]
      guard byte == UInt8(ascii: "\\") else {
        target[written] = byte
        read += 1
        written += 1
        continue
      }
      let escape = source[read + 1]
      read += 2
      switch escape {
      case UInt8(ascii: "b"): target[written] = 0x08
      case UInt8(ascii: "f"): target[written] = 0x0C
      case UInt8(ascii: "n"): target[written] = 0x0A
      case UInt8(ascii: "r"): target[written] = 0x0D
      case UInt8(ascii: "t"): target[written] = 0x09
      case UInt8(ascii: "u"):
        let scalar = self.scalar(source, &read)
        written += append(scalar, to: target, at: written)
        continue
      default: target[written] = escape
      }
      written += 1
    }
    return written
  }

  /// The character of a `\u` escape whose digits begin at `read`; both halves of a pair, U+FFFD for
  /// half a pair.
  private static func scalar(_ source: UnsafeRawBufferPointer, _ read: inout Int) -> UInt32 {
    let first = hexadecimal(source, read)
    read += 4
    guard first & 0xF800 == 0xD800 else { return first }
    guard first < 0xDC00, read + 6 <= source.count, source[read] == UInt8(ascii: "\\"),
      source[read + 1] == UInt8(ascii: "u")
    else { return 0xFFFD }
    let second = hexadecimal(source, read + 2)
    guard second & 0xFC00 == 0xDC00 else { return 0xFFFD }
    read += 6
    return 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
  }

  private static func hexadecimal(_ source: UnsafeRawBufferPointer, _ index: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 << 4 | (JSONText.hexDigit(source[index + $1]) ?? 0) }
  }

  /// Writes a character in UTF-8 and returns its length.
  private static func append(
    _ scalar: UInt32, to target: UnsafeMutableRawBufferPointer, at index: Int
  ) -> Int {
    switch scalar {
    case 0..<0x80:
      target[index] = UInt8(scalar)
      return 1
    case 0x80..<0x800:
      target[index] = UInt8(0xC0 | scalar >> 6)
      target[index + 1] = UInt8(0x80 | scalar & 0x3F)
      return 2
    case 0x800..<0x10000:
      target[index] = UInt8(0xE0 | scalar >> 12)
      target[index + 1] = UInt8(0x80 | scalar >> 6 & 0x3F)
      target[index + 2] = UInt8(0x80 | scalar & 0x3F)
      return 3
    default:
      target[index] = UInt8(0xF0 | scalar >> 18)
      target[index + 1] = UInt8(0x80 | scalar >> 12 & 0x3F)
      target[index + 2] = UInt8(0x80 | scalar >> 6 & 0x3F)
      target[index + 3] = UInt8(0x80 | scalar & 0x3F)
      return 4
    }
  }
}
