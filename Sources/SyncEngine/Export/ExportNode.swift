import SyncCore

/// The properties that an export writes of the objects of one entity, and their keys: the node of a
/// mapping plan read the other way, under the options of the export. Confined to the export.
final class ExportNode {
  struct Attribute {
    let rule: AttributeRule
    let key: [JSONPath.Step]
  }

  final class Relationship {
    let rule: RelationshipRule
    let key: [JSONPath.Step]
    /// Where the keys of the objects are written, when these are not.
    let referenceKey: [JSONPath.Step]
    /// The source of the mapping by which the objects are written, when there is a rule.
    let source: NestedSource?
    /// The node that writes the objects, once a source that always gives the same mapping was
    /// asked.
    var destination: ExportNode?
    /// How the objects are written where no rule says it.
    let form: ExportOptions.RelationshipType

    init(
      _ rule: RelationshipRule, source: NestedSource?, _ form: ExportOptions.RelationshipType,
      _ options: ExportOptions
    ) {
      self.rule = rule
      self.form = form
      key = rule.exportKey(form, options)
      referenceKey = rule.referenceKey(options)
      self.source = source
    }

    var description: RelationshipDescription { rule.relationship }
    /// The steps around each object of a list, from the outside in.
    var wrapping: ArraySlice<JSONPath.Step> { rule.elements.dropFirst() }
    /// Whether there is a rule: its path counts in every form of export.
    var isWritten: Bool { rule.written != nil }
    /// Whether keys stand for the objects.
    var isOfKeys: Bool { form == .keys && !isWritten }
    /// Whether the source reads the JSON of the owner so far.
    var seesParent: Bool {
      if case .perParent? = source { true } else { false }
    }
  }

  let entity: EntityDescription
  let attributes: [Attribute]
  let relationships: [Relationship]

  /// The attributes that tell its objects apart.
  let identity: [Attribute]

  /// Whether conventions read the objects, and take a key that is missing for an empty value.
  let clearsMissing: Bool

  /// Whether a serializer decides the JSON, and not the conventions.
  let isOfSerializer: Bool

  /// The only attribute, when objects are written as its value alone: the items of lists of bare
  /// values.
  let bareValue: Attribute?

  /// The key of an object's kind in the JSON, and its name there; nil where none is needed.
  var kind: (key: [JSONPath.Step], name: String)?

  /// The writers of objects of subentities; nil where the node does.
  let kinds: Kinds?
  var nodesOfKinds: [Int: ExportNode] = [:]

  /// - Throws: ``ExportError`` when a rule that was written has no way back.
  init(_ node: PlanNode, options: ExportOptions) throws {
    entity = node.entity
    isOfSerializer = node.hasWrittenForm
    let exported = node.attributes.filter { rule in
      // A transformable value means something to its transformer only.
      rule.isExportable && rule.constant == nil
        && (rule.type != .transformable || rule.transformer != nil || rule.written != nil)
    }
    relationships = node.relationships.enumerated().compactMap { number, rule in
      let form = options.form(of: rule.name, in: node.entity)
      guard rule.isExportable, form != .none else { return nil }
      return Relationship(rule, source: node.sources[number], form, options)
    }
    let isAlone =
      isOfSerializer && node.sources.isEmpty
      && node.attributes.count { $0.constant == nil } == 1
    for relationship in node.relationships where relationship.isExportable {
      guard let written = relationship.written else { continue }
      try ReversedRule(written, relationship.name, of: node.entity).check()
    }
    attributes = try exported.map { rule in
      if let written = rule.written {
        try ReversedRule(written, rule.name, of: node.entity).check(isAlone: isAlone)
      }
      return Attribute(rule: rule, key: rule.exportKey(options))
    }
    identity = attributes.filter(\.rule.isIdentity)
    clearsMissing =
      !isOfSerializer
      && (attributes.contains { $0.rule.missing != .keep && !$0.rule.isIdentity }
        || relationships.contains { $0.rule.missing != .keep })
    kinds = isOfSerializer ? node.kinds : nil
    kind = isOfSerializer ? node.kinds?.nameOfItself : MappingRules.kind(of: node.entity)
    bareValue = isAlone ? attributes.first { $0.key.isEmpty } : nil
  }
}

extension AttributeRule {
  /// The key of the attribute: one that a sync fills it from, even if other attributes claim it.
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
  /// The most usual of the keys from which a sync reads identifiers: `company_id`, `tag_ids`.
  fileprivate func referenceKey(_ options: ExportOptions) -> [JSONPath.Step] {
    if hasCustomKey { return remoteKey.steps.map { .key($0) } }
    let names = relationship.isToMany ? Inflection.singulars(name) + [name] : [name]
    let isCamel = options.inflectionType == .camelCase
    let ending = (isCamel ? "Id" : "_id") + (relationship.isToMany ? "s" : "")
    let wanted = names.map { (isCamel ? $0 : Inflection.key(for: $0)) + ending }
    let known = Set(referenceKeys.map(\.steps))
    let key = wanted.map { [$0] }.first(where: known.contains) ?? referenceKeys.first?.steps ?? []
    return key.map { .key($0) }
  }

  fileprivate func exportKey(
    _ form: ExportOptions.RelationshipType, _ options: ExportOptions
  ) -> [JSONPath.Step] {
    if let written { return written.path.listPath.steps }
    let isCamel = options.inflectionType == .camelCase && !hasCustomKey
    var steps = isCamel ? [name] : remoteKey.steps
    if form == .nested, let last = steps.popLast() {
      steps.append(last + (isCamel ? "Attributes" : "_attributes"))
    }
    return steps.map { .key($0) }
  }
}
