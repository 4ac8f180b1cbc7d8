/// The way to the list and out of the containers around it.
extension JSONItemReader {
  /// A container on the way to the list.
  struct Frame {
    var isObject: Bool
    /// Offset of its bracket.
    var start: Int
    /// Path of the container.
    var path: String
    /// Name of the member the path goes through, or how many elements were passed.
    var key: String
    var passed: Int
  }

  // MARK: - In

  /// Opens one container for each step of the path and returns the path of what it leads to.
  mutating func followPath(from root: String) throws(JSONError) -> String {
    frames.removeAll(keepingCapacity: true)
    var location = root
    for step in path.steps {
      let byte = try nextByte(location)
      let start = position
      switch byte {
      case UInt8(ascii: "{"):
        document.scanner.position += 1
        frames.append(
          Frame(isObject: true, start: start, path: location, key: step.key, passed: 0))
        guard try findMember(step.key, location) else { throw missingMember(step.key) }
        location += JSONPath.text(ofKey: step.key)
      case UInt8(ascii: "["):
        guard let wanted = step.position else { throw wrongStep(step, location) }
        document.scanner.position += 1
        frames.append(
          Frame(isObject: false, start: start, path: location, key: "", passed: wanted))
        try findElement(wanted, location)
        location += "[\(wanted)]"
      default:
        throw wrongStep(step, location)
      }
    }
    return location
  }

  /// Goes to the value of a member; false when the object ends before.
  private mutating func findMember(_ name: String, _ location: String) throws(JSONError) -> Bool {
    var isFirst = true
    while try beginMember(location, isFirst: isFirst) {
      isFirst = false
      if scratch.isText(0, name) { return true }
      try checkValue(location + JSONPath.text(ofKey: scratch.string(0)))
    }
    return false
  }

  private mutating func findElement(_ wanted: Int, _ location: String) throws(JSONError) {
    var passed = 0
    let start = position - 1
    while try beginElement(location, isFirst: passed == 0) {
      if passed == wanted { return }
      try checkValue("\(location)[\(passed)]")
      passed += 1
    }
    throw document.error(
      .pathNotFound, at: start, path: location,
      "There is no element \(wanted): the array has \(passed). Positions count from 0.")
  }

  private mutating func missingMember(_ name: String) -> JSONError {
    guard let frame = frames.last else { return wrongStep(.key(name), "$") }
    document.scanner.position = frame.start
    do {
      try document.scanner.scanValue(into: scratch)
    } catch {
      return error.inside(frame.path)
    }
    var keys: [String] = []
    var key = 1
    while key < scratch.count {
      keys.append("“\(scratch.string(key))”")
      key = scratch.index(after: key + 1)
    }
    let shown = keys.prefix(20).joined(separator: ", ")
    let list =
      keys.isEmpty
      ? "The object is empty" : "There is \(shown)\(keys.count > 20 ? " and more" : "")"
    return document.error(
      .pathNotFound, at: frame.start, path: frame.path,
      "There is no member “\(name)”. \(list). Correct the path \(path).")
  }

  private mutating func wrongStep(_ step: JSONPath.Step, _ location: String) -> JSONError {
    let start = position
    do {
      try document.scanner.scanValue(into: scratch)
    } catch {
      return error.inside(location)
    }
    let kind = scratch[0].kind
    let advice =
      kind == .array
      ? "Use a position, from 0 to \(scratch[0].count - 1), or end the path before it."
      : "End the path before it, or correct it."
    return document.error(
      .pathNotFound, at: start, path: location,
      "The path \(path) asks for “\(step.key)” in \(kind.text). \(advice)")
  }

  // MARK: - Out

  /// Reads the rest of the containers around the list, innermost first.
  mutating func endFrames() throws(JSONError) {
    while let frame = frames.popLast() {
      if frame.isObject {
        while try beginMember(frame.path, isFirst: false) {
          let key = scratch.string(0)
          if scratch.isText(0, frame.key) {
            throw document.error(
              .duplicateMember, at: position, path: frame.path,
              "The member “\(key)”, which the path goes through, is there twice. Which one is meant "
                + "cannot be told: have the sender repair the document.")
          }
          try checkValue(frame.path + JSONPath.text(ofKey: key))
        }
      } else {
        var passed = frame.passed + 1
        while try beginElement(frame.path, isFirst: false) {
          try checkValue("\(frame.path)[\(passed)]")
          passed += 1
        }
      }
    }
  }

  // MARK: - Pieces

  /// Reads the key of the next member, to the scratch tape, and its colon; false behind the end.
  private mutating func beginMember(
    _ location: String, isFirst: Bool
  ) throws(JSONError) -> Bool {
    guard try separate(location, isFirst: isFirst, end: UInt8(ascii: "}"), .objectSeparator) else {
      return false
    }
    guard bytes[position] == UInt8(ascii: "\"") else { throw error(.key, at: position, location) }
    try checkValue(location)
    guard try nextByte(location) == UInt8(ascii: ":") else {
      throw error(.colon, at: position, location)
    }
    document.scanner.position += 1
    return true
  }

  private mutating func beginElement(
    _ location: String, isFirst: Bool
  ) throws(JSONError) -> Bool {
    try separate(location, isFirst: isFirst, end: UInt8(ascii: "]"), .arraySeparator)
  }

  /// Steps over the comma before a member or element, or over the bracket behind the last one.
  private mutating func separate(
    _ location: String, isFirst: Bool, end: UInt8, _ fault: JSONFault
  ) throws(JSONError) -> Bool {
    var byte = try nextByte(location)
    if !isFirst && byte == UInt8(ascii: ",") {
      document.scanner.position += 1
      byte = try nextByte(location)
      guard byte == end else { return true }
      guard options.allowsTrailingCommas else {
        throw error(.trailingComma, at: position, location)
      }
    }
    if byte == end {
      document.scanner.position += 1
      return false
    }
    guard isFirst else { throw error(fault, at: position, location) }
    return true
  }

  /// Reads a value only to check it.
  private mutating func checkValue(_ location: String) throws(JSONError) {
    do {
      try document.scanner.scanValue(into: scratch)
    } catch {
      throw error.inside(location)
    }
  }

  /// The next byte that is no white space.
  mutating func nextByte(_ location: String) throws(JSONError) -> UInt8 {
    guard !document.skipSpace().isAtEnd else { throw error(.end, at: bytes.count, location) }
    return bytes[position]
  }

  func error(_ fault: JSONFault, at offset: Int, _ location: String) -> JSONError {
    document.error(
      fault.code, at: offset, path: location,
      fault.message(
        found: JSONScanner.byteInWords(bytes, offset), depthLimit: document.scanner.depthLimit))
  }
}
