import SyncCore

/// Names a set of objects that a payload has said something about.
struct ClaimedSet {
  /// Objects that the payload mentions, by the root entity of their table.
  static func mentioned(_ root: Int) -> ClaimedSet { ClaimedSet(.mentioned, root) }

  /// Members of one-to-many lists of nested objects.
  static func listed(_ list: Claims.Relationship) -> ClaimedSet {
    ClaimedSet(.listed, list.entity, list.slot)
  }

  /// Stored objects of a repeated key that stay, because they have other owners.
  static func distinct(_ root: Int) -> ClaimedSet { ClaimedSet(.distinct, root) }

  /// Stored objects of a repeated key that may become one with the first.
  static func surplus(_ root: Int) -> ClaimedSet { ClaimedSet(.surplus, root) }

  /// Stored objects that go when nothing names them, because nested lists speak of all of their
  /// group: by their entity.
  static func nested(_ entity: Int) -> ClaimedSet { ClaimedSet(.nested, entity) }

  /// Items at the top of a list that a given parent has as members.
  static func parentMembers(_ list: Int) -> ClaimedSet { ClaimedSet(.parent, list) }

  /// The objects in the scope of a list before anything was written.
  static func scope(_ list: Int) -> ClaimedSet { ClaimedSet(.scope, list) }

  private enum Kind: Int, CaseIterable {
    case mentioned, listed, distinct, surplus, nested, parent, scope
  }

  /// Kind, entity or list, and slot: a dictionary whose keys are no integers costs 400,000
  /// instructions more when it is made first (measured).
  let number: Int

  init(number: Int) { self.number = number }

  private init(_ kind: Kind, _ entity: Int, _ slot: Int = 0) {
    number = kind.rawValue | entity << 3 | slot << 32
  }

  /// Whether a number is that of a set of ``nested(_:)``.
  static func isNested(_ number: Int) -> Bool { number & 7 == Kind.nested.rawValue }

  // MARK: - In the store

  /// The name under which the store keeps the set.
  ///
  /// - Parameter lists: The names of the lists.
  func name(in model: ManagedObjectModel, _ lists: [String]) -> String {
    let kind = Kind.allCases[number & 7]
    let index = (number & 0xFFFF_FFFF) >> 3
    switch kind {
    case .parent, .scope: return "\(kind)/\(lists[index])"
    case .listed:
      let entity = model.entities[index]
      return "\(kind)/\(entity.name).\(entity.properties[number >> 32].name)"
    default: return "\(kind)/\(model.entities[index].name)"
    }
  }

  /// The set of a name, or nil when the model or the lists have nothing of it.
  init?(named name: String, in model: ManagedObjectModel, _ lists: [String]) {
    let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
    guard let kind = Kind.allCases.first(where: { "\($0)" == parts.first }) else { return nil }
    switch (kind, parts.last) {
    case (.parent, let name?), (.scope, let name?):
      guard let list = lists.firstIndex(of: name) else { return nil }
      self.init(kind, list)
    case (.listed, let name?):
      guard let list = Claims.Relationship(named: name, in: model) else { return nil }
      self = .listed(list)
    case (_, let name?):
      guard let entity = model.entity(named: name)?.index else { return nil }
      self.init(kind, entity)
    default: return nil
    }
  }
}

extension Claims {
  /// A relationship by the entity that declares it.
  struct Relationship: Hashable {
    let entity: Int
    let slot: Int

    init(entity: Int, slot: Int) {
      self.entity = entity
      self.slot = slot
    }

    init(_ relationship: RelationshipDescription) {
      self.init(entity: relationship.declaringIndex, slot: relationship.slot)
    }

    /// Whether a model has it.
    func isKnown(to model: ManagedObjectModel) -> Bool {
      guard model.entities.indices.contains(entity) else { return false }
      let properties = model.entities[entity].properties
      return properties.indices.contains(slot) && properties[slot].relationship != nil
    }

    init?(named name: String, in model: ManagedObjectModel) {
      let parts = name.split(separator: ".").map(String.init)
      guard parts.count == 2,
        let relationship = model.entity(named: parts[0])?.relationship(named: parts[1])
      else { return nil }
      self.init(relationship)
    }
  }
}
