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
    let precedence: UInt8
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
      if let rival = best[place], rival.strength.rawValue <= claim.strength.rawValue { continue }
      best[place] = claim
    }
    claims = all.filter { claim in
      let winner = best[RemoteKey(steps: claim.key.steps, isCustom: false)]
      return claim.strength == .custom
        || (winner?.strength == claim.strength && winner?.attribute == claim.attribute)
    }
  }

  /// Everything one attribute would like to be called, the most important first.
  private static func claims(
    of attribute: AttributeDescription, number: Int, in entity: EntityDescription
  ) -> [Claim] {
    var result: [Claim] = []
    func claim(_ key: RemoteKey, _ strength: Strength) {
      guard !result.contains(where: { $0.key.steps == key.steps }) else { return }
      result.append(
        Claim(
          attribute: number, key: key, strength: strength,
          precedence: UInt8(clamping: strength == .custom ? 0 : max(result.count, 1))))
    }
    func natural(_ key: String, _ strength: Strength? = nil) {
      guard !key.isEmpty else { return }
      let inferred: Strength =
        key == attribute.name
        ? .ownName : (Inflection.camel(key) == attribute.name ? .inflected : .lastResort)
      claim(RemoteKey(steps: [key], isCustom: false), strength ?? inferred)
    }

    let name = attribute.name
    let custom = MappingRules.customKey(attribute.userInfo)
    if let custom { claim(custom, .custom) }
    for key in MappingRules.reservedKeys
    where MappingRules.names(forReserved: key, in: entity).contains(name) {
      natural(key, .inflected)
    }
    if name == "id" || name == "remoteID" { natural("id", name == "id" ? .ownName : .identifier) }
    natural(Inflection.key(for: name))
    natural(name)
    natural(name.prefix(1).uppercased() + name.dropFirst())
    natural(Inflection.snake(name))
    natural(Inflection.naturalSnake(name))
    natural(Inflection.naturalSnake(name).uppercased())
    // A dotted key may also stand in the item as it is.
    if let custom, custom.steps.count > 1 { natural(custom.description, .lastResort) }
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
