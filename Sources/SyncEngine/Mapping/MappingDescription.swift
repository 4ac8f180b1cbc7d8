public import SyncCore

/// The JSON keys that fill each property by convention: `syncstack model --mapping` prints them,
/// and a test of a program can hold its model against the keys of its API.
///
/// ```swift
/// let fields = MappingDescription(of: model).entities[0].fields
/// print(fields.map(\.key))  // id, created_at, notes
/// print(MappingDescription(of: model))
/// ```
///
/// ```
/// User
///   id          → id         Integer 64, primary key
///   created_at  → createdAt  Date, also createdAt
///   notes       → notes      list of Note, identifiers under notes_ids, notesIDs, notesIds, note_ids, noteIDs, noteIds
/// ```
public struct MappingDescription: Sendable, Hashable, Codable {
  /// The fields of one entity.
  public struct Entity: Sendable, Hashable, Codable {
    /// The name of the entity.
    public let name: String
    /// Names of the attributes that identify an object; empty when none do.
    public let identity: [String]
    /// Attributes in model order, then relationships to one, then to many.
    public let fields: [Field]
  }

  /// The JSON keys of one property.
  public struct Field: Sendable, Hashable, Codable {
    /// Whether the property is an attribute, or a relationship to one or to many objects.
    public enum Kind: String, Sendable, Hashable, Codable { case attribute, toOne, toMany }

    /// The name of the property.
    public let property: String
    /// The kind of the property.
    public let kind: Kind
    /// Type of the attribute, or entity of the relationship.
    public let type: String
    /// The key that is looked at first, with dots between steps.
    public let key: String
    /// Other keys that are understood, the most important first.
    public let otherKeys: [String]
    /// Keys under which identifiers stand instead of objects; empty for attributes.
    public let referenceKeys: [String]
    /// Whether the attribute is of those that identify an object.
    public let isIdentity: Bool
    /// Whether an object without a value cannot be stored.
    public let isRequired: Bool
    /// Whether an export writes the property.
    public let isExportable: Bool
    /// Name of the transformer, whether it is registered or not.
    public let transformer: String?
  }

  /// The entity the mapping starts from, then those its relationships lead to.
  public let entities: [Entity]
  /// The places of the model that the mapping cannot use as they are.
  public let remarks: [MappingRemark]

  /// Describes the conventional mapping of an entity and of all entities it leads to.
  public init(of entity: EntityDescription, transformers: TransformerRegistry = .shared) {
    self.init(
      MappingPlanCompiler.compile(entity, MappingEnvironment(transformers: transformers)))
  }

  /// Describes the conventional mapping of all entities of a model.
  public init(of model: ManagedObjectModel, transformers: TransformerRegistry = .shared) {
    let parts = model.entities.map { MappingDescription(of: $0, transformers: transformers) }
    entities = parts.compactMap(\.entities.first)
    var known: Set<MappingRemark> = []
    remarks = parts.flatMap(\.remarks).filter { known.insert($0).inserted }
  }

  /// Describes a plan.
  package init(_ plan: MappingPlan) {
    let root = [plan.rootNode]
    let others = plan.nodes.indices.filter { $0 != plan.root }.map { plan.nodes[$0] }
    entities = (root + others).map { node in
      Entity(
        name: node.entity.name,
        identity: node.identity.map { node.entity.properties[$0].name },
        fields: node.attributes.map(Field.init)
          + node.relationships.map { Field($0, destination: plan.nodes[$0.node].entity.name) })
    }
    remarks = plan.remarks
  }
}

extension MappingDescription.Field {
  fileprivate init(_ rule: AttributeRule) {
    property = rule.name
    kind = .attribute
    type = rule.type.rawValue
    let first = rule.spellings.first ?? rule.remoteKey
    key = first.description
    // Capitals are understood too, and would only fill the page; so would a path once more as one
    // key with dots.
    let whole = [first.steps.joined(separator: ".")]
    otherKeys = rule.spellings.dropFirst().filter { $0.steps != whole }.map(\.description)
      .filter { $0 == rule.name || $0.first?.isUppercase != true }
    referenceKeys = []
    isIdentity = rule.isIdentity
    isRequired = rule.isRequired
    isExportable = rule.isExportable
    transformer = rule.transformerName
  }

  fileprivate init(_ rule: RelationshipRule, destination: String) {
    property = rule.name
    kind = rule.relationship.isToMany ? .toMany : .toOne
    type = destination
    key = rule.remoteKey.description
    otherKeys = rule.objectKeys.dropFirst().map(\.description)
    referenceKeys = rule.referenceKeys.map(\.description)
    isIdentity = false
    isRequired = !rule.relationship.isOptional
    isExportable = rule.isExportable
    transformer = nil
  }
}

extension MappingDescription: CustomStringConvertible {
  /// The mapping as text: one line per property, entities parted by empty lines, remarks at the
  /// end.
  public var description: String {
    var parts = entities.map(\.description)
    if !remarks.isEmpty {
      parts.append(
        (["Remarks"] + remarks.map { "  \($0.description)" }).joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n")
  }
}

extension MappingDescription.Entity: CustomStringConvertible {
  /// The entity as text: a line for each property.
  public var description: String {
    let keyWidth = fields.map(\.key.count).max() ?? 0
    let nameWidth = fields.map(\.property.count).max() ?? 0
    let lines = fields.map { field in
      "  \(padded(field.key, keyWidth))  → \(padded(field.property, nameWidth))  \(field.details)"
    }
    let title = identity.isEmpty ? "\(name) (no primary key)" : name
    return ([title] + lines).joined(separator: "\n")
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension MappingDescription.Field {
  /// Type and everything unusual, parted by commas.
  fileprivate var details: String {
    var details = [kind == .toMany ? "list of \(type)" : type]
    if isIdentity { details.append("primary key") }
    if isRequired { details.append("required") }
    if let transformer { details.append("through \(transformer)") }
    if !isExportable { details.append("not exported") }
    if !otherKeys.isEmpty { details.append("also \(otherKeys.joined(separator: ", "))") }
    if referenceKeys == [key] {
      details.append("objects or identifiers")
    } else if !referenceKeys.isEmpty {
      details.append("identifiers under \(referenceKeys.joined(separator: ", "))")
    }
    return details.joined(separator: ", ")
  }
}
