import Foundation

/// How the text operators of filters compare, over UTF-8; used in memory and by SQL functions.
package enum TextMatching {
  /// Whether the text has the part somewhere in it; every text has the empty one.
  package static func contains(
    _ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer
  ) -> Bool {
    guard let first = part.first else { return true }
    guard text.count >= part.count else { return false }
    for start in 0...(text.count - part.count) where text[start] == first {
      if text[start..<(start + part.count)].elementsEqual(part) { return true }
    }
    return false
  }

  package static func begins(
    _ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer
  ) -> Bool {
    text.count >= part.count && text.prefix(part.count).elementsEqual(part)
  }

  package static func ends(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    text.count >= part.count && text.suffix(part.count).elementsEqual(part)
  }

  /// Whether the whole text is like the pattern: `*` stands for any number of characters, `?` for
  /// one (one Unicode scalar); a backslash takes the meaning from the character behind it.
  ///
  /// - Complexity: O(*n* · *m*) at worst; one star is gone back to at a time.
  package static func like(
    _ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer
  ) -> Bool {
    var position = 0
    var index = 0
    var retry: (position: Int, index: Int)?
    while position < text.count {
      if index < pattern.count, pattern[index] == UInt8(ascii: "*") {
        retry = (position, index + 1)
        index += 1
        continue
      }
      if index < pattern.count, step(text, &position, pattern, &index) { continue }
      guard let last = retry else { return false }
      position = scalarEnd(text, last.position)
      index = last.index
      retry = (position, index)
    }
    while index < pattern.count, pattern[index] == UInt8(ascii: "*") { index += 1 }
    return index == pattern.count
  }

  /// Goes past one character of both when they agree.
  private static func step(
    _ text: UnsafeRawBufferPointer, _ position: inout Int, _ pattern: UnsafeRawBufferPointer,
    _ index: inout Int
  ) -> Bool {
    if pattern[index] == UInt8(ascii: "?") {
      index += 1
      position = scalarEnd(text, position)
      return true
    }
    let isEscaped = pattern[index] == UInt8(ascii: "\\") && index + 1 < pattern.count
    let literal = isEscaped ? index + 1 : index
    guard pattern[literal] == text[position] else { return false }
    index = literal + 1
    position += 1
    return true
  }

  private static func scalarEnd(_ text: UnsafeRawBufferPointer, _ position: Int) -> Int {
    var end = position + 1
    while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
    return end
  }

  /// Applies one of the operators above to two strings.
  static func apply(
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool, _ text: String, _ part: String
  ) -> Bool {
    var text = text
    var part = part
    return text.withUTF8 { text in
      part.withUTF8 { body(UnsafeRawBufferPointer(text), UnsafeRawBufferPointer($0)) }
    }
  }
}

/// Regular expressions of `MATCHES`: the pattern has to match the whole text.
package enum TextPattern {
  private struct Key: Hashable {
    let pattern: String
    let isCaseInsensitive: Bool
  }

  /// Compiled patterns; emptied when it gets large, so that patterns taken from data do not pile
  /// up.
  private static let cache = Locked<[Key: WholeTextPattern]>([:])
  private static let capacity = 64

  /// Whether the whole text matches the pattern.
  ///
  /// - Throws: ``FilterError`` when the pattern is not a regular expression.
  package static func matches(
    _ text: String, _ pattern: String, isCaseInsensitive: Bool
  ) throws(FilterError) -> Bool {
    try compile(pattern, isCaseInsensitive: isCaseInsensitive).matches(text)
  }

  /// - Throws: ``FilterError`` when the pattern is not a regular expression.
  package static func check(_ pattern: String) throws(FilterError) {
    _ = try compile(pattern, isCaseInsensitive: false)
  }

  /// The compiled pattern.
  @discardableResult
  static func compile(
    _ pattern: String, isCaseInsensitive: Bool
  ) throws(FilterError) -> WholeTextPattern {
    let key = Key(pattern: pattern, isCaseInsensitive: isCaseInsensitive)
    if let known = cache.withLock({ $0[key] }) { return known }
    do {
      let compiled = try WholeTextPattern(pattern, isCaseInsensitive: isCaseInsensitive)
      cache.withLock {
        if $0.count >= capacity { $0.removeAll() }
        $0[key] = compiled
      }
      return compiled
    } catch {
      throw FilterError(
        .invalidPattern, expected: "a regular expression", key: pattern,
        message: "“\(pattern)” behind MATCHES is not a regular expression.")
    }
  }
}
