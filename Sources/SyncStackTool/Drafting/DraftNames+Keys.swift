import SyncStack

/// Which keys of JSON lead to a property by its name alone.
extension DraftNames {
  /// The word in a key such as `user_id`, `userId` or `label_ids`: `user`, `label`; nil when it is
  /// no such key.
  static func stem(ofReference key: String, toMany: Bool) -> (key: String, name: String)? {
    guard let end = referenceEnds(toMany: toMany).first(where: key.hasSuffix), key.count > end.count
    else { return nil }
    let stem = String(key.dropLast(end.count))
    // “iCalUID” ends in a word of its own.
    guard let last = stem.last,
      last.isNumber || last.isLetter && (end.hasPrefix("_") || last.isLowercase)
    else { return nil }
    return (stem, property(stem))
  }

  /// Whether a key may be called after the thing that it names: `OrderID`, `order_id`, `steamid`.
  static func endsInID(_ key: String) -> Bool {
    if stem(ofReference: key, toMany: false) != nil { return true }
    return key.hasSuffix("id") && key.count > 4 && key.allSatisfy(\.isLowercase)
      && !endingInID.contains(key)
  }

  /// Words that end like names of keys.
  private static let endingInID: Set<String> = [
    "unpaid", "prepaid", "valid", "invalid", "avoid", "solid", "liquid", "fluid", "rapid", "hybrid",
    "vivid", "covid", "android", "asteroid", "orchid", "pyramid", "humid", "afraid", "braid",
    "squid", "druid", "stupid", "morbid", "splendid", "candid", "rigid", "plaid", "overlaid",
  ]

  /// Whether a key speaks of others of its owner's kind: `parent`, `children`, `sub_issues`.
  static func isKin(_ key: String, of entity: String) -> Bool {
    let name = Inflection.naturalSnake(entity)
    let names = [name, Inflection.plural(name)]
    let key = Inflection.naturalSnake(key)
    return kin.contains(key)
      || names.contains { name in
        ["parent_", "child_", "sub_", "sub", "related_", "linked_"].contains { key == $0 + name }
      }
  }

  private static let kin: Set<String> = [
    "parent", "parents", "child", "children", "ancestor", "ancestors", "descendants", "sibling",
    "siblings", "previous", "next", "predecessor", "predecessors", "successor", "successors",
  ]

  /// Whether a sync looks for the property under that key by itself.
  static func isFound(_ name: String, under key: String) -> Bool {
    [Inflection.key(for: name), name, Inflection.snake(name)].contains(key)
  }

  /// Whether a sync looks under that key by itself for keys of the objects that the relationship
  /// leads to.
  static func isReferred(_ name: String, under key: String, toMany: Bool) -> Bool {
    let ends = referenceEnds(toMany: toMany)
    let stems = [name] + (toMany ? Inflection.singulars(name) : [])
    return stems.contains { stem in
      key == Inflection.key(for: stem) + ends[0] || ends.dropFirst().contains { key == stem + $0 }
    }
  }

  /// The ends of such keys: with an underscore, then without.
  private static func referenceEnds(toMany: Bool) -> [String] {
    toMany ? ["_ids", "IDs", "Ids"] : ["_id", "ID", "Id"]
  }
}
