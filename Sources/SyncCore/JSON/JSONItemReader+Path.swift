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
    /// The step behind it, where the path means each child of the container; else 0.
    var next = 0
    var isEach: Bool { next > 0 }
  }

  /// Whether the present item is one of several that the path leads to.
  var isInsideEach: Bool { frames.contains(where: \.isEach) }

  // MARK: - In

  /// Opens one container for each step of the path, from a number on, and goes into the value at
  /// its end.
  mutating func followPath(from root: String, step first: Int = 0) throws(JSONError) {
    var location = root
    var number = first
    while number < path.steps.count {
      let step = path.steps[number]
      number += 1
      if step == .each, number == path.steps.count { break }
      switch try (step, nextByte(location)) {
      case (.each, let byte) where byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["):
        let isObject = byte == UInt8(ascii: "{")
        frames.append(
          Frame(
            isObject: isObject, start: position, path: location, key: "", passed: 0, next: number))
        document.scanner.position += 1
        guard let child = try nextChild() else {
          state = .listEnded
          return
        }
        location = child
      case (.key, UInt8(ascii: "{")), (.position, UInt8(ascii: "{")):
        frames.append(
          Frame(isObject: true, start: position, path: location, key: step.key, passed: 0))
        document.scanner.position += 1
        guard try findMember(step.key, location) else {
          guard isInsideEach else { throw missingMember(step.key) }
          frames.removeLast()
          return skipAsMissing(location + JSONPath.text(ofKey: step.key))
        }
        location += JSONPath.text(ofKey: step.key)
      case (_, UInt8(ascii: "[")) where step.position != nil:
        let wanted = step.position ?? 0
        frames.append(
          Frame(isObject: false, start: position, path: location, key: "", passed: wanted))
        document.scanner.position += 1
        let count = try findElement(wanted, location)
        location += "[\(wanted)]"
        if count > wanted { break }
        guard isInsideEach else { throw missingElement(wanted, count: count) }
        frames.removeLast()
        return skipAsMissing(location)
      default:
        guard isInsideEach else { throw wrongStep(step, location) }
        try checkValue(location)
        return skipAsMissing(location)
      }
    }
    try openList(at: location, isEach: path.steps.last == .each)
  }

  /// Takes the text passed for an item that is not there.
  private mutating func skipAsMissing(_ location: String) {
    listPath = location
    state = .missing
  }

  /// Goes to the next child of the innermost container, each of whose children counts, or out of
  /// it.
  private mutating func nextChild() throws(JSONError) -> String? {
    let frame = frames[frames.count - 1]
    let isFirst = frame.passed == 0
    let isThere =
      frame.isObject
      ? try beginMember(frame.path, isFirst: isFirst)
      : try beginElement(frame.path, isFirst: isFirst)
    guard isThere else {
      frames.removeLast()
      return nil
    }
    frames[frames.count - 1].passed += 1
    return frame.isObject
      ? frame.path + JSONPath.text(ofKey: scratch.string(0)) : "\(frame.path)[\(frame.passed)]"
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

  /// Goes to an element.
  ///
  /// - Returns: How many elements there are, as far as they were looked at.
  private mutating func findElement(_ wanted: Int, _ location: String) throws(JSONError) -> Int {
    var passed = 0
    while try beginElement(location, isFirst: passed == 0) {
      if passed == wanted { return passed + 1 }
      try checkValue("\(location)[\(passed)]")
      passed += 1
    }
    return passed
  }

  private func missingElement(_ wanted: Int, count: Int) -> JSONError {
    document.error(
      .pathNotFound, at: frames.last?.start ?? 0, path: frames.last?.path ?? "$",
      "There is no element \(wanted): the array has \(count). Positions count from 0.")
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
      ? "Write [] before it for each element, or a position from 0 to \(scratch[0].count - 1), or "
        + "end the path before it."
      : "End the path before it, or correct it."
    return document.error(
      .pathNotFound, at: start, path: location,
      "The path \(path) asks for “\(step.key)” in \(kind.text). \(advice)")
  }

  // MARK: - Out

  /// Reads the rest of the containers around the list, innermost first, up to one of which the next
  /// child counts too.
  mutating func leaveList() throws(JSONError) {
    while let frame = frames.last {
      if frame.isEach {
        guard let child = try nextChild() else { continue }
        return try followPath(from: child, step: frame.next)
      }
      frames.removeLast()
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
    state = .documentEnded
  }

  // MARK: - Pieces

  /// Reads the key of the next member, to the scratch tape, and its colon; false behind the end.
  mutating func beginMember(_ location: String, isFirst: Bool) throws(JSONError) -> Bool {
    guard try separate(location, isFirst: isFirst, end: UInt8(ascii: "}"), .objectSeparator) else {
      return false
    }
    guard bytes[position] == UInt8(ascii: "\"") else { throw error(.key, at: position, location) }
    try scanValue(location)
    guard try nextByte(location) == UInt8(ascii: ":") else {
      throw error(.colon, at: position, location)
    }
    document.scanner.position += 1
    return true
  }

  private mutating func beginElement(_ location: String, isFirst: Bool) throws(JSONError) -> Bool {
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

  /// Reads a value only to check it, or steps over it where that was done before.
  private mutating func checkValue(_ location: String) throws(JSONError) {
    guard isChecked else { return try scanValue(location) }
    guard let end = JSONSkipping.endOfValue(bytes, from: position) else {
      throw error(.end, at: bytes.count, location)
    }
    document.scanner.position = end
  }

  private mutating func scanValue(_ location: String) throws(JSONError) {
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
