/// Turns JSON text into tokens, one whole value at a time.
///
/// The scanner checks everything the grammar of RFC 8259 asks for, and UTF-8 where a string is not
/// plain ASCII; ``JSONReadingOptions`` names the leniencies. It needs no memory of its own: while
/// an array or object is open, `next` of its token holds the index of the one around it, so the
/// tape is also the stack. It never reads beyond the buffer, which needs no NUL at its end.
package struct JSONScanner {
  let bytes: UnsafeRawBufferPointer
  let allowsTrailingCommas: Bool
  let depthLimit: Int

  /// Byte offset of the next read.
  package var position = 0

  /// Makes a scanner that starts at the first byte.
  package init(_ bytes: UnsafeRawBufferPointer, options: JSONReadingOptions = JSONReadingOptions())
  {
    self.bytes = bytes
    allowsTrailingCommas = options.allowsTrailingCommas
    depthLimit = options.depthLimit
  }

  /// Reads exactly one value, white space before it included.
  ///
  /// Text behind the value is not looked at.
  ///
  /// - Throws: ``JSONError`` with a path that begins at this value.
  /// - Complexity: O(*n*); no allocation once the tape is large enough.
  package mutating func scanValue(into tape: JSONTape) throws(JSONError) {
    guard let start = bytes.baseAddress else { throw error(.end, at: 0, tape: tape, open: -1) }
    tape.removeAll()
    let outcome = scan(
      from: start.assumingMemoryBound(to: UInt8.self), depthLimit: depthLimit, tape: tape)
    if let fault = outcome.fault {
      throw error(fault, at: outcome.position, tape: tape, open: outcome.open)
    }
    position = outcome.position
  }

  /// How a scan ended: where, and why when it failed.
  struct Outcome {
    var position: Int
    var fault: JSONFault?
    /// The innermost array or object that was open when it failed.
    var open = -1
  }

  private func scan(from base: UnsafePointer<UInt8>, depthLimit: Int, tape: JSONTape) -> Outcome {
    let end = base + bytes.count
    var cursor = base + position
    var tokens = tape.tokens
    var capacity = tape.capacity
    var count = tape.count
    var open = -1
    var depth = 0
    var fault: JSONFault

    values: while true {
      // A value has to begin here. Two tokens are reserved: this one and a key behind it.
      JSONText.skipSpace(&cursor, end)
      if cursor == end {
        fault = .end
        break values
      }
      if count + 2 > capacity {
        guard tape.grow(used: count) else {
          fault = .size
          break values
        }
        tokens = tape.tokens
        capacity = tape.capacity
      }
      let start = cursor
      let offset = UInt64(UInt(bitPattern: start - base))

      switch start.pointee {
      case UInt8(ascii: "\""):
        cursor += 1
        let string = JSONText.scanString(cursor, end)
        cursor = string.end
        if let failed = string.fault {
          fault = failed
          break values
        }
        let length = cursor - start - 1
        guard length <= UInt32.max else {
          fault = .size
          break values
        }
        (tokens + count).initialize(
          to: JSONToken(
            kind: string.isEscaped ? .escapedString : .string,
            word: UInt64(UInt(bitPattern: start + 1)), length: UInt32(truncatingIfNeeded: length),
            next: Int32(truncatingIfNeeded: count + 1), start: offset))
        count += 1
        cursor += 1

      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isObject = start.pointee == UInt8(ascii: "{")
        guard depth < depthLimit else {
          fault = .depth
          break values
        }
        depth += 1
        (tokens + count).initialize(
          to: JSONToken(
            kind: isObject ? .object : .array, word: 0, length: 0,
            next: Int32(truncatingIfNeeded: open), start: offset))
        open = count
        count += 1
        cursor += 1
        JSONText.skipSpace(&cursor, end)
        if cursor == end {
          fault = .end
          break values
        }
        // An empty container is closed below, like any other.
        if cursor.pointee | 0x20 != UInt8(ascii: "}") {
          if !isObject { continue values }
          let key = JSONText.scanKey(&cursor, end, base, tokens + count, index: count)
          if let key {
            fault = key
            break values
          }
          count += 1
          continue values
        }
        // Take back the element that the code behind the switch counts for this container.
        tokens[open].word = UInt64.max

      case UInt8(ascii: "t"):
        guard JSONText.matches(cursor, end, 0x6575_7274) else {
          fault = JSONText.faultOfLiteral(cursor, end, "true")
          break values
        }
        (tokens + count).initialize(
          to: JSONToken(
            kind: .true, word: 0, length: 4, next: Int32(truncatingIfNeeded: count + 1),
            start: offset))
        count += 1
        cursor += 4

      case UInt8(ascii: "n"):
        guard JSONText.matches(cursor, end, 0x6C6C_756E) else {
          fault = JSONText.faultOfLiteral(cursor, end, "null")
          break values
        }
        (tokens + count).initialize(
          to: JSONToken(
            kind: .null, word: 0, length: 4, next: Int32(truncatingIfNeeded: count + 1),
            start: offset))
        count += 1
        cursor += 4

      case UInt8(ascii: "f"):
        guard JSONText.matches(cursor + 1, end, 0x6573_6C61) else {
          fault = JSONText.faultOfLiteral(cursor, end, "false")
          break values
        }
        (tokens + count).initialize(
          to: JSONToken(
            kind: .false, word: 0, length: 5, next: Int32(truncatingIfNeeded: count + 1),
            start: offset))
        count += 1
        cursor += 5

      default:
        let number = JSONText.scanNumber(cursor, end)
        cursor = number.end
        if let failed = number.fault {
          fault = failed
          break values
        }
        guard cursor - start <= UInt32.max else {
          fault = .size
          break values
        }
        (tokens + count).initialize(
          to: JSONToken(
            kind: number.isInteger ? .integer : .number,
            word: number.isInteger ? number.value : UInt64(UInt(bitPattern: start)),
            length: UInt32(truncatingIfNeeded: cursor - start),
            next: Int32(truncatingIfNeeded: count + 1), start: offset))
        count += 1
      }

      // A value has ended: a comma goes on in the same container, a bracket closes it, and the
      // closed container is a value that has ended.
      while true {
        if open < 0 {
          tape.setCount(count)
          return Outcome(position: cursor - base, fault: nil)
        }
        let container = tokens + open
        container.pointee.word &+= 1
        JSONText.skipSpace(&cursor, end)
        if cursor == end {
          fault = .end
          break values
        }
        let isObject = container.pointee.kind == .object
        if cursor.pointee == UInt8(ascii: ",") {
          cursor += 1
          JSONText.skipSpace(&cursor, end)
          if cursor == end {
            fault = .end
            break values
          }
          if cursor.pointee != (isObject ? 0x7D : 0x5D) {
            if !isObject { continue values }
            if count + 2 > capacity {
              guard tape.grow(used: count) else {
                fault = .size
                break values
              }
              tokens = tape.tokens
              capacity = tape.capacity
            }
            let key = JSONText.scanKey(&cursor, end, base, tokens + count, index: count)
            if let key {
              fault = key
              break values
            }
            count += 1
            continue values
          }
          guard allowsTrailingCommas else {
            fault = .trailingComma
            break values
          }
        }
        guard cursor.pointee == (isObject ? 0x7D : 0x5D) else {
          fault = isObject ? .objectSeparator : .arraySeparator
          break values
        }
        cursor += 1
        let length = cursor - base - Int(container.pointee.start)
        container.pointee.length = UInt32(clamping: length)
        open = Int(container.pointee.next)
        container.pointee.next = Int32(truncatingIfNeeded: count)
        depth -= 1
      }
    }

    tape.setCount(count)
    return Outcome(position: cursor - base, fault: fault, open: open)
  }
}
