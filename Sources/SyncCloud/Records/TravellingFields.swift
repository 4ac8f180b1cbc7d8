import SyncCore
import SyncStore

/// Which properties of each entity travel as fields of its records: attributes, to-one
/// relationships inside the scope, and the order of ordered to-many ones. Their members live on the
/// children, or travel as pairs.
struct TravellingFields: Sendable {
  let model: ManagedObjectModel
  let scope: CloudZone.Scope

  /// Per entity, by index.
  private let rules: [FieldRules]

  /// The same for shared roots, of entities that have a parent.
  private let rootRules: [FieldRules?]

  /// Whether objects can be shared with their parents.
  let hasParents: Bool

  /// Whether the order of any list travels.
  let hasLists: Bool

  /// Whether any attribute's bytes travel as files.
  let hasAssets: Bool

  /// The names under which entities and fields travel.
  let wire: WireNames

  /// Many-to-many relationships by name.
  let kinds: [String: PairKind]

  /// - Parameter policies: By entity and property: `Note.stars`. They win over the model's.
  init(
    _ model: ManagedObjectModel, scope: CloudZone.Scope = .private,
    policies: [String: CloudPolicy] = [:], cipher: (any CloudCipher)? = nil
  ) throws(CloudError) {
    (self.model, self.scope) = (model, scope)
    var scopes: [CloudZone.Scope?] = []
    for entity in model.entities { scopes.append(try CloudAnnotations.scope(of: entity)) }
    var rules: [FieldRules] = []
    var unused = policies
    for entity in model.entities {
      rules.append(
        try FieldRules(
          of: entity, in: model, travels: { scopes[$0.index] == scope }, policies: &unused))
    }
    if let name = unused.keys.min() {
      throw CloudError(
        .unsupported, message: "There is no property “\(name)” that travels, to give a policy to.")
    }
    self.rules = rules
    // Of an object that is shared with all below it the parent does not travel.
    rootRules = rules.map { rules in rules.parent.map { FieldRules(rules, without: $0) } }
    hasParents = rules.contains { $0.parent != nil }
    if cipher == nil, let rule = rules.first(where: { !$0.sealed.isEmpty }) {
      throw CloudError(
        .unsupported,
        message:
          "\(rule.type).\(rule.sealed.sorted()[0]) is to be encrypted, and the engine has no cipher. Give it one."
      )
    }
    wire = try WireNames(model, seal: cipher.map(FieldSeal.init)) { entity in
      let rule = rules[entity.index]
      return rule.travels ? rule.fields.map { entity.properties[$0.slot] } : nil
    }
    hasLists = rules.contains { !$0.lists.isEmpty }
    hasAssets = rules.contains { !$0.assets.isEmpty }
    kinds = Dictionary(rules.flatMap(\.sides).map { ($0.kind.name, $0.kind) }) { first, _ in first }
  }

  /// The name under which the records of an entity of that name travel; one that the model does not
  /// know came with it.
  func type(of entity: String) -> String { model.entity(named: entity)?.wireName ?? entity }

  func rules(of entity: EntityDescription) -> FieldRules { rules[entity.index] }

  /// The rules for one record: the parent of a shared root is each account's own matter.
  func rules(of entity: EntityDescription, named name: String, in zone: String) -> FieldRules {
    guard let root = rootRules[entity.index], zone.hasSuffix(name),
      CloudZone(key: zone).root == name
    else { return rules[entity.index] }
    return root
  }

  func travels(_ entity: EntityDescription) -> Bool { rules[entity.index].travels }

  func contains(_ name: String, in entity: EntityDescription) -> Bool {
    rules[entity.index].names.contains(name)
  }
}
