import SyncCore

/// The keys that fill one relationship by convention: one for objects, one for ids.
struct RelationshipSpellings {
  let hasCustomKey: Bool

  /// Keys of nested objects, the most important first. With a custom key: that key alone, and the
  /// shape of the value decides.
  let objects: [RemoteKey]

  /// Keys of identifiers, the most important first.
  let references: [RemoteKey]

  /// Keys of identifiers that are named after one of the objects: `label_ids` and `labelIds` for
  /// `labels`. They come after all others, and count where nothing else of the entity has the key.
  let singularReferences: [RemoteKey]

  init(of relationship: RelationshipDescription) {
    if let custom = MappingRules.customKey(relationship.userInfo) {
      hasCustomKey = true
      objects = [custom]
      references = [custom]
      singularReferences = []
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
    let singulars = relationship.isToMany ? Inflection.singulars(name) : []
    let exact = references
    singularReferences = RelationshipSpellings.keys(
      singulars.flatMap { ["\(Inflection.key(for: $0))_ids", "\($0)IDs", "\($0)Ids"] }
    ).filter { !exact.contains($0) }
  }

  /// Says in a table what the keys mean, but for those named after one of the objects.
  func add(_ rule: Int, to table: inout MemberTableBuilder) {
    if hasCustomKey {
      return table.add(MemberTarget(.either, rule: rule, precedence: 0), at: objects[0])
    }
    for (rank, key) in objects.enumerated() {
      table.add(
        MemberTarget(.objects, rule: rule, precedence: UInt8(clamping: rank + 1)), at: key)
    }
    for (rank, key) in references.enumerated() {
      table.add(
        MemberTarget(.references, rule: rule, precedence: UInt8(clamping: rank + 1)), at: key)
    }
  }

  /// Says in a table what the keys named after one of the objects mean, where they mean nothing
  /// yet.
  ///
  /// - Parameter aliases: Other spellings of attributes, which count too.
  /// - Returns: The keys that were taken.
  func addSingular(
    _ rule: Int, to table: inout MemberTableBuilder, unless aliases: MemberAliases
  ) -> [RemoteKey] {
    let free = singularReferences.filter { key in
      !table.contains(key.steps[0]) && !aliases.contains(key.steps[0])
    }
    for (rank, key) in free.enumerated() {
      let precedence = UInt8(clamping: references.count + rank + 1)
      table.add(MemberTarget(.references, rule: rule, precedence: precedence), at: key)
    }
    return free
  }

  /// The names that count in any spelling, and what they mean; none with a custom key.
  func names(_ rule: Int, of relationship: RelationshipDescription, singular: [RemoteKey])
    -> [SpelledName]
  {
    guard !hasCustomKey else { return [] }
    let ids = relationship.name + (relationship.isToMany ? "IDs" : "ID")
    let references = [ids] + singular.map(\.steps[0])
    func name(_ name: String, _ kind: MemberTarget.Kind) -> SpelledName {
      SpelledName(name: name, targets: [MemberTarget(kind, rule: rule, precedence: .max)])
    }
    return [name(relationship.name, .objects)] + references.map { name($0, .references) }
  }

  private static func keys(_ spellings: [String]) -> [RemoteKey] {
    var seen: [String] = []
    for key in spellings where !seen.contains(key) { seen.append(key) }
    return seen.map { RemoteKey(steps: [$0], isCustom: false) }
  }
}
