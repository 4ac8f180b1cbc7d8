import SyncCore

/// The keys that fill one relationship by convention (sync-behaviour, section 8.1).
struct RelationshipSpellings {
  let hasCustomKey: Bool

  /// Keys of nested objects, the most important first. With a custom key: that key alone, and the
  /// shape of the value decides.
  let objects: [RemoteKey]

  /// Keys of identifiers, the most important first.
  let references: [RemoteKey]

  init(of relationship: RelationshipDescription) {
    if let custom = MappingRules.customKey(relationship.userInfo) {
      hasCustomKey = true
      objects = [custom]
      references = [custom]
      return
    }
    hasCustomKey = false
    let name = relationship.name
    let snake = Inflection.snake(name)
    let natural = Inflection.key(for: name, snake: snake)
    objects = RelationshipSpellings.keys([natural, name, snake])
    references = RelationshipSpellings.keys(
      relationship.isToMany
        ? ["\(natural)_ids", "\(name)IDs", "\(name)Ids", "\(snake)_ids", "\(name)_ids"]
        : ["\(natural)_id", "\(name)ID", "\(name)Id", "\(snake)_id", "\(name)_id"])
  }

  private static func keys(_ spellings: [String]) -> [RemoteKey] {
    var seen: [String] = []
    for key in spellings where !seen.contains(key) { seen.append(key) }
    return seen.map { RemoteKey(steps: [$0], isCustom: false) }
  }
}
