package import SyncCore

/// The annotations of a model about JSON. Each has a current and a legacy spelling; the current one
/// wins.
package enum MappingRules {
  /// Keys of JSON that stand for an attribute named after its entity: `type` for `userType`.
  package static let reservedKeys = ["type", "description", "signed"]

  /// The JSON key that the annotation gives, if it gives one.
  package static func customKey(_ userInfo: [String: String]) -> RemoteKey? {
    guard let text = ModelAnnotation.remoteKey.value(in: userInfo), !text.isEmpty else {
      return nil
    }
    return RemoteKey(dotted: text)
  }

  /// The way from the value under the key of an annotation to the objects, where that is no list of
  /// them.
  static func elements(_ userInfo: [String: String]) -> [JSONPath.Step] {
    ModelAnnotation.remoteKey.value(in: userInfo).map { JSONPath($0).elements } ?? []
  }

  /// The attribute that the keys of an object of objects fill, as a relationship or else its
  /// destination says.
  static func keyedBy(
    _ entity: EntityDescription, below relationship: RelationshipDescription? = nil
  ) -> Int? {
    guard
      let name = relationship?.userInfo["sync.keyedBy"] ?? annotation("sync.keyedBy", of: entity)
    else { return nil }
    // `YES` stands for the primary key.
    return entity.property(named: name)?.attribute?.slot ?? entity.primaryKey?.slot
  }

  /// The mark of an item whose object is deleted.
  static func tombstone(_ entity: EntityDescription) -> JSONPath? {
    guard let text = annotation("sync.tombstoneKey", of: entity), !text.isEmpty else { return nil }
    return JSONPath(RemoteKey(dotted: text).steps.map { .key($0) })
  }

  /// The mark of an element of a list that is no member any more.
  static func removal(_ relationship: RelationshipDescription) -> JSONPath? {
    guard relationship.isToMany, let text = relationship.userInfo["sync.removedKey"], !text.isEmpty
    else { return nil }
    return JSONPath(RemoteKey(dotted: text).steps.map { .key($0) })
  }

  /// The attributes that identify an object together, as the entity says; nil where it says
  /// nothing, or names something that is no stored attribute.
  static func identifiers(of entity: EntityDescription) -> [Int]? {
    guard let text = annotation("sync.identifiers", of: entity) else { return nil }
    let slots = names(in: text).map { name -> Int? in
      guard let attribute = entity.property(named: name)?.attribute, !attribute.isTransient,
        attribute.type != .transformable
      else { return nil }
      return attribute.slot
    }
    return slots.isEmpty || slots.contains(nil) ? nil : slots.compactMap { $0 }
  }

  /// Names with commas between them.
  static func names(in text: String) -> [String] {
    text.split(separator: ",").map { name in
      String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// The annotation of an entity, or of the nearest one above it that has it.
  private static func annotation(_ key: String, of entity: EntityDescription) -> String? {
    entity.userInfo[key] ?? entity.superentity.flatMap { annotation(key, of: $0) }
  }

  /// Whether an export may mention the property. The annotation counts by its presence alone.
  package static func isExportable(_ userInfo: [String: String]) -> Bool {
    ModelAnnotation.nonExportable.value(in: userInfo) == nil
  }

  /// Name of the transformer that the annotation gives, else the one the model gives to a
  /// transformable attribute. Transformers that only archive objects say nothing about JSON.
  package static func transformerName(_ attribute: AttributeDescription) -> String? {
    if let name = ModelAnnotation.valueTransformer.value(in: attribute.userInfo), !name.isEmpty {
      return name
    }
    return attribute.objectTransformerName
  }

  /// Whether the entity says that its payloads are trees, in which no object below the roots is
  /// missing.
  static func isTree(_ entity: EntityDescription) -> Bool {
    ["YES", "true"].contains(entity.userInfo["sync.tree"] ?? "")
  }

  /// The meaning of a missing key of an attribute, by the attribute or its entity; nil where
  /// neither gives one. An entity's holds for attributes that may be without a value from the item:
  /// not of those that identify an object, nor of required ones without a default.
  static func whenMissing(
    _ attribute: AttributeDescription, of entity: EntityDescription, isIdentity: Bool
  ) -> SyncPolicy.Missing? {
    if let own = missing(attribute.userInfo["sync.whenMissing"]) { return own }
    guard !isIdentity, attribute.isOptional || !attribute.defaultValue.isNull else { return nil }
    return missing(annotation("sync.whenMissing", of: entity))
  }

  /// The meaning of a missing key of a relationship; nil where the model gives none.
  static func whenMissing(_ relationship: RelationshipDescription) -> SyncPolicy.Missing? {
    missing(relationship.userInfo["sync.whenMissing"])
  }

  private static func missing(_ text: String?) -> SyncPolicy.Missing? {
    text.flatMap(SyncPolicy.Missing.init)
  }

  /// Whether keys of the children are unique per owner only.
  package static func keyScopeIsOwner(_ relationship: RelationshipDescription) -> Bool {
    keyScope(relationship) == "owner"
  }

  /// Whether keys of objects that are not there make stubs: objects that have nothing but the key.
  static func createsStubs(_ relationship: RelationshipDescription) -> Bool {
    ["YES", "true"].contains(relationship.userInfo["sync.stub"])
  }

  /// The scope of the keys of the relationship's children.
  static func keyScope(_ relationship: RelationshipDescription) -> String? {
    relationship.userInfo["sync.keyScope"]
  }
}

/// The names that reserved keys can stand for in one entity: the key behind the name of the entity,
/// then behind that of each superentity. The form of the behaviour specification comes first.
struct ReservedNames {
  private let names: [(key: String, names: [String])]

  /// - Parameter attributes: Those that will be asked for.
  init(of entity: EntityDescription, for attributes: [AttributeDescription]) {
    guard attributes.contains(where: { ReservedNames.mayBeReserved($0.name) }) else {
      names = []
      return
    }
    var prefixes: [String] = []
    var level: EntityDescription? = entity
    while let current = level {
      prefixes += [Inflection.snake(current.name), Inflection.naturalSnake(current.name)]
      level = current.superentity
    }
    names = MappingRules.reservedKeys.map { key in
      var names: [String] = []
      for prefix in prefixes {
        if let name = Inflection.camel("\(prefix)_\(key)"), !names.contains(name) {
          names.append(name)
        }
      }
      return (key, names)
    }
  }

  /// Whether a name ends with a reserved key, as all that such keys stand for do; few names have to
  /// be compared with all of these.
  private static func mayBeReserved(_ name: String) -> Bool {
    MappingRules.reservedKeys.contains { key in
      let (name, key) = (name.utf8, key.utf8)
      return name.count >= key.count
        && zip(name.suffix(key.count), key).allSatisfy { $0 | 0x20 == $1 }
    }
  }

  /// The reserved keys that stand for an attribute of that name, and how far up the chain of
  /// entities the prefix was found.
  func keys(of name: String) -> [(key: String, level: Int)] {
    names.compactMap { key, names in names.firstIndex(of: name).map { (key, $0) } }
  }
}

extension EntityDescription {
  /// Why no object of the entity can be stored that has nothing but a key; nil when one can.
  var reasonAgainstStubs: String? {
    guard let primaryKey else { return "it has no primary key" }
    if isAbstract { return "it is abstract" }
    let required = properties.first { property in
      guard property.isColumn, !property.isOptional, property.slot != primaryKey.slot else {
        return false
      }
      return property.attribute?.defaultValue.isNull ?? true
    }
    return required.map { "“\($0.name)” is required and has no default" }
  }
}
