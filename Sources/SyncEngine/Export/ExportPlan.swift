import SyncCore

/// The nodes of one export. The answers of sources that are always the same are compiled with the
/// plan, so that a rule without a way back is named before anything is written. Confined to the
/// export.
final class ExportPlan {
  let options: ExportOptions
  private let plans: MappingPlanCache
  /// The node that writes the objects at the top; nil is the conventions for the entity of each.
  private var root: ExportNode?
  private var nodes: [Int: ExportNode] = [:]
  private var nodesOfSources: [PlanKey: ExportNode] = [:]
  /// Whether the names in ``ExportOptions/nesting`` are those of relationships.
  private var isChecked = false

  /// Makes the plan of an export by convention.
  init(options: ExportOptions, plans: MappingPlanCache) {
    self.options = options
    self.plans = plans
  }

  /// Makes the plan of an export of objects that a source describes.
  ///
  /// - Throws: ``MappingError`` when the source does not fit the model, ``ExportError`` when a rule
  ///   has no way back.
  convenience init(
    _ source: any PlanSource, in model: ManagedObjectModel, options: ExportOptions,
    plans: MappingPlanCache
  ) throws {
    self.init(options: options, plans: plans)
    root = try node(source, in: model, below: [])
  }

  /// The node that writes an object at the top, of exactly this entity.
  ///
  /// - Throws: ``ExportError`` when a rule that was written has no way back, or a relationship that
  ///   is to be nested is none of the model.
  func rootNode(for entity: EntityDescription) throws -> ExportNode {
    try checkNesting(in: entity.model)
    guard let root else { return try node(for: entity) }
    return try node(root, for: entity)
  }

  private func checkNesting(in model: ManagedObjectModel) throws {
    if isChecked { return }
    for name in options.nesting.sorted() {
      let parts = name.split(separator: ".").map(String.init)
      let isKnown = model.entities.contains { entity in
        (parts.count == 1 || parts.count == 2 && parts[0] == entity.name)
          && entity.relationships.contains { $0.name == parts.last }
      }
      guard !isKnown else { continue }
      throw ExportError(
        .unknownRelationship, entity: parts.count == 2 ? parts[0] : nil, property: parts.last,
        message: "No entity of the model has the relationship “\(name)” that is to be nested. Name "
          + "it as the model does, as “lines” or “Order.lines”.")
    }
    isChecked = true
  }

  /// The node that writes an object of exactly this entity in the place of another node: of a
  /// subentity perhaps another one.
  func node(_ node: ExportNode, for entity: EntityDescription) throws -> ExportNode {
    guard let kinds = node.kinds, entity != node.entity else { return node }
    if let known = node.nodesOfKinds[entity.index] { return known }
    guard let (name, source) = kinds.source(of: entity) else { return node }
    let result =
      try self.node(source, in: entity.model, below: []) ?? conventionalNode(of: entity)
    result.kind = (kinds.path.steps, name)
    node.nodesOfKinds[entity.index] = result
    return result
  }

  /// The node that writes the objects that a relationship leads to; nil is the conventions for the
  /// entity of each.
  ///
  /// - Parameter parent: The JSON of the owner so far.
  /// - Throws: ``ExportError`` when a rule has no way back, ``MappingError`` when a source does not
  ///   fit the model.
  func node(
    below relationship: ExportNode.Relationship, of owner: ExportNode, parent: JSONValue
  ) throws -> ExportNode? {
    if let destination = relationship.destination { return destination }
    switch relationship.source {
    case nil: return nil
    case .constant(let make):
      relationship.destination = try node(make(), below: relationship, of: owner, path: [])
      return relationship.destination
    case .perParent(let make):
      return try node(make(parent), below: relationship, of: owner, path: [])
    }
  }

  /// The node of the conventions for objects of exactly this entity.
  func node(for entity: EntityDescription) throws -> ExportNode {
    if let node = nodes[entity.index] { return node }
    let node = try conventionalNode(of: entity)
    nodes[entity.index] = node
    return node
  }

  private func conventionalNode(of entity: EntityDescription) throws -> ExportNode {
    let node = try ExportNode(plans.plan(for: entity).rootNode, options: options)
    try prepare(node, below: [])
    return node
  }

  // MARK: - Sources

  private func node(
    _ source: any PlanSource, below relationship: ExportNode.Relationship, of owner: ExportNode,
    path: [Int]
  ) throws -> ExportNode? {
    guard let node = try node(source, in: owner.entity.model, below: path) else { return nil }
    let destination = owner.entity.destination(of: relationship.description)
    guard node.entity.isKind(of: destination) else {
      throw MappingError.wrongEntity(
        node.entity.name, below: relationship.description.name, of: owner.entity, to: destination)
    }
    return node
  }

  /// The node that writes objects by a source; nil where it leaves that to the conventions.
  private func node(
    _ source: any PlanSource, in model: ManagedObjectModel, below path: [Int]
  ) throws -> ExportNode? {
    let key = PlanKey(source)
    if let key, let known = nodesOfSources[key] { return known }
    guard let plan = try plans.writtenPlan(for: source, in: model) else { return nil }
    let node = try ExportNode(plan.rootNode, options: options)
    if let key { nodesOfSources[key] = node }
    try prepare(node, below: path + [node.entity.index])
    return node
  }

  /// Compiles the nodes that always write the objects below a node.
  ///
  /// - Parameter path: The entities of the nodes above it.
  private func prepare(_ node: ExportNode, below path: [Int]) throws {
    for relationship in node.relationships where relationship.destination == nil {
      guard case .constant(let make)? = relationship.source else { continue }
      let source = make()
      let destination = node.entity.destination(of: relationship.description)
      // A source without a key may be one that stands above it already, and those with keys may all
      // differ, as with a depth in them: both may lead on for ever, and are compiled when an object
      // is there.
      let mayBeEndless =
        source.planKey == nil
        ? path.contains(destination.index) : path.count >= ExportPlan.preparedDepth
      if mayBeEndless { continue }
      relationship.destination = try self.node(source, below: relationship, of: node, path: path)
    }
  }

  private static let preparedDepth = 32
}
