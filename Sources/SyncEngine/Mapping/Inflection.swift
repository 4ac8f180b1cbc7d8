/// Turns names of properties into keys of JSON and back: `createdAt` and `created_at`.
///
/// Pure functions that answer for every text, from any thread. They look at numbers of scalars: a
/// plan asks some twenty times for each property, and characters cost thirty times as much.
///
/// - Complexity: O(*n*); a run of *m* capitals that repeats an acronym takes O(*m*²).
public enum Inflection {
  /// In the order in which they are looked for in a run of capitals.
  package static let acronyms = ["uuid", "id", "pdf", "url", "png", "jpg", "uri", "json", "xml"]

  /// The snake case form of a name: `userIDFirst` gives `user_id_first`.
  ///
  /// Capitals that run together are one word, from which one acronym is split off; separators are
  /// dropped.
  public static func snake(_ name: String) -> String {
    var result: [UInt32] = []
    result.reserveCapacity(name.utf8.count + 4)
    var run: [UInt32] = []
    for (index, letter) in letters(name).enumerated() {
      if index > 0, isCapital(letter) {
        addSmall(letter, to: &run)
        continue
      }
      flush(&run, into: &result)
      if isSeparator(letter) { continue }
      if index == 0 { addSmall(letter, to: &result) } else { result.append(letter) }
    }
    flush(&run, into: &result)
    return text(result)
  }

  private static func flush(_ run: inout [UInt32], into result: inout [UInt32]) {
    guard !run.isEmpty else { return }
    result.append(underscore)
    if run.count > 1,
      let acronym = acronymLetters.first(where: { offset(of: $0, in: run) != nil }), acronym != run
    {
      result += acronym
      result.append(underscore)
      while let offset = offset(of: acronym, in: run) {
        run.removeSubrange(offset..<(offset + acronym.count))
      }
    }
    result += run
    run.removeAll(keepingCapacity: true)
  }

  private static func offset(of part: [UInt32], in text: [UInt32]) -> Int? {
    guard text.count >= part.count else { return nil }
    return (0...(text.count - part.count)).first { start in
      part.indices.allSatisfy { text[start + $0] == part[$0] }
    }
  }

  /// The name for a key: `user_id` gives `userID`. Nil when the key holds a character that no name
  /// can hold.
  public static func camel(_ key: String) -> String? {
    let key = letters(key)
    guard key.contains(underscore) else { return text(startingSmall(key)) }
    var joined: [UInt32] = []
    joined.reserveCapacity(key.count)
    for word in key.split(whereSeparator: isSeparator) {
      guard word.allSatisfy(isAlphanumeric) else { return nil }
      let isAcronym = acronymLetters.contains { $0.elementsEqual(word) }
      add(word, isAcronym: isAcronym, to: &joined)
    }
    var small: [UInt32] = []
    for letter in joined { addSmall(letter, to: &small) }
    return text(acronymLetters.contains(small) ? small : startingSmall(joined))
  }

  /// Adds a word: the first letter of each run of letters as a capital, the others small; an
  /// acronym in capitals.
  private static func add(
    _ word: ArraySlice<UInt32>, isAcronym: Bool, to text: inout [UInt32]
  ) {
    var isInside = false
    for letter in word {
      if isInside, !isAcronym { addSmall(letter, to: &text) } else { addCapital(letter, to: &text) }
      isInside = isLetter(letter)
    }
  }

  private static func startingSmall(_ name: [UInt32]) -> [UInt32] {
    var result: [UInt32] = []
    if let first = name.first { addSmall(first, to: &result) }
    return result + name.dropFirst()
  }

  /// The snake case form as a person would write it: separators kept, every acronym a word of its
  /// own, in any spelling. `URLString` gives `url_string`, `isHTMLValid` `is_html_valid`.
  package static func naturalSnake(_ name: String) -> String {
    let name = letters(name)
    var result: [UInt32] = []
    result.reserveCapacity(name.count + 4)
    var isInWord = false
    for (index, letter) in name.enumerated() {
      if isSeparator(letter) {
        isInWord = false
        continue
      }
      if !result.isEmpty, !isInWord || (isCapital(letter) && startsWord(name, at: index)) {
        result.append(underscore)
      }
      isInWord = true
      addSmall(letter, to: &result)
    }
    return text(result)
  }

  /// Whether a capital begins a word: after a small letter, or as the last capital of a run that
  /// small letters follow. A lone `s` behind capitals is their plural (`plannedToIDs`).
  private static func startsWord(_ name: [UInt32], at index: Int) -> Bool {
    guard index > 0, isCapital(name[index - 1]) else { return true }
    guard index + 1 < name.count, isSmall(name[index + 1]) else { return false }
    let isPlural =
      name[index + 1] == 0x73 && (index + 2 == name.count || !isSmall(name[index + 2]))
    return !isPlural
  }

  /// The key that stands for a name by default: ``snake(_:)``, or ``naturalSnake(_:)`` where the
  /// way back from the former does not lead to the name.
  package static func key(for name: String) -> String { key(for: name, snake: snake(name)) }

  /// ``key(for:)``, when the ``snake(_:)`` of the name is known.
  static func key(for name: String, snake: String) -> String {
    if camel(snake) == name { return snake }
    let natural = naturalSnake(name)
    return natural.isEmpty ? name : natural
  }

  /// The ways to write the words of a snake case name as one: acronyms like other words, and in
  /// capitals.
  static func camelForms(ofSnake name: String) -> [String] {
    let words = letters(name).split(separator: underscore)
    guard let first = words.first, words.count > 1 else { return [] }
    return [false, true].map { capitalsForAcronyms in
      var result = Array(first)
      for word in words.dropFirst() {
        let isAcronym = capitalsForAcronyms && acronymLetters.contains { $0.elementsEqual(word) }
        add(word, isAcronym: isAcronym, to: &result)
      }
      return text(result)
    }
  }
}

// MARK: - Letters

extension Inflection {
  private static let acronymLetters = acronyms.map(letters)
  private static let underscore: UInt32 = 0x5F

  // Of ASCII, which almost all names are, scalars are bytes: decoding took most of the time.
  private static func letters(_ text: String) -> [UInt32] {
    let bytes = text.utf8
    guard bytes.allSatisfy({ $0 < 0x80 }) else { return text.unicodeScalars.map(\.value) }
    return bytes.map(UInt32.init)
  }

  private static func text(_ letters: [UInt32]) -> String {
    guard letters.allSatisfy({ $0 < 0x80 }) else {
      return String(decoding: letters, as: UTF32.self)
    }
    return String(unsafeUninitializedCapacity: letters.count) { bytes in
      for (index, letter) in letters.enumerated() {
        bytes[index] = UInt8(truncatingIfNeeded: letter)
      }
      return letters.count
    }
  }

  private static func isSeparator(_ letter: UInt32) -> Bool {
    letter == underscore || letter == 0x2D || letter == 0x20
  }

  /// The Unicode properties of a letter beyond ASCII.
  private static func properties(_ letter: UInt32) -> Unicode.Scalar.Properties? {
    Unicode.Scalar(letter)?.properties
  }

  private static func isCapital(_ letter: UInt32) -> Bool {
    letter < 0x80 ? letter &- 0x41 < 26 : properties(letter)?.isUppercase ?? false
  }

  private static func isSmall(_ letter: UInt32) -> Bool {
    letter < 0x80 ? letter &- 0x61 < 26 : properties(letter)?.isLowercase ?? false
  }

  private static func isLetter(_ letter: UInt32) -> Bool {
    letter < 0x80
      ? isCapital(letter) || isSmall(letter) : properties(letter)?.isAlphabetic ?? false
  }

  /// Whether a name can hold it.
  private static func isAlphanumeric(_ letter: UInt32) -> Bool {
    if letter < 0x80 { return isLetter(letter) || letter &- 0x30 < 10 }
    return switch properties(letter)?.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
      true
    default: false
    }
  }

  private static func addSmall(_ letter: UInt32, to text: inout [UInt32]) {
    if letter < 0x80 { return text.append(isCapital(letter) ? letter | 0x20 : letter) }
    text += letters(properties(letter)?.lowercaseMapping ?? "")
  }

  private static func addCapital(_ letter: UInt32, to text: inout [UInt32]) {
    if letter < 0x80 { return text.append(isSmall(letter) ? letter & ~0x20 : letter) }
    text += letters(properties(letter)?.uppercaseMapping ?? "")
  }
}
