import SyncCore

/// What an export writes of the objects of one entity, and under which keys: the mapping plan of the
/// entity read the other way, under the options of the export.
struct ExportNode {
  struct Attribute {
    let slot: Int
    let name: String
    let type: AttributeType
    let key: [JSONPath.Step]
    let isIdentity: Bool
    let transformerName: String?
    let transformer: (any AttributeTransformer)?
    /// The rule that was written for the attribute, read the other way.
    let written: Rule?
  }

  struct Relationship {
    let description: RelationshipDescription
    let key: [JSONPath.Step]
  }

  let entity: EntityDescription
  let attributes: [Attribute]
  let relationships: [Relationship]

  /// - Throws: ``ExportError`` when a rule that was written for an attribute has no way back.
  init(_ node: PlanNode, options: ExportOptions) throws {
    entity = node.entity
    attributes = try node.attributes.filter { rule in
      // A transformable value means something to its transformer only.
      rule.isExportable
        && (rule.type != .transformable || rule.transformer != nil || rule.written != nil)
    }.map { rule in
      try rule.written?.requireReversible(rule.name, of: node.entity)
      return Attribute(
        slot: rule.slot, name: rule.name, type: rule.type, key: rule.exportKey(options),
        isIdentity: rule.isIdentity, transformerName: rule.transformerName,
        transformer: rule.transformer, written: rule.written)
    }
    guard options.relationshipType != .none else {
      relationships = []
      return
    }
    relationships = node.relationships.filter(\.isExportable).map { rule in
      Relationship(description: rule.relationship, key: rule.exportKey(options))
    }
  }
}

extension AttributeRule {
  /// The key of the attribute: one that a sync fills it from, whatever other attributes claim.
  fileprivate func exportKey(_ options: ExportOptions) -> [JSONPath.Step] {
    written?.path.steps ?? conventionalKey(options).map { .key($0) }
  }

  private func conventionalKey(_ options: ExportOptions) -> [String] {
    if remoteKey.isCustom { return remoteKey.steps }
    if name == "destroy", options.relationshipType == .nested { return ["_destroy"] }
    var wanted = remoteKey.steps
    // Keys that do not stand for the name alone, `id` and `type`, are the same in both inflections.
    if options.inflectionType == .camelCase, wanted == [Inflection.key(for: name)] {
      wanted = [name]
    }
    let isUnderstood = spellings.isEmpty || spellings.contains { $0.steps == wanted }
    return isUnderstood ? wanted : spellings[0].steps
  }
}

extension RelationshipRule {
  fileprivate func exportKey(_ options: ExportOptions) -> [JSONPath.Step] {
    let isCamel = options.inflectionType == .camelCase && !hasCustomKey
    var steps = isCamel ? [name] : remoteKey.steps
    if options.relationshipType == .nested, let last = steps.popLast() {
      steps.append(last + (isCamel ? "Attributes" : "_attributes"))
    }
    return steps.map { .key($0) }
  }
}

/// The nodes of one export, made when they are first needed. Confined to the export.
final class ExportPlan {
  let options: ExportOptions
  private let plans: MappingPlanCache
  private var nodes: [Int: ExportNode] = [:]

  init(options: ExportOptions, plans: MappingPlanCache) {
    self.options = options
    self.plans = plans
  }

  /// What is written of objects of exactly this entity.
  ///
  /// - Throws: ``ExportError`` when a rule that was written for an attribute has no way back.
  func node(for entity: EntityDescription) throws -> ExportNode {
    if let node = nodes[entity.index] { return node }
    let node = try ExportNode(plans.plan(for: entity).rootNode, options: options)
    nodes[entity.index] = node
    return node
  }
}
