/// Turns names of properties into keys of JSON and back: `createdAt` and `created_at`.
///
/// Pure functions that answer for every text, from any thread.
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
    asciiBytes(name).map(ASCII.snake) ?? snake(characters: name)
  }

  /// ``snake(_:)`` of any text.
  package static func snake(characters name: String) -> String {
    guard let first = name.first else { return "" }
    var result = ""
    var run = ""
    for character in first.lowercased() + name.dropFirst() {
      if character.isUppercase {
        run += character.lowercased()
        continue
      }
      flush(&run, into: &result)
      if !isSeparator(character) { result.append(character) }
    }
    flush(&run, into: &result)
    return result
  }

  private static func flush(_ run: inout String, into result: inout String) {
    guard !run.isEmpty else { return }
    result += "_"
    if let acronym = acronyms.first(where: { run.firstRange(of: $0) != nil }), acronym != run {
      result += acronym + "_" + run.removing(acronym)
    } else {
      result += run
    }
    run = ""
  }

  /// The name for a key: `user_id` gives `userID`. Nil when the key holds a character that no name
  /// can hold.
  public static func camel(_ key: String) -> String? {
    asciiBytes(key).map(ASCII.camel) ?? camel(characters: key)
  }

  /// ``camel(_:)`` of any text.
  package static func camel(characters key: String) -> String? {
    guard key.contains("_") else { return lowercasingFirst(key) }
    guard key.allSatisfy({ isSeparator($0) || isAlphanumeric($0) }) else { return nil }
    let joined = key.split(whereSeparator: isSeparator).map { word in
      acronyms.contains(String(word)) ? word.uppercased() : capitalized(word)
    }.joined()
    let lower = joined.lowercased()
    return acronyms.contains(lower) ? lower : lowercasingFirst(joined)
  }

  /// The snake case form as a person would write it: separators kept, every acronym a word of its
  /// own, whatever its spelling. `URLString` gives `url_string`, `isHTMLValid` `is_html_valid`.
  package static func naturalSnake(_ name: String) -> String {
    asciiBytes(name).map(ASCII.naturalSnake) ?? naturalSnake(characters: name)
  }

  /// ``naturalSnake(_:)`` of any text.
  package static func naturalSnake(characters name: String) -> String {
    let characters = Array(name)
    var words: [String] = []
    var word = ""
    for (index, character) in characters.enumerated() {
      if isSeparator(character) {
        if !word.isEmpty { words.append(word) }
        word = ""
        continue
      }
      if character.isUppercase, !word.isEmpty, startsWord(characters, at: index) {
        words.append(word)
        word = ""
      }
      word += character.lowercased()
    }
    if !word.isEmpty { words.append(word) }
    return words.joined(separator: "_")
  }

  /// Whether a capital begins a word: after a small letter, or as the last capital of a run that
  /// small letters follow. A lone `s` behind capitals is their plural (`plannedToIDs`).
  private static func startsWord(_ characters: [Character], at index: Int) -> Bool {
    guard index > 0, characters[index - 1].isUppercase else { return true }
    guard index + 1 < characters.count, characters[index + 1].isLowercase else { return false }
    let isPlural =
      characters[index + 1] == "s"
      && (index + 2 == characters.count || !characters[index + 2].isLowercase)
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
}

extension Inflection {
  /// The ways to write the words of a snake case name as one: acronyms like other words, and in
  /// capitals.
  static func camelForms(ofSnake name: String) -> [String] {
    let words = name.split(separator: "_").map(String.init)
    guard let first = words.first, words.count > 1 else { return [] }
    let rest = words.dropFirst()
    return [
      first + rest.map { capitalized($0[...]) }.joined(),
      first + rest.map { acronyms.contains($0) ? $0.uppercased() : capitalized($0[...]) }.joined(),
    ]
  }
}

// MARK: - Characters

extension Inflection {
  private static func isSeparator(_ character: Character) -> Bool {
    character == "_" || character == "-" || character == " "
  }

  private static func isAlphanumeric(_ character: Character) -> Bool {
    character.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
        true
      default: false
      }
    }
  }

  static func lowercasingFirst(_ text: String) -> String {
    text.prefix(1).lowercased() + text.dropFirst()
  }

  /// The first letter of each run of letters as a capital, the others small.
  private static func capitalized(_ word: Substring) -> String {
    var result = ""
    var isInside = false
    for character in word {
      result += isInside ? character.lowercased() : character.uppercased()
      isInside = character.isLetter
    }
    return result
  }
}

extension String {
  /// The text without any occurrence of the part.
  fileprivate func removing(_ part: String) -> String {
    var rest = self
    while let range = rest.firstRange(of: part) { rest.removeSubrange(range) }
    return rest
  }
}

// MARK: - Singular

/// The English singular of a name, for keys such as `label_ids` of a relationship `labels`.
extension Inflection {
  /// What the singular of a plural name may be, the likeliest first: `blockedUsers` gives
  /// `blockedUser`, `categories` gives `category` and `categorie`, as `movies` needs. Empty when
  /// the name is no plural by these few rules.
  package static func singulars(_ name: String) -> [String] {
    for (plural, singular) in irregular where hasLastWord(plural, in: name) {
      // Its capital stays: `grandChildren`.
      let kept = name.dropLast(plural.count - 1)
      return [String(kept) + singular.dropFirst()]
    }
    func without(_ count: Int, _ end: String = "") -> String { name.dropLast(count) + end }
    if ["ss", "us", "is"].contains(where: name.hasSuffix) || !name.hasSuffix("s") { return [] }
    if name.count < 3 { return [] }
    if name.hasSuffix("ies") { return [without(3, "y"), without(1)] }
    if ["sses", "uses", "xes", "zes", "ches", "shes", "oes"].contains(where: name.hasSuffix) {
      return [without(2), without(1)]
    }
    return [without(1)]
  }

  private static let irregular = [("people", "person"), ("children", "child")]

  /// Whether a name ends with a word, as `grandChildren` and `grand_children` do.
  private static func hasLastWord(_ word: String, in name: String) -> Bool {
    guard name.lowercased().hasSuffix(word) else { return false }
    let rest = name.dropLast(word.count)
    guard let before = rest.last, let first = name.dropFirst(rest.count).first else { return true }
    return before == "_" || first.isUppercase
  }
}
