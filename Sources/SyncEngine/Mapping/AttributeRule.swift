package import SyncCore

/// How one attribute gets its value.
package final class AttributeRule: Sendable {
  package let slot: Int
  package let name: String
  package let type: AttributeType
  package let converter: ValueConverter

  /// Whether the attribute is (part of) the identity of the object.
  package let isIdentity: Bool

  /// The key under which the value is looked for first, and which an export writes.
  package let remoteKey: RemoteKey

  /// All places where the value is looked for, the most important one first.
  package let spellings: [RemoteKey]
  package let missing: SyncPolicy.Missing
  package let mismatch: SyncPolicy.Mismatch

  /// Whether there has to be a value: the model says so, or the class of the program.
  package let isRequired: Bool

  /// Whether an export may mention the attribute.
  package let isExportable: Bool

  /// Name of the transformer, as the model or the rule gives it.
  package let transformerName: String?

  /// The transformer, when it is registered: for exports.
  package let transformer: (any AttributeTransformer)?

  /// The rule written for the attribute; nil when a convention or an annotation fills it.
  let written: Rule?

  init(
    attribute: AttributeDescription, converter: ValueConverter, isIdentity: Bool,
    remoteKey: RemoteKey, spellings: [RemoteKey], missing: SyncPolicy.Missing,
    mismatch: SyncPolicy.Mismatch,
    needsValue: Bool, transformerName: String? = nil,
    transformer: (any AttributeTransformer)? = nil, written: Rule? = nil
  ) {
    slot = attribute.slot
    name = attribute.name
    type = attribute.type
    self.converter = converter
    self.isIdentity = isIdentity
    self.remoteKey = remoteKey
    self.spellings = spellings
    self.missing = missing
    self.mismatch = mismatch
    isRequired = !attribute.isOptional || needsValue
    isExportable = MappingRules.isExportable(attribute.userInfo)
    self.transformerName = transformerName
    self.transformer = transformer
    self.written = written
  }

  /// The checked rule written for an attribute of an entity.
  convenience init(
    _ rule: Rule, for attribute: AttributeDescription, of entity: EntityDescription,
    isIdentity: Bool, policy: SyncPolicy, check: AttributeCheck?
  ) {
    let converter =
      switch rule.content {
      case .objects, .constant:
        ValueConverter(attribute.type)
      case .attribute(let kind):
        kind.converter(
          for: attribute, coercion: rule.coercion ?? policy.coercion, isIdentity: isIdentity,
          unit: rule.unit, check: check?.ofValues)
      case .custom(let coding):
        ValueConverter(
          attribute.type, form: .natural, accepts: .any, checksWidth: !isIdentity,
          decoder: coding.decode, check: check?.ofValues)
      }
    self.init(
      attribute: attribute, converter: converter, isIdentity: isIdentity,
      remoteKey: rule.path.remoteKey, spellings: [rule.path.remoteKey],
      missing: rule.missing
        ?? MappingRules.whenMissing(attribute, of: entity, isIdentity: isIdentity)
        ?? policy.missingKey,
      mismatch: rule.mismatch ?? policy.mismatch,
      needsValue: check?.needsValue == true,
      written: rule)
  }
}

extension AttributeRule {
  /// Where the value stands in an item, as an error says it: `.user.name`.
  var path: String { remoteKey.path(written) }

  /// The value for every item, where none is asked.
  var constant: Value? {
    if case .constant(let value)? = written?.content { value } else { nil }
  }
}

extension RemoteKey {
  /// Where the value of a rule stands in an item: where the rule says, else under the key.
  func path(_ rule: Rule?) -> String {
    String("\(rule?.path.listPath ?? JSONPath(steps.map { .key($0) }))".dropFirst())
  }
}
