import SyncCore
import SyncGraph

/// Turns objects into JSON: attributes first, then relationships, each in the order of the model or
/// of the serializer that describes them.
///
/// Which relationships of a nested object are passed over:
/// - the inverse of the one that led here: being nested says it already, and a list would have to
///   name every other owner too (``ExportOptions/followsWaysBack`` follows to-many ones all the
///   same);
/// - a to-one to the entity of the object it is nested in: the nesting says it already, unless
///   there is a rule for it.
///
/// An object that is being exported already, further out, is never entered again, nor is one below
/// the depth limit: a reference stands for it, which is its primary key alone; of an object that a
/// serializer writes, all of its attributes. Where a key that is missing means something, the
/// reference is the value of the primary key. A sync links it and changes nothing of it. A
/// relationship to an object without key, of which there is no reference, is left out. Confined to
/// one call.
struct Exporter<Source: ExportSource> {
  private let plan: ExportPlan
  private let source: Source

  /// The objects that are being exported, from the outermost in.
  private var path: Set<ManagedObjectID> = []

  /// Objects nested in the one at the top so far.
  private var count = 0

  /// The slots that are written of the object at the top; nil is all.
  private var slots: SlotSet?
  private var namesKind = true

  /// Objects that are passed over where they would be nested.
  var leftOut: Set<ManagedObjectID> = []

  /// Where a nested object was come from.
  private struct Way {
    let node: ExportNode
    let relationship: ExportNode.Relationship
    /// The node that writes the objects; nil is the conventions for the entity of each.
    let destination: ExportNode?
  }

  init(_ plan: ExportPlan, _ source: Source) {
    self.plan = plan
    self.source = source
  }

  private var options: ExportOptions { plan.options }

  /// The JSON of an object: an object, or the value of the only attribute where a serializer reads
  /// bare values.
  ///
  /// - Throws: ``ExportError``, ``MappingError`` when a nested serializer does not fit the model,
  ///   and errors of the source.
  /// - Complexity: O(objects that are nested in it, repeated ones counted again), of which there
  ///   are at most ``ExportOptions/maximumObjects``.
  ///
  /// - Parameters:
  ///   - slots: The properties that are wanted of the object itself; nil is all.
  ///   - namesKind: Whether the object says its kind; those that are nested in it do.
  mutating func export(
    _ object: Source.Object, only slots: SlotSet? = nil, namesKind: Bool = true
  ) throws -> JSONValue {
    count = 0
    self.slots = slots
    self.namesKind = namesKind
    return try export(object, plan.rootNode(for: source.identifier(of: object).entity), from: nil)
  }

  private mutating func export(
    _ object: Source.Object, _ node: ExportNode, from way: Way?
  ) throws -> JSONValue {
    if let value = node.bareValue { return try json(value, of: object, node) ?? .null }
    if way == nil, options.writesResources { return .object(try resource(object, node)) }
    var result = JSONObject()
    result.reserveCapacity(node.attributes.count + node.relationships.count)
    for attribute in node.attributes where isWanted(attribute.rule.slot, from: way) {
      try add(attribute, of: object, node, to: &result)
    }
    if let kind = node.kind, way != nil || namesKind {
      result.place(.string(kind.name), at: kind.key[...])
    }
    guard !node.relationships.isEmpty else { return .object(result) }
    let id = source.identifier(of: object)
    path.insert(id)
    defer { path.remove(id) }
    for relationship in node.relationships
    where isWanted(relationship.description.slot, from: way)
      && !leadsBack(relationship, in: node, way)
    {
      try add(relationship, of: object, node, to: &result)
    }
    return .object(result)
  }

  /// Whether a server is told that an object has no value or member any longer: with `null`, which
  /// the numbered form does not know.
  private func tellsServer(_ relationship: ExportNode.Relationship) -> Bool {
    slots != nil && relationship.form == .array
  }

  private func isWanted(_ slot: Int, from way: Way?) -> Bool {
    way != nil || slots?.contains(slot) ?? true
  }

  private func json(
    _ attribute: ExportNode.Attribute, of object: Source.Object, _ node: ExportNode
  ) throws -> JSONValue? {
    try attribute.json(
      source.value(at: attribute.rule.slot, of: object), of: node.entity, options)
  }

  private func add(
    _ attribute: ExportNode.Attribute, of object: Source.Object, _ node: ExportNode,
    to result: inout JSONObject
  ) throws {
    guard let json = try json(attribute, of: object, node) else { return }
    if attribute.rule.isIdentity, options.omitsMissingKeys, json.isNull { return }
    result.place(json, at: attribute.key[...])
  }

  private mutating func add(
    _ relationship: ExportNode.Relationship, of object: Source.Object, _ node: ExportNode,
    to result: inout JSONObject
  ) throws {
    let objects = try source.objects(of: relationship.description, from: object)
    if relationship.isOfKeys {
      return try addKeys(of: objects, relationship, of: node, to: &result)
    }
    // Asked once for all objects of the list.
    let destination =
      objects.isEmpty
      ? nil
      : try plan.node(
        below: relationship, of: node, parent: relationship.seesParent ? .object(result) : .null)
    let way = Way(node: node, relationship: relationship, destination: destination)
    var members: [JSONValue] = []
    for member in objects
    where leftOut.isEmpty || !leftOut.contains(source.identifier(of: member)) {
      // A list without one of its members would take it away.
      guard let json = try nested(member, from: way) else { return }
      if !json.isNull, json.objectValue?.isEmpty != true {
        members.append(json.wrapped(in: relationship.wrapping))
      }
    }
    guard relationship.description.isToMany else {
      if let member = members.first {
        result.place(member, at: relationship.key[...])
      } else if relationship.isWritten || tellsServer(relationship),
        options.nullHandling == .written
      {
        result.place(.null, at: relationship.key[...])
      }
      return
    }
    if relationship.form == .nested, !relationship.isWritten {
      var numbered = JSONObject()
      for (index, member) in members.enumerated() { numbered[String(index)] = member }
      result.place(.object(numbered), at: relationship.key[...])
    } else {
      result.place(.array(members), at: relationship.key[...])
    }
  }

  private func addKeys(
    of objects: [Source.Object], _ relationship: ExportNode.Relationship, of node: ExportNode,
    to result: inout JSONObject
  ) throws {
    let description = relationship.description
    if description.kind == .oneToMany { return }
    var keys: [JSONValue] = []
    for object in objects {
      let destination = try plan.node(for: source.identifier(of: object).entity)
      // Several attributes together have no value that a reference could be.
      guard destination.identity.count <= 1 else { return }
      if let key = destination.identity.first,
        let json = try json(key, of: object, destination), !json.isNull
      {
        keys.append(json)
      }
    }
    if description.isToMany {
      let members = keys.map { $0.wrapped(in: relationship.wrapping) }
      result.place(.array(members), at: relationship.referenceKey[...])
    } else if let key = keys.first {
      result.place(key, at: relationship.referenceKey[...])
    } else if objects.isEmpty, options.nullHandling == .written {
      result.place(.null, at: relationship.referenceKey[...])
    }
  }

  // MARK: - JSON:API

  /// The resource of an object: its relationships as linkage.
  private func resource(_ object: Source.Object, _ node: ExportNode) throws -> JSONObject {
    var result = try identity(of: object, node)
    var attributes = JSONObject()
    for attribute in node.attributes
    where !attribute.rule.isIdentity && isWanted(attribute.rule.slot, from: nil) {
      try add(attribute, of: object, node, to: &attributes)
    }
    var relationships = JSONObject()
    for relationship in node.relationships
    where isWanted(relationship.description.slot, from: nil)
      && relationship.description.kind != .oneToMany
    {
      let members = try source.objects(of: relationship.description, from: object).compactMap {
        member -> JSONValue? in
        let node = try plan.node(for: source.identifier(of: member).entity)
        let identity = try identity(of: member, node)
        return identity["id"].map { _ in .object(identity) }
      }
      let linkage: JSONValue =
        relationship.description.isToMany ? .array(members) : members.first ?? .null
      relationships.place(.object(["data": linkage]), at: relationship.key[...])
    }
    if !attributes.isEmpty { result["attributes"] = .object(attributes) }
    if !relationships.isEmpty { result["relationships"] = .object(relationships) }
    return result
  }

  /// The identity of a resource: its type and, where it has one, its key as a text.
  private func identity(of object: Source.Object, _ node: ExportNode) throws -> JSONObject {
    let entity = source.identifier(of: object).entity
    var result: JSONObject = ["type": .string(options.resourceType(of: entity))]
    guard let key = node.attributes.first(where: \.rule.isIdentity),
      let json = try json(key, of: object, node), !json.isNull
    else { return result }
    result["id"] = json.stringValue.map { .string($0) } ?? .string("\(json)")
    return result
  }

  // MARK: - Nested

  /// - Returns: Nil where a reference has to stand for the object, and it has no key.
  private mutating func nested(_ member: Source.Object, from way: Way) throws -> JSONValue? {
    let id = source.identifier(of: member)
    count += 1
    guard count <= options.maximumObjects else { throw tooMany(below: way.node.entity) }
    let node =
      try way.destination.map { try plan.node($0, for: id.entity) } ?? plan.node(for: id.entity)
    guard path.contains(id) || path.count >= options.maximumDepth, node.bareValue == nil else {
      return try export(member, node, from: way)
    }
    if node.clearsMissing, node.identity.count == 1 {
      let key = try json(node.identity[0], of: member, node)
      return key?.isNull == true ? nil : key
    }
    var result = JSONObject()
    // A serializer may mean something by a key that is missing, so its objects keep all attributes.
    for attribute in node.attributes where attribute.rule.isIdentity || node.isOfSerializer {
      try add(attribute, of: member, node, to: &result)
    }
    guard !result.isEmpty else { return nil }
    if let kind = node.kind { result.place(.string(kind.name), at: kind.key[...]) }
    return .object(result)
  }

  private func tooMany(below entity: EntityDescription) -> ExportError {
    ExportError(
      .tooManyObjects, entity: entity.name,
      message: """
        The JSON of one object would hold more than \(options.maximumObjects) nested objects: objects \
        like “\(entity.name)” lead to each other in many ways, and each way is written. Give one of the \
        relationships an inverse or the user info sync.nonExportable, set maximumDepth to a few levels, \
        or raise maximumObjects.
        """)
  }

  private func leadsBack(
    _ relationship: ExportNode.Relationship, in node: ExportNode, _ way: Way?
  ) -> Bool {
    guard let way else { return false }
    let description = relationship.description
    if description.slot == way.relationship.description.inverseSlot {
      guard description.isToMany else { return true }
      return !options.followsWaysBack && relationship.rule.missing == .keep
    }
    // A rule for the relationship asks for it in the JSON, and so does a missing key that means
    // something.
    guard !relationship.isWritten, relationship.rule.missing == .keep else { return false }
    return !description.isToMany
      && node.entity.destination(of: description) == way.node.entity
  }
}

extension ExportOptions {
  /// The JSON:API type of an entity's objects: the entity's `sync.type`, or its name in the plural.
  fileprivate func resourceType(of entity: EntityDescription) -> String {
    if let type = MappingRules.types(of: entity).first(where: { $0 != "*" }) { return type }
    let plural = Inflection.plural(Inflection.naturalSnake(entity.name))
    return inflectionType == .camelCase ? Inflection.camel(plural) ?? plural : plural
  }
}

/// Where an export reads objects: a context with its unsaved values, or the rows of a store.
protocol ExportSource<Object> {
  associatedtype Object

  func identifier(of object: Object) -> ManagedObjectID

  /// The value of a stored attribute.
  func value(at slot: Int, of object: Object) -> Value

  /// The objects that a relationship leads to: for a to-one at most one, for an ordered
  /// relationship in its order, else in the order of insertion.
  func objects(of relationship: RelationshipDescription, from object: Object) throws -> [Object]
}

/// Exports rows of a store.
extension RowSource: ExportSource {}

/// Exports objects of a context as they are now, unsaved values included.
struct ObjectSource: ExportSource {
  func identifier(of object: ManagedObject) -> ManagedObjectID { object.objectID }

  func value(at slot: Int, of object: ManagedObject) -> Value { object.currentValue(at: slot) }

  func objects(
    of relationship: RelationshipDescription, from object: ManagedObject
  ) -> [ManagedObject] {
    object.currentObjects(at: relationship.slot)
  }
}
