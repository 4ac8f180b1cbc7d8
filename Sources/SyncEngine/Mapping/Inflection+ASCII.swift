/// The same for names in ASCII, which almost all are, byte by byte: a plan asks some twenty times
/// for each property, and characters cost thirty times what bytes do.
extension Inflection {
  /// The bytes of a text of which each is a character of its own; nil for any other.
  static func asciiBytes(_ text: String) -> [UInt8]? {
    let bytes = Array(text.utf8)
    // A carriage return may be one character together with what follows.
    return bytes.allSatisfy { $0 < 0x80 && $0 != 0x0D } ? bytes : nil
  }

  enum ASCII {
    private static let acronyms = Inflection.acronyms.map { Array($0.utf8) }

    static func snake(_ name: [UInt8]) -> String {
      var result: [UInt8] = []
      result.reserveCapacity(name.count + 4)
      var run: [UInt8] = []
      for (index, byte) in name.enumerated() {
        if index > 0, isCapital(byte) {
          run.append(byte | 0x20)
          continue
        }
        flush(&run, into: &result)
        if !isSeparator(byte) { result.append(index == 0 ? small(byte) : byte) }
      }
      flush(&run, into: &result)
      return String(decoding: result, as: UTF8.self)
    }

    private static func flush(_ run: inout [UInt8], into result: inout [UInt8]) {
      guard !run.isEmpty else { return }
      result.append(UInt8(ascii: "_"))
      if run.count > 1, let acronym = acronyms.first(where: { offset(of: $0, in: run) != nil }),
        acronym != run
      {
        result += acronym
        result.append(UInt8(ascii: "_"))
        while let offset = offset(of: acronym, in: run) {
          run.removeSubrange(offset..<(offset + acronym.count))
        }
      }
      result += run
      run.removeAll(keepingCapacity: true)
    }

    private static func offset(of part: [UInt8], in text: [UInt8]) -> Int? {
      guard text.count >= part.count else { return nil }
      return (0...(text.count - part.count)).first { start in
        part.indices.allSatisfy { text[start + $0] == part[$0] }
      }
    }

    static func camel(_ key: [UInt8]) -> String? {
      var key = key
      if key.contains(UInt8(ascii: "_")) {
        guard join(&key) else { return nil }
        if isAcronym(key[...], ignoringCase: true) {
          for index in key.indices { key[index] = small(key[index]) }
        }
      }
      if let first = key.first { key[0] = small(first) }
      return String(decoding: key, as: UTF8.self)
    }

    /// Joins words, each with a capital in front of every run of letters, acronyms all in capitals.
    ///
    /// - Returns: False when there is a byte that no name can hold.
    private static func join(_ key: inout [UInt8]) -> Bool {
      var end = 0
      var start = 0
      for index in 0...key.count {
        if index < key.count, !isSeparator(key[index]) {
          guard isLetter(key[index]) || isDigit(key[index]) else { return false }
          continue
        }
        let isAcronym = isAcronym(key[start..<index], ignoringCase: false)
        var isInside = false
        for position in start..<index {
          let byte = key[position]
          key[end] = isInside && !isAcronym ? small(byte) : capital(byte)
          isInside = isLetter(byte)
          end += 1
        }
        start = index + 1
      }
      key.removeSubrange(end...)
      return true
    }

    private static func isAcronym(_ word: ArraySlice<UInt8>, ignoringCase: Bool) -> Bool {
      acronyms.contains { acronym in
        acronym.count == word.count
          && zip(acronym, word).allSatisfy { $0 == (ignoringCase ? small($1) : $1) }
      }
    }

    static func naturalSnake(_ name: [UInt8]) -> String {
      var result: [UInt8] = []
      result.reserveCapacity(name.count + 4)
      var isInWord = false
      for (index, byte) in name.enumerated() {
        if isSeparator(byte) {
          isInWord = false
          continue
        }
        if !isInWord || isCapital(byte) && startsWord(name, at: index), !result.isEmpty {
          result.append(UInt8(ascii: "_"))
        }
        isInWord = true
        result.append(small(byte))
      }
      return String(decoding: result, as: UTF8.self)
    }

    private static func startsWord(_ name: [UInt8], at index: Int) -> Bool {
      guard index > 0, isCapital(name[index - 1]) else { return true }
      guard index + 1 < name.count, isSmall(name[index + 1]) else { return false }
      let isPlural =
        name[index + 1] == UInt8(ascii: "s")
        && (index + 2 == name.count || !isSmall(name[index + 2]))
      return !isPlural
    }

    // MARK: - Bytes

    private static func isSeparator(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ")
    }

    private static func isCapital(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }
    private static func isSmall(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }
    private static func isLetter(_ byte: UInt8) -> Bool { isCapital(byte) || isSmall(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
    private static func small(_ byte: UInt8) -> UInt8 { isCapital(byte) ? byte | 0x20 : byte }
    private static func capital(_ byte: UInt8) -> UInt8 { isSmall(byte) ? byte & ~0x20 : byte }
  }
}
