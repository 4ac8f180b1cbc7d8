/// The English singular of a name, for keys such as `label_ids` of a relationship `labels`.
extension Inflection {
  /// What the singular of a plural name may be, the likeliest first: `blockedUsers` gives
  /// `blockedUser`, `categories` gives `category` and `categorie`, as `movies` needs. Empty when the
  /// name is no plural by these few rules.
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
