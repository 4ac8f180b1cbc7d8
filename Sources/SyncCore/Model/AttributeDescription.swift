/// One attribute of an entity: a scalar that the row of an object holds.
///
/// A ``PropertyDraft`` holds one as it is declared, and `ModelBuilder` checks it and gives it its
/// slot.
public struct AttributeDescription: Sendable {
  /// Its name in the model.
  public package(set) var name: String
  package var slot = 0
  /// Which values it takes.
  public let type: AttributeType
  /// Whether an object can be saved without a value.
  public package(set) var isOptional: Bool

  /// Whether the value lives in objects only and is never stored.
  public package(set) var isTransient: Bool

  /// The value with which a new object starts; ``Value/null`` when the model gives no default.
  public package(set) var defaultValue: Value

  /// Name of the transformer of a transformable attribute, as the model gives it.
  public package(set) var valueTransformerName: String?

  /// Rules that a value must meet when an object is validated.
  public package(set) var validation: ValidationRules

  /// Whether a deleted object's value is kept in its tombstone.
  public package(set) var preservesValueInHistory: Bool

  /// Annotations of the model, as `sync.remoteKey`.
  public package(set) var userInfo: [String: String]
  /// Its name in an earlier version of the model, by which a migration finds it; nil when it is the
  /// same.
  public package(set) var renamingIdentifier: String?

  /// Name of the Swift type of the value when it is one of the program's own.
  package var valueClassName: String?

  package init(
    _ name: String, _ type: AttributeType, isOptional: Bool = true, isTransient: Bool = false,
    defaultValue: Value = .null, valueTransformerName: String? = nil,
    validation: ValidationRules = ValidationRules(), preservesValueInHistory: Bool = false,
    userInfo: [String: String] = [:], renamingIdentifier: String? = nil,
    valueClassName: String? = nil
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.defaultValue = defaultValue
    self.valueTransformerName = valueTransformerName
    self.validation = validation
    self.preservesValueInHistory = preservesValueInHistory
    self.userInfo = userInfo
    self.renamingIdentifier = renamingIdentifier
    self.valueClassName = valueClassName
  }

  /// Name of the transformer between objects and stored values; nil when objects show the stored
  /// values themselves. Transformers that only archive objects do not count: values of every kind
  /// are archived anyway.
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

/// Limits that a model sets on the values of an attribute. Numbers and dates compare by value; for
/// text the limits are on its length in characters.
public struct ValidationRules: Sendable, Hashable {
  /// The least value, or the least length of a text; null is no limit.
  public var minimum: Value
  /// The largest value, or the largest length of a text; null is no limit.
  public var maximum: Value
  /// The pattern that a text has to match; nil is none.
  public var regularExpression: String?

  public init(minimum: Value = .null, maximum: Value = .null, regularExpression: String? = nil) {
    self.minimum = minimum
    self.maximum = maximum
    self.regularExpression = regularExpression
  }

  /// Whether there is nothing to check.
  package var isEmpty: Bool { minimum.isNull && maximum.isNull && regularExpression == nil }
}
