import SyncCore

/// The keys that fill the attributes of one entity by convention, conflicts resolved: its
/// custom key, its own name, and the name in snake case.
///
/// Attributes claim keys; a claim has a strength. A custom key fills every attribute that asks for
/// it and beats all natural names; of natural claims the strongest wins, then the first attribute
/// of the model.
struct AttributeSpellings {
  enum Strength: Int {
    case custom, ownName, inflected, identifier, lastResort
  }

  struct Claim {
    let attribute: Int
    let key: RemoteKey
    let strength: Strength
    /// Among equally strong claims: how far up the chain of entities the prefix was found.
    let level: Int
    let precedence: UInt8

    /// Whether the claim holds against the other one, which was made first.
    func beats(_ rival: Claim) -> Bool {
      (strength.rawValue, level) < (rival.strength.rawValue, rival.level)
    }
  }

  /// The claims that hold, by attribute in model order, then by precedence.
  let claims: [Claim]

  private let reserved: ReservedNames

  /// - Parameter attributes: Those that have a rule claim nothing.
  init(
    of entity: EntityDescription, _ attributes: [(attribute: AttributeDescription, rule: Rule?)]
  ) {
    let reserved = ReservedNames(of: entity, for: attributes.map(\.attribute))
    let all = attributes.enumerated().filter { $1.rule == nil }.flatMap { number, property in
      AttributeSpellings.claims(of: property.attribute, number: number, reserved: reserved)
    }
    self.reserved = reserved
    var best: [String: Int] = [:]
    for (index, claim) in all.enumerated() {
      let place = claim.key.place
      if let rival = best[place], !claim.beats(all[rival]) { continue }
      best[place] = index
    }
    claims = all.filter { claim in
      claim.strength == .custom
        || best[claim.key.place].map { all[$0].attribute } == claim.attribute
    }
  }

  /// Everything one attribute would like to be called, the most important first.
  private static func claims(
    of attribute: AttributeDescription, number: Int, reserved: ReservedNames
  ) -> [Claim] {
    var result: [Claim] = []
    func isClaimed(_ steps: [String]) -> Bool {
      result.contains { $0.key.steps == steps }
    }
    func claim(_ key: RemoteKey, _ strength: Strength, level: Int = 0) {
      guard !isClaimed(key.steps) else { return }
      let rank = result.count { $0.strength != .custom } + 1
      result.append(
        Claim(
          attribute: number, key: key, strength: strength, level: level,
          precedence: strength == .custom ? 0 : UInt8(clamping: rank)))
    }
    func natural(_ key: String) {
      // Most spellings of most names are the same.
      guard !key.isEmpty, !isClaimed([key]) else { return }
      let strength: Strength =
        key == attribute.name
        ? .ownName : (Inflection.camel(key) == attribute.name ? .inflected : .lastResort)
      claim(RemoteKey(steps: [key], isCustom: false), strength)
    }

    let name = attribute.name
    let custom = MappingRules.customKey(attribute.userInfo)
    if let custom { claim(custom, .custom) }
    for (key, level) in reserved.keys(of: name) {
      claim(RemoteKey(steps: [key], isCustom: false), .inflected, level: level)
    }
    if name == "remoteID" { claim(RemoteKey(steps: ["id"], isCustom: false), .identifier) }
    let snake = Inflection.snake(name)
    let naturalSnake = Inflection.naturalSnake(name)
    natural(Inflection.key(for: name, snake: snake))
    natural(name)
    natural(name.prefix(1).uppercased() + String(name.dropFirst()))
    natural(snake)
    natural(naturalSnake)
    natural(naturalSnake.uppercased())
    // `userId` and `userID`, whichever of them the model has.
    for key in Inflection.camelForms(ofSnake: naturalSnake) { natural(key) }
    // A dotted key may also stand in the item as it is.
    if let custom, custom.steps.count > 1 {
      claim(RemoteKey(steps: [custom.steps.joined(separator: ".")], isCustom: false), .lastResort)
    }
    return result
  }

  /// The key an attribute has when nothing else claims it: an export writes it.
  func remoteKey(of attribute: AttributeDescription) -> RemoteKey {
    if let custom = MappingRules.customKey(attribute.userInfo) { return custom }
    if attribute.name == "id" || attribute.name == "remoteID" {
      return RemoteKey(steps: ["id"], isCustom: false)
    }
    let key = reserved.keys(of: attribute.name).first?.key
    return RemoteKey(steps: [key ?? Inflection.key(for: attribute.name)], isCustom: false)
  }
}

extension RemoteKey {
  /// The steps as one text, to find keys of equal steps by: the one step, or all with their
  /// lengths.
  fileprivate var place: String {
    if steps.count == 1, steps[0].utf8.first != 0 { return steps[0] }
    return "\0" + steps.map { "\($0.utf8.count):\($0)" }.joined()
  }
}

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

  /// Adds the keys to a table, but for those named after one of the objects.
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

  /// Adds the keys named after one of the objects to a table, where they mean nothing yet.
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

  /// The names that count in any spelling, and their targets; none with a custom key.
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
