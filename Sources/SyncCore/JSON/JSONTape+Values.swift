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
