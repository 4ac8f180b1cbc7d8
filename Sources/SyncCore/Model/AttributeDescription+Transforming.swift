/// What the layers above need of transformable attributes.
extension AttributeDescription {
  /// Name of the transformer between objects and stored values; nil when the stored values
  /// themselves are what objects show. Transformers that only archive objects do not count: values
  /// of every kind are archived anyway.
  package var objectTransformerName: String? {
    guard type == .transformable, let name = valueTransformerName, !name.isEmpty,
      !AttributeDescription.archivers.contains(name)
    else { return nil }
    return name
  }

  private static let archivers = [
    "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer",
    "NSKeyedUnarchiveFromData", "NSUnarchiveFromData",
  ]

  /// The default in the form in which a row keeps it.
  package var storedDefault: Value {
    type == .transformable && !defaultValue.isNull ? .data(defaultValue.archive) : defaultValue
  }
}
