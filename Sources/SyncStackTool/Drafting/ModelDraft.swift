import SyncStack

/// A model as it was drawn from payloads, with everything that was unsure about it.
struct ModelDraft {
  struct Entity {
    let name: String
    var notes: [String] = []
    /// The key that an item has when its object is deleted.
    var tombstoneKey: String?
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
  }

  struct Attribute {
    let name: String
    var type: AttributeType
    var isOptional = true
    var isKey = false
    /// Whether an item that leaves the value out empties it.
    var isClearedWhenMissing = false
    /// The key in JSON, where it does not follow from the name.
    var remoteKey: String?
    /// The type of the property in a class, where the attribute holds JSON as it stands.
    var className: String?
    var note: String?
  }

  struct Relationship {
    let name: String
    let destination: String
    let isToMany: Bool
    /// Whether the order of the list counts.
    var isOrdered = false
    var inverse: String?
    var deleteRule = DeleteRule.nullify
    var remoteKey: String?
    /// Whether the draft takes it that several owners may have one object.
    var isShared = false
    /// Whether keys are unique per owner only.
    var keyScopeIsOwner = false
    /// Whether an item that leaves the relationship out empties it.
    var isClearedWhenMissing = false
    /// The key in JSON that fills it; nil where none does.
    var source: String?
    /// Keys of the objects it leads to by which each of them leads back to its owner.
    var waysBack: Set<String> = []
    /// Whether no two owners in the payloads have one object.
    var hasOneOwner = false
    var note: String?
  }

  /// Why nothing but a key is required.
  static let optionality =
    "All but keys is optional, for a later answer may lack it. What an item leaves out stays as it was; "
    + "sync.whenMissing = clear at an attribute or an entity empties it."

  var entities: [Entity] = []
  /// Notes on the whole model.
  var notes: [String] = []
  /// Advice on getting a better one; told beside the model, not in it.
  var advice: [String] = []

  /// The drafts of entities that the library makes a model of.
  var drafts: [EntityDraft] {
    entities.map { entity in
      EntityDraft(
        entity.name,
        entity.attributes.map(\.draft) + entity.relationships.map(\.draft),
        userInfo: Dictionary(uniqueKeysWithValues: entity.userInfo))
    }
  }
}

extension ModelDraft.Entity {
  /// Its annotations.
  var userInfo: [(String, String)] { tombstoneKey.map { [("sync.tombstoneKey", $0)] } ?? [] }

  /// Marks the properties that an earlier state lacks: an item that leaves one out empties it.
  mutating func clear(from before: ModelDraft.Entity) {
    let reason = "one of several that come one at a time, so missing means none"
    for number in attributes.indices.dropFirst(before.attributes.count)
    where !attributes[number].isKey {
      attributes[number].isClearedWhenMissing = true
      attributes[number].note = attributes[number].note.map { "\($0); \(reason)" } ?? reason
    }
    for number in relationships.indices.dropFirst(before.relationships.count) {
      relationships[number].isClearedWhenMissing = true
      relationships[number].add(reason)
    }
  }
}

extension ModelDraft.Attribute {
  /// Annotations beside those of every model.
  var userInfo: [(String, String)] {
    isClearedWhenMissing ? [("sync.whenMissing", "clear")] : []
  }

  fileprivate var draft: PropertyDraft {
    .attribute(
      name, type, isOptional: isOptional, isPrimaryKey: isKey && name != "id",
      remoteKey: remoteKey, userInfo: Dictionary(uniqueKeysWithValues: userInfo))
  }
}

extension ModelDraft.Relationship {
  /// Annotations beside those of every model.
  var userInfo: [(String, String)] {
    (keyScopeIsOwner ? [("sync.keyScope", "owner")] : [])
      + (isClearedWhenMissing ? [("sync.whenMissing", "clear")] : [])
  }

  /// Adds a reason that a person may want to look at, and decide otherwise.
  mutating func add(_ reason: String) { note = note.map { "\($0); \(reason)" } ?? reason }

  fileprivate var draft: PropertyDraft {
    let userInfo = Dictionary(uniqueKeysWithValues: userInfo)
    return isToMany
      ? .toMany(
        name, to: destination, inverse: inverse, isOrdered: isOrdered, deleteRule: deleteRule,
        remoteKey: remoteKey, userInfo: userInfo)
      : .toOne(
        name, to: destination, inverse: inverse, deleteRule: deleteRule, remoteKey: remoteKey,
        userInfo: userInfo)
  }
}
