/// Reads valid JSON of a known shape straight into slots: strings stay in the payload, numbers and
/// dates are read in place, and the member that followed last time is expected again.
struct FloorScanner {
  private var cursor: UnsafePointer<UInt8>
  private let end: UnsafePointer<UInt8>
  private let escapes: EscapeArena

  init(_ bytes: UnsafeRawBufferPointer, escapes: EscapeArena) {
    let start = bytes.baseAddress.map { $0.assumingMemoryBound(to: UInt8.self) }
    cursor = start ?? UnsafePointer(escapes.nothing)
    end = cursor + bytes.count
    self.escapes = escapes
  }

  /// Reads an array of objects.
  mutating func readObjects(into table: FloorTable, parent: Int64 = 0) {
    skip(UInt8(ascii: "["))
    if peek() == UInt8(ascii: "]") {
      cursor += 1
      return
    }
    var position: Int64 = 0
    while cursor < end {
      readObject(into: table, parent: parent, position: position)
      position += 1
      let separator = peek()
      cursor += 1
      if separator == UInt8(ascii: "]") { return }
    }
  }

  private mutating func readObject(into table: FloorTable, parent: Int64, position: Int64) {
    let slots = table.rows.append()
    if table.isChild { slots[1] = .integer(parent) }
    if table.isOrdered { slots[2] = .integer(position) }
    skip(UInt8(ascii: "{"))
    table.members.withUnsafeBufferPointer { members in
      var expected = 0
      while cursor < end {
        skip(UInt8(ascii: "\""))
        let member = find(in: members, expected: &expected)
        skip(UInt8(ascii: ":"))
        _ = peek()
        if let member {
          read(member, of: table, into: slots)
        } else {
          skipValue()
        }
        let separator = peek()
        cursor += 1
        if separator == UInt8(ascii: "}") { return }
      }
    }
  }

  /// The member whose name begins here: the one behind the last one if it is that, else any.
  @inline(__always)
  private mutating func find(
    in members: UnsafeBufferPointer<FloorMember>, expected: inout Int
  ) -> FloorMember? {
    let text = sixteenBytes()
    for _ in members.indices {
      if expected == members.count { expected = 0 }
      let candidate = members[expected]
      expected += 1
      if candidate.matches(text) {
        cursor += candidate.length
        return candidate
      }
    }
    while cursor < end, cursor.pointee != UInt8(ascii: "\"") { cursor += 1 }
    cursor += 1
    return nil
  }

  /// The next sixteen bytes, with zeros behind the end.
  @inline(__always)
  private func sixteenBytes() -> (UInt64, UInt64) {
    if end - cursor >= 16 {
      let words = UnsafeRawPointer(cursor)
      return (
        UInt64(littleEndian: words.loadUnaligned(as: UInt64.self)),
        UInt64(littleEndian: words.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
    func word(_ start: Int) -> UInt64 {
      (start..<start + 8).reversed().reduce(0) {
        $0 << 8 | (cursor + $1 < end ? UInt64(cursor[$1]) : 0)
      }
    }
    return (word(0), word(8))
  }

  @inline(__always)
  private mutating func read(
    _ member: FloorMember, of table: FloorTable,
    into slots: UnsafeMutablePointer<Slot>
  ) {
    let index = member.index
    switch member.target {
    case .children:
      readObjects(into: table.children[index], parent: slots[0].integer)
    case .links:
      readKeys(into: table.links[index], source: slots[0].integer)
    case _ where cursor.pointee == UInt8(ascii: "n"):
      cursor += 4
    case .integer:
      slots[index] = .integer(readInteger())
    case .boolean:
      let isTrue = cursor.pointee == UInt8(ascii: "t")
      cursor += isTrue ? 4 : 5
      slots[index] = .integer(isTrue ? 1 : 0)
    case .real:
      slots[index] = .real(readReal())
    case .text:
      slots[index] = readText()
    case .date:
      cursor += 1
      slots[index] = .integer(FloorDate.milliseconds(&cursor))
      cursor += 1
    }
  }

  private mutating func readKeys(into links: LinkRows, source: Int64) {
    skip(UInt8(ascii: "["))
    if peek() == UInt8(ascii: "]") {
      cursor += 1
      return
    }
    while cursor < end {
      _ = peek()
      links.pairs.append(LinkPair(source, readInteger()))
      let separator = peek()
      cursor += 1
      if separator == UInt8(ascii: "]") { return }
    }
  }

  // MARK: - Values

  @inline(__always)
  private mutating func readInteger() -> Int64 {
    let isNegative = cursor.pointee == UInt8(ascii: "-")
    if isNegative { cursor += 1 }
    var value: Int64 = 0
    while cursor.pointee &- 0x30 <= 9 {
      value = value &* 10 &+ Int64(cursor.pointee &- 0x30)
      cursor += 1
    }
    return isNegative ? -value : value
  }

  /// Exact for up to 15 digits and 22 places (both numbers are exact doubles then).
  private mutating func readReal() -> Double {
    let isNegative = cursor.pointee == UInt8(ascii: "-")
    if isNegative { cursor += 1 }
    var digits: Int64 = 0
    var places = 0
    var isFraction = false
    while true {
      let byte = cursor.pointee
      if byte &- 0x30 <= 9 {
        digits = digits &* 10 &+ Int64(byte &- 0x30)
        if isFraction { places += 1 }
      } else if byte == UInt8(ascii: ".") {
        isFraction = true
      } else {
        break
      }
      cursor += 1
    }
    let value = Double(digits) / FloorScanner.powers[places]
    return isNegative ? -value : value
  }

  private static let powers: [Double] = (0...22).map { exponent in
    (0..<exponent).reduce(1.0) { result, _ in result * 10 }
  }

  @inline(__always)
  private mutating func readText() -> Slot {
    cursor += 1
    let start = cursor
    while end - cursor >= 8 {
      let word = UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self)
      let ones: UInt64 = 0x0101_0101_0101_0101
      let quotes = word ^ (ones &* 0x22)
      let backslashes = word ^ (ones &* 0x5C)
      let found =
        ((quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes) & 0x8080_8080_8080_8080
      if found != 0 {
        cursor += found.trailingZeroBitCount >> 3
        break
      }
      cursor += 8
    }
    while cursor.pointee != UInt8(ascii: "\"") {
      if cursor.pointee == UInt8(ascii: "\\") { return readEscapedText(start) }
      cursor += 1
    }
    let slot = Slot.text(start, cursor - start)
    cursor += 1
    return slot
  }

  @inline(never)
  private mutating func readEscapedText(_ start: UnsafePointer<UInt8>) -> Slot {
    var last = cursor
    while last.pointee != UInt8(ascii: "\"") {
      last += last.pointee == UInt8(ascii: "\\") ? 2 : 1
    }
    cursor = last + 1
    return escapes.unescape(start, last - start)
  }

  // MARK: - Structure

  @inline(__always)
  private mutating func peek() -> UInt8 {
    while cursor < end, cursor.pointee <= 0x20 { cursor += 1 }
    return cursor < end ? cursor.pointee : 0
  }

  @inline(__always)
  private mutating func skip(_ byte: UInt8) {
    if peek() == byte { cursor += 1 }
  }

  @inline(never)
  private mutating func skipValue() {
    var depth = 0
    while cursor < end {
      switch peek() {
      case UInt8(ascii: "\""): _ = readText()
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        cursor += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 { return }
        depth -= 1
        cursor += 1
      case UInt8(ascii: ",") where depth == 0: return
      default: cursor += 1
      }
      if depth == 0, peek() == UInt8(ascii: ",") || peek() == UInt8(ascii: "}") { return }
    }
  }
}
