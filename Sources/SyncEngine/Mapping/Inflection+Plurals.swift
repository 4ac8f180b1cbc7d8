/// English plurals and singulars of names, for keys such as `label_ids` of a relationship `labels`.
///
/// Of a name in camel or snake case only the last word is changed: `blockedUsers`, `node_children`.
extension Inflection {
  /// The possible singulars of a plural name, the likeliest first: `blockedUsers` gives
  /// `blockedUser`, `categories` gives `category` and `categorie`. Empty when the name is no plural
  /// by rules and lists of words.
  package static func singulars(_ name: String) -> [String] {
    guard name.utf8.count >= 3 else { return [] }
    return changingLastWord(of: name) { word in
      if EnglishWords.unchanged.contains(word) { return [] }
      if let known = EnglishWords.singulars[word] { return known }
      for (plural, singular) in EnglishWords.endings where word.hasSuffix(plural) {
        return [word.dropLast(plural.count) + singular]
      }
      return singularsByRule(word)
    }
  }

  /// The name of several: `noteTag` gives `noteTags`, `category` gives `categories`.
  package static func plural(_ name: String) -> String {
    changingLastWord(of: name) { word in
      if let known = EnglishWords.plurals[word] { return [known] }
      for (plural, singular) in EnglishWords.endings where word.hasSuffix(singular) {
        return [word.dropLast(singular.count) + plural]
      }
      return EnglishWords.unchanged.contains(word) ? [word] : [pluralByRule(word)]
    }[0]
  }

  // MARK: - Rules

  private static func singularsByRule(_ word: String) -> [String] {
    func without(_ count: Int, _ end: String = "") -> String { word.dropLast(count) + end }
    if !word.hasSuffix("s") || ["ss", "us", "is"].contains(where: word.hasSuffix) { return [] }
    if word.hasSuffix("ies") {
      // Short ones keep their vowel: “ties”, “pies”.
      return word.utf8.count < 5 ? [without(1)] : [without(3, "y"), without(1)]
    }
    if ["ouses", "auses"].contains(where: word.hasSuffix) { return [without(1)] }
    let hisses = ["sses", "uses", "xes", "zzes", "tzes", "ches", "shes", "oes"]
    if hisses.contains(where: word.hasSuffix) { return [without(2), without(1)] }
    return [without(1)]
  }

  private static func pluralByRule(_ word: String) -> String {
    if word.hasSuffix("y"), let before = word.dropLast().last,
      !"aeiou".contains(before) || word.hasSuffix("quy")
    {
      return word.dropLast() + "ies"
    }
    let hisses = ["s", "x", "z", "ch", "sh"].contains(where: word.hasSuffix)
    return word + (hisses ? "es" : "s")
  }

  // MARK: - Words

  /// Gives the last word in small letters to a closure, and puts its results in its place, with the
  /// capital that it had.
  private static func changingLastWord(
    of name: String, _ change: (String) -> [String]
  ) -> [String] {
    let characters = Array(name)
    var start = characters.count
    while start > 0, characters[start - 1] != "_" {
      start -= 1
      if characters[start].isUppercase { break }
    }
    let word = characters[start...]
    let isCapital = word.first?.isUppercase ?? false
    return change(String(word).lowercased()).map { changed in
      String(characters[..<start])
        + (isCapital ? changed.prefix(1).uppercased() + changed.dropFirst() : changed)
    }
  }
}
