/// Items that need not be read, or only once they are known.
extension JSONItemReader {
  /// Steps over the next item and returns its bounds; nil when there is none.
  ///
  /// Strings and brackets are followed, nothing else is checked. To read the item after all, or to
  /// have it checked, use ``readSkipped(into:)``.
  package mutating func skipNext() throws(JSONError) -> Range<Int>? {
    guard try seekItem() else { return nil }
    try skipItem()
    return itemRange
  }

  /// Steps over further elements of the array as long as a closure knows them: it is shown the rest
  /// of the payload from where the next one begins, and says how many bytes of it are a whole
  /// object or array, or 0. The text between them is checked; where it is wrong, ``skipNext()``
  /// throws.
  ///
  /// - Parameter limit: No element is begun at this offset or behind it.
  /// - Returns: How many they were.
  @inline(__always)
  package mutating func skipElements(
    before limit: Int, _ length: (UnsafeRawBufferPointer) -> Int
  ) -> Int {
    guard case .elements = state, elementCount > 0 else { return 0 }
    let limit = min(limit, bytes.count)
    var count = 0
    var start = itemRange.lowerBound
    var end = position
    while true {
      var next = end
      while next < limit, JSONItemReader.isSpace(bytes[next]) { next += 1 }
      guard next < limit, bytes[next] == UInt8(ascii: ",") else { break }
      next += 1
      while next < limit, JSONItemReader.isSpace(bytes[next]) { next += 1 }
      guard next < limit else { break }
      let known = length(UnsafeRawBufferPointer(rebasing: bytes[next...]))
      guard known > 0, known <= bytes.count - next else { break }
      (start, end) = (next, next + known)
      count += 1
    }
    guard count > 0 else { return 0 }
    document.scanner.position = end
    itemRange = start..<end
    itemIndex += count
    elementCount += count
    return count
  }

  @inline(__always)
  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  private mutating func skipItem() throws(JSONError) {
    let start = position
    if state == .missing { return finishItem(start..<start) }
    guard let end = JSONSkipping.endOfValue(bytes, from: start) else {
      throw error(.end, at: bytes.count, upcomingPath)
    }
    document.scanner.position = end
    finishItem(start..<end)
  }

  /// Reads the item stepped over last and replaces the tokens on the tape.
  ///
  /// - Throws: ``JSONError`` when it is no JSON.
  package func readSkipped(into tape: JSONTape) throws(JSONError) {
    var scanner = document.scanner
    scanner.position = itemRange.lowerBound
    do {
      try scanner.scanValue(into: tape)
    } catch {
      throw error.inside(itemPath)
    }
    guard scanner.position == itemRange.upperBound else {
      throw error(isElement ? .arraySeparator : .value, at: scanner.position, itemPath)
    }
  }
}
