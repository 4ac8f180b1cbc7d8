import SyncCore

/// Turns objects into JSON: attributes first, then relationships, each in model order.
///
/// Which relationships of a nested object are passed over:
/// - the inverse of the one that led here: being nested says it already, and a list would have to name
///   every other owner too (``ExportOptions/followsWaysBack`` follows to-many ones all the same);
/// - a to-one to the entity of the object it is nested in: the nesting says it already.
///
/// An object that is being exported already, further out, is never entered again, nor is one below the
/// depth limit: a reference stands for it, which is its primary key alone. A sync links it and changes
/// nothing of it. Confined to one call.
struct Exporter<Source: ExportSource> {
  private let plan: ExportPlan
  private let source: Source

  /// The objects that are being exported, from the outermost in.
  private var path: Set<ManagedObjectID> = []

  /// Objects nested in the one at the top so far.
  private var count = 0

  /// Where a nested object was come from.
  private struct Way {
    let entity: EntityDescription
    let inverseSlot: Int?
  }

  init(_ plan: ExportPlan, _ source: Source) {
    self.plan = plan
    self.source = source
  }

  private var options: ExportOptions { plan.options }

  /// The JSON of an object.
  ///
  /// - Throws: ``ExportError``, and what the source throws.
  /// - Complexity: O(objects that are nested in it, repeated ones counted again), of which there are at
  ///   most ``ExportOptions/maximumObjects``.
  mutating func export(_ object: Source.Object) throws -> JSONObject {
    count = 0
    return try export(object, from: nil)
  }

  private mutating func export(_ object: Source.Object, from way: Way?) throws -> JSONObject {
    let id = source.identifier(of: object)
    let node = try plan.node(for: id.entity)
    var result = JSONObject()
    result.reserveCapacity(node.attributes.count + node.relationships.count)
    for attribute in node.attributes { try add(attribute, of: object, node, to: &result) }
    guard !node.relationships.isEmpty else { return result }
    path.insert(id)
    defer { path.remove(id) }
    for relationship in node.relationships
    where !leadsBack(relationship.description, in: node, way) {
      try add(relationship, of: object, node, to: &result)
    }
    return result
  }

  private func add(
    _ attribute: ExportNode.Attribute, of object: Source.Object, _ node: ExportNode,
    to result: inout JSONObject
  ) throws {
    let value = source.value(at: attribute.slot, of: object)
    guard let json = try attribute.json(value, of: node.entity, options) else { return }
    result.place(json, at: attribute.key[...])
  }

  private mutating func add(
    _ relationship: ExportNode.Relationship, of object: Source.Object, _ node: ExportNode,
    to result: inout JSONObject
  ) throws {
    let way = Way(entity: node.entity, inverseSlot: relationship.description.inverseSlot)
    var members: [JSONValue] = []
    for member in try source.objects(of: relationship.description, from: object) {
      let json = try nested(member, from: way)
      if !json.isEmpty { members.append(.object(json)) }
    }
    guard relationship.description.isToMany else {
      if let member = members.first { result.place(member, at: relationship.key[...]) }
      return
    }
    if options.relationshipType == .nested {
      var numbered = JSONObject()
      for (index, member) in members.enumerated() { numbered[String(index)] = member }
      result.place(.object(numbered), at: relationship.key[...])
    } else {
      result.place(.array(members), at: relationship.key[...])
    }
  }

  private mutating func nested(_ member: Source.Object, from way: Way) throws -> JSONObject {
    let id = source.identifier(of: member)
    count += 1
    guard count <= options.maximumObjects else { throw tooMany(below: way.entity) }
    guard path.contains(id) || path.count >= options.maximumDepth else {
      return try export(member, from: way)
    }
    let node = try plan.node(for: id.entity)
    var result = JSONObject()
    for attribute in node.attributes where attribute.isIdentity {
      try add(attribute, of: member, node, to: &result)
    }
    return result
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
    _ relationship: RelationshipDescription, in node: ExportNode, _ way: Way?
  ) -> Bool {
    guard let way else { return false }
    if relationship.slot == way.inverseSlot {
      return !(relationship.isToMany && options.followsWaysBack)
    }
    return !relationship.isToMany && node.entity.destination(of: relationship) == way.entity
  }
}
