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
  package func value(at path: JSONPath, from index: Int) -> Int? {
    path.steps.reduce(index) { index, step in
      guard let index else { return nil }
      switch tokens[index].kind {
      case .object where step != .each: return member(step.key, of: index)
      case .array: return step.position.flatMap { element($0, of: index) }
      default: return nil
      }
    }
  }
}
