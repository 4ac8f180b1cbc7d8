import SyncCore

/// The keys that fill the attributes of one entity by convention (sync-behaviour, sections 3.2 and
/// 5), conflicts resolved.
///
/// Attributes claim keys; a claim has a strength. A custom key is filled into everybody who asks
/// for it and beats all natural names; of natural claims the strongest wins, then the first
/// attribute of the model.
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

  init(of attributes: [AttributeDescription], in entity: EntityDescription) {
    let all = attributes.indices.flatMap { index in
      AttributeSpellings.claims(of: attributes[index], number: index, in: entity)
    }
    var best: [RemoteKey: Claim] = [:]
    for claim in all {
      let place = RemoteKey(steps: claim.key.steps, isCustom: false)
      if let rival = best[place], !claim.beats(rival) { continue }
      best[place] = claim
    }
    claims = all.filter { claim in
      let winner = best[RemoteKey(steps: claim.key.steps, isCustom: false)]
      return claim.strength == .custom || winner?.attribute == claim.attribute
    }
  }

  /// Everything one attribute would like to be called, the most important first.
  private static func claims(
    of attribute: AttributeDescription, number: Int, in entity: EntityDescription
  ) -> [Claim] {
    var result: [Claim] = []
    func claim(_ key: RemoteKey, _ strength: Strength, level: Int = 0) {
      guard !result.contains(where: { $0.key.steps == key.steps }) else { return }
      let rank = result.count { $0.strength != .custom } + 1
      result.append(
        Claim(
          attribute: number, key: key, strength: strength, level: level,
          precedence: strength == .custom ? 0 : UInt8(clamping: rank)))
    }
    func natural(_ key: String) {
      guard !key.isEmpty else { return }
      let strength: Strength =
        key == attribute.name
        ? .ownName : (Inflection.camel(key) == attribute.name ? .inflected : .lastResort)
      claim(RemoteKey(steps: [key], isCustom: false), strength)
    }

    let name = attribute.name
    let custom = MappingRules.customKey(attribute.userInfo)
    if let custom { claim(custom, .custom) }
    for key in MappingRules.reservedKeys {
      let names = MappingRules.names(forReserved: key, in: entity)
      guard let level = names.firstIndex(of: name) else { continue }
      claim(RemoteKey(steps: [key], isCustom: false), .inflected, level: level)
    }
    if name == "remoteID" { claim(RemoteKey(steps: ["id"], isCustom: false), .identifier) }
    natural(Inflection.key(for: name))
    natural(name)
    natural(name.prefix(1).uppercased() + name.dropFirst())
    natural(Inflection.snake(name))
    natural(Inflection.naturalSnake(name))
    natural(Inflection.naturalSnake(name).uppercased())
    // A dotted key may also stand in the item as it is.
    if let custom, custom.steps.count > 1 {
      claim(RemoteKey(steps: [custom.description], isCustom: false), .lastResort)
    }
    return result
  }

  /// The key an attribute has when nothing else claims it: what an export writes.
  static func remoteKey(
    of attribute: AttributeDescription, in entity: EntityDescription
  ) -> RemoteKey {
    if let custom = MappingRules.customKey(attribute.userInfo) { return custom }
    if attribute.name == "id" || attribute.name == "remoteID" {
      return RemoteKey(steps: ["id"], isCustom: false)
    }
    let reserved = MappingRules.reservedKeys.first {
      MappingRules.names(forReserved: $0, in: entity).contains(attribute.name)
    }
    return RemoteKey(steps: [reserved ?? Inflection.key(for: attribute.name)], isCustom: false)
  }
}
