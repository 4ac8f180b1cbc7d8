import SyncCore

/// Names a set of objects that a payload has said something about.
enum ClaimedSet: Hashable {
  /// Objects that the payload mentions, by the root entity of their table.
  case mentioned(Int)
  /// Members of one-to-many lists of nested objects.
  case listed(Claims.Relationship)
  /// Stored objects of a repeated key that stay, because they have other owners.
  case distinct(Int)
  /// Stored objects of a repeated key that may become one with the first.
  case surplus(Int)
  /// Stored objects that go when nothing names them, because nested lists speak of all of their group: by their entity.
  case nested(Int)
  /// Items at the top that a given parent has as members.
  case parentMembers
  /// The objects in scope before anything was written.
  case scope

  // MARK: - Names in the store

  /// The name under which the store keeps the set.
  func name(in model: ManagedObjectModel) -> String {
    switch self {
    case .mentioned(let root): "mentioned/\(model.entities[root].name)"
    case .listed(let list): "listed/\(list.name(in: model))"
    case .distinct(let root): "distinct/\(model.entities[root].name)"
    case .surplus(let root): "surplus/\(model.entities[root].name)"
    case .nested(let entity): "nested/\(model.entities[entity].name)"
    case .parentMembers: "parent"
    case .scope: "scope"
    }
  }

  /// The set of a name, or nil when the model has nothing of it.
  init?(named name: String, in model: ManagedObjectModel) {
    let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
    let root = parts.count == 2 ? model.entity(named: parts[1])?.index : nil
    switch (parts.first, root) {
    case ("mentioned", let root?): self = .mentioned(root)
    case ("distinct", let root?): self = .distinct(root)
    case ("surplus", let root?): self = .surplus(root)
    case ("nested", let entity?): self = .nested(entity)
    case ("listed", _):
      guard parts.count == 2, let list = Claims.Relationship(named: parts[1], in: model) else {
        return nil
      }
      self = .listed(list)
    case ("parent", _): self = .parentMembers
    case ("scope", _): self = .scope
    default: return nil
    }
  }
}

extension Claims {
  /// A relationship by the entity that declares it.
  struct Relationship: Hashable {
    let entity: Int
    let slot: Int

    init(_ relationship: RelationshipDescription) {
      entity = relationship.declaringIndex
      slot = relationship.slot
    }

    func name(in model: ManagedObjectModel) -> String {
      "\(model.entities[entity].name).\(model.entities[entity].properties[slot].name)"
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
