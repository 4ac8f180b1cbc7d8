import SyncCore

/// Which subentity each object of an entity is, as a key of its item says.
///
/// ```
/// Block      sync.typeKey = type           {"type": "image", …} is an Image
///   Image      sync.type = image, photo
///   RichText                               by its name: RichText, richText, rich_text
///   Other      sync.type = *                whatever has no name of its own
/// ```
struct Kinds: Sendable {
  /// The reader of the items of a kind.
  enum Reader: Sendable {
    /// The mapping that asks: an object of the entity itself.
    case itself
    /// A node of the plan.
    case node(Int)
    case source(any PlanSource)
  }

  /// The keys that lead to the name of the kind.
  let path: JSONPath
  private(set) var readers: [String: Reader] = [:]
  /// The readers of kinds without a name of their own, and of items that name none.
  private(set) var others: Reader?
  private(set) var unnamed: Reader?
  /// For the key of a plan.
  private(set) var keyText: String

  /// Whether a part of the mapping is not in the plan.
  var hasSources: Bool {
    readers.values.contains { if case .source = $0 { true } else { false } }
  }

  /// The nodes of the plan that read items.
  var nodes: [Int] {
    readers.values.compactMap { if case .node(let number) = $0 { number } else { nil } }
  }

  private init(_ entity: EntityDescription, at path: JSONPath) {
    self.path = path
    keyText = "\(path)"
    unnamed = entity.isAbstract ? nil : .itself
  }

  private mutating func add(_ type: String, _ reader: Reader, _ text: String) {
    keyText += "\n\(type) \(text)"
    if type == "*" {
      others = reader
      unnamed = unnamed ?? reader
    } else if readers[type] == nil {
      readers[type] = reader
    }
  }

  /// The name of the entity's own kind, and its key.
  var nameOfItself: (key: [JSONPath.Step], name: String)? {
    readers.inKeyOrder
      .first { if case .itself = $0.value { true } else { false } }.map { (path.steps, $0.key) }
  }

  /// The name of a subentity's kind, and the source that reads it.
  func source(of entity: EntityDescription) -> (name: String, source: any PlanSource)? {
    for (name, reader) in readers.inKeyOrder {
      if case .source(let source) = reader, source.mappingSource.entityName == entity.name {
        return (name, source)
      }
    }
    return nil
  }

  func reader(of type: String?) -> Reader? { type.map { readers[$0] ?? others } ?? unnamed }

  /// The kinds that the annotations of the model give; nil where they give none, or the entity has
  /// no subentities.
  ///
  /// - Parameter reader: The reader of objects of exactly a subentity.
  init?(annotated entity: EntityDescription, reader: (EntityDescription) -> Reader) {
    guard let path = MappingRules.typeKey(of: entity) else { return nil }
    self.init(entity, at: path)
    for (type, kind) in MappingRules.kinds(of: entity) {
      add(type, kind == entity ? .itself : reader(kind), kind.name)
    }
  }

  /// The kinds of a serializer.
  init(_ subentities: Subentities, of mapping: ExplicitMapping, _ entity: EntityDescription) throws
  {
    self.init(entity, at: subentities.path)
    for (type, kind) in subentities.kinds {
      let name = kind.entityName
      guard try entity.model.requireEntity(named: name).isKind(of: entity) else {
        throw MappingError.wrongKind(name, type, of: entity)
      }
      switch kind {
      case .entity where name == entity.name: add(type, .itself, name)
      case .entity: add(type, .source(KindSource(mapping, of: name)), name)
      case .source(let source): add(type, .source(source), name)
      }
    }
  }
}

/// The mapping of a serializer, for objects of a subentity.
private struct KindSource: PlanSource {
  let mapping: ExplicitMapping

  init(_ mapping: ExplicitMapping, of name: String) {
    self.mapping = mapping.naming(name)
  }

  var mappingSource: MappingSource { MappingSource(content: .explicit(mapping)) }
}

extension MappingRules {
  /// The key that tells the subentity of an item, as the entity or the nearest one above says it;
  /// nil where none of them does, or there is nothing to tell apart.
  static func typeKey(of entity: EntityDescription) -> JSONPath? {
    entity.subentities.isEmpty ? nil : declaredTypeKey(of: entity)
  }

  /// The name that an export writes for the subentity of an object, and its key.
  static func kind(of entity: EntityDescription) -> (key: [JSONPath.Step], name: String)? {
    guard entity.superentity != nil || !entity.subentities.isEmpty,
      let key = declaredTypeKey(of: entity)
    else { return nil }
    let written = types(of: entity)
    guard !written.isEmpty else { return (key.steps, entity.name) }
    return written.first { $0 != "*" }.map { (key.steps, $0) }
  }

  static func declaredTypeKey(of entity: EntityDescription) -> JSONPath? {
    var level: EntityDescription? = entity
    while let current = level {
      if let key = current.userInfo["sync.typeKey"], !key.isEmpty {
        return JSONPath(RemoteKey(dotted: key).steps.map { .key($0) })
      }
      level = current.superentity
    }
    return nil
  }

  /// The kinds of an entity by the names that the JSON may call them, the more important name of a
  /// kind first: names in annotations beat those that follow from the entity's name.
  static func kinds(of entity: EntityDescription) -> [(type: String, kind: EntityDescription)] {
    [true, false].flatMap { isWritten in
      entity.familyEntities.filter { !$0.isAbstract }.flatMap { kind in
        let written = types(of: kind)
        guard written.isEmpty != isWritten else { return [(String, EntityDescription)]() }
        let snake = Inflection.naturalSnake(kind.name)
        let names = [
          kind.name, snake, Inflection.snake(kind.name), Inflection.camel(snake) ?? snake,
        ]
        return (isWritten ? written : names).map { ($0, kind) }
      }
    }
  }

  /// The names by which the JSON calls objects of exactly this entity.
  static func types(of entity: EntityDescription) -> [String] {
    names(in: entity.userInfo["sync.type"] ?? "")
  }
}

extension ExplicitMapping {
  /// The mapping with the kinds that the model names, where it names none itself.
  func withKinds(of entity: EntityDescription) -> ExplicitMapping {
    guard subentities == nil, kindPath == nil, let path = MappingRules.typeKey(of: entity) else {
      return self
    }
    var mapping = self
    mapping.subentities = Subentities(
      path, MappingRules.kinds(of: entity).map { ($0.type, .entity($0.kind.name)) })
    return mapping
  }
}

extension MappingError {
  fileprivate static func wrongKind(
    _ name: String, _ type: String, of entity: EntityDescription
  ) -> MappingError {
    MappingError(
      .wrongEntity, entity: entity.name,
      message: """
        The subentities of “\(entity.name)” name “\(name)” for “\(type)”, which is none of them. Name one that inherits \
        from “\(entity.name)”.
        """)
  }
}
