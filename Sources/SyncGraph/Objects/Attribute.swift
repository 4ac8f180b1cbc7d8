public import SyncCore

/// An attribute of a managed object class.
///
/// ```swift
/// @Attribute var name: String?                              // optional
/// @Attribute var age: Int64 = 0                             // required, with a default
/// @Attribute(remoteKey: "contact.email") var email: String? // another key in JSON
/// ```
///
/// The type may be any ``ValueConvertible`` one. Reading a required attribute that was never set
/// stops the program with a message; of an object that was deleted it gives the default, or the
/// type's zero. When the class stands for an entity of a model document, the document decides and
/// the parameters are not used.
///
/// ## Values that are none of the type
///
/// An enum has a few raw values only, a ``CodableValue`` not every JSON. A value that is none of
/// the type does not get in: a sync keeps the old value and reports the new one, a batch throws,
/// and setting it by key stops the program with a message. A file may hold one all the same, when
/// another program wrote it or the enum has lost a case. Then an optional property is nil, and the
/// stored value stays until another is set; a required one stops the program with a message that
/// names object and value. ``DataStack/unreadableValues(inEntityNamed:)`` finds all of them, and
/// ``ManagedObject/storedValue(forKey:)`` has the value as it is.
///
/// The same holds of no value at all, where a model document says that the attribute is optional
/// and the class declares neither an optional nor a default: a sync treats the attribute as
/// required, a batch and a save throw. With a default the property reads that. A primary key may be
/// empty until it is read.
@propertyWrapper
public struct Attribute<Wrapped: ValueConvertible>: PropertyWrapper {
  @usableFromInline let ordinal: UInt16

  // The first two initialisers run for nearly every wrapper of every object, so they are inlined
  // into the class: two stores instead of a call that knows its type at run time only.

  /// Declares an attribute without default value.
  @inlinable
  public init() {
    if WrapperConstruction.isRecorded { Attribute.declare(defaultValue: .null) }
    ordinal = WrapperConstruction.nextOrdinal()
  }

  /// Declares an attribute with a default value.
  @inlinable
  public init(wrappedValue: @autoclosure () -> Wrapped) {
    if WrapperConstruction.isRecorded {
      Attribute.declare(defaultValue: wrappedValue().storedValue)
    }
    ordinal = WrapperConstruction.nextOrdinal()
  }

  @usableFromInline
  static func declare(defaultValue: Value) {
    WrapperConstruction.declare(.attribute(Wrapped.self, defaultValue: defaultValue))
  }

  /// Declares an attribute.
  ///
  /// - Parameters:
  ///   - remoteKey: Key or dot path in JSON, when it does not follow from the name.
  ///   - isTransient: Whether the value lives in objects only and is never stored.
  ///   - isUnique: Whether a value may occur once only.
  ///   - minimum: Least value; for text, least length.
  ///   - maximum: Largest value; for text, largest length.
  ///   - pattern: Regular expression that a text has to match as a whole.
  ///   - isPreservedInHistory: Whether the history keeps the value of a deleted object.
  ///   - renamedFrom: Name in an earlier version of the model.
  ///   - userInfo: Annotations.
  public init(
    remoteKey: String? = nil, isTransient: Bool = false, isUnique: Bool = false,
    minimum: Value = .null, maximum: Value = .null, pattern: String? = nil,
    isPreservedInHistory: Bool = false, renamedFrom: String? = nil,
    userInfo: [String: String] = [:]
  ) {
    ordinal = WrapperConstruction.ordinal {
      .attribute(
        Wrapped.self, remoteKey: remoteKey, isTransient: isTransient, isUnique: isUnique,
        validation: ValidationRules(minimum: minimum, maximum: maximum, regularExpression: pattern),
        isPreservedInHistory: isPreservedInHistory, renamedFrom: renamedFrom, userInfo: userInfo)
    }
  }

  /// Declares an attribute with a default value; see the other initialiser for the parameters.
  public init(
    wrappedValue: @autoclosure () -> Wrapped, remoteKey: String? = nil, isTransient: Bool = false,
    isUnique: Bool = false, minimum: Value = .null, maximum: Value = .null,
    pattern: String? = nil, isPreservedInHistory: Bool = false, renamedFrom: String? = nil,
    userInfo: [String: String] = [:]
  ) {
    ordinal = WrapperConstruction.ordinal {
      .attribute(
        Wrapped.self, remoteKey: remoteKey, isTransient: isTransient, isUnique: isUnique,
        validation: ValidationRules(minimum: minimum, maximum: maximum, regularExpression: pattern),
        isPreservedInHistory: isPreservedInHistory, renamedFrom: renamedFrom, userInfo: userInfo,
        defaultValue: wrappedValue().storedValue)
    }
  }

  /// The declaration itself, which gives a key path its name: `\User.$age`.
  public var projectedValue: Attribute { self }

  @available(*, unavailable, message: "Attributes belong into classes that inherit ManagedObject.")
  public var wrappedValue: Wrapped {
    get { programmingError("An attribute needs a managed object.") }
    set { programmingError("An attribute needs a managed object.") }
  }

  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Wrapped>,
    storage storage: ReferenceWritableKeyPath<Object, Attribute>
  ) -> Wrapped {
    @inlinable get { object.attribute(at: object[keyPath: storage].ordinal, as: Wrapped.self) }
    @inlinable set {
      object.setAttribute(at: object[keyPath: storage].ordinal, newValue.storedValue)
    }
  }
}

@available(*, unavailable, message: "A declaration belongs to its object.")
extension Attribute: Sendable {}

extension WrapperDeclaration {
  /// The declaration of an attribute; its name is filled in later.
  static func attribute<Wrapped: ValueConvertible>(
    _ type: Wrapped.Type, isPrimaryKey: Bool = false, remoteKey: String? = nil,
    isTransient: Bool = false, isUnique: Bool = false,
    validation: ValidationRules = ValidationRules(), isPreservedInHistory: Bool = false,
    renamedFrom: String? = nil, userInfo: [String: String] = [:], defaultValue: Value = .null
  ) -> WrapperDeclaration {
    var userInfo = userInfo
    if isPrimaryKey { userInfo[ModelAnnotation.isPrimaryKey.currentKey] = "YES" }
    if let remoteKey { userInfo[ModelAnnotation.remoteKey.currentKey] = remoteKey }
    return WrapperDeclaration(
      content: .attribute(
        AttributeDescription(
          "", type.attributeType, isOptional: type.isOptionalValue, isTransient: isTransient,
          defaultValue: defaultValue, validation: validation,
          preservesValueInHistory: isPreservedInHistory, userInfo: userInfo,
          renamingIdentifier: renamedFrom)),
      isUnique: isUnique, type: DeclaredType(type, hasDefault: !defaultValue.isNull))
  }
}

extension ManagedObject {
  /// The value of a wrapped attribute.
  ///
  /// - Precondition: There is one of the type, or the type is optional.
  ///
  /// Inlined into the program, together with the accessors that call it: the key path and the
  /// conversion are specialised there, which halves the time of a read.
  @inlinable
  final func attribute<Wrapped: ValueConvertible>(
    at ordinal: UInt16, as type: Wrapped.Type
  ) -> Wrapped {
    let value = attributeValue(at: ordinal)
    guard let result = Wrapped.converted(from: value) else { return absent(ordinal, value, type) }
    return result
  }

  /// The value that a property reads when the stored one is none of its type.
  @usableFromInline
  final func absent<Wrapped: ValueConvertible>(
    _ ordinal: UInt16, _ value: Value, _ type: Wrapped.Type
  ) -> Wrapped {
    if let none = Wrapped.absentValue { return none }
    if value.isNull,
      let standIn = binding.defaults[binding.slots[Int(ordinal)]],
      let result = Wrapped.converted(from: standIn)
    {
      return result
    }
    if flags.contains(.gone), let zero = Wrapped.zero { return zero }
    missing(ordinal, value, "\(type)")
  }

  @usableFromInline
  final func attributeValue(at ordinal: UInt16) -> Value {
    let slot = home.slots[Int(ordinal)]
    let value = value(at: slot)
    noteRead(slot)
    return value
  }

  @usableFromInline
  final func setAttribute(at ordinal: UInt16, _ value: Value) {
    setAttribute(home.slots[Int(ordinal)], value)
  }

  /// Stops the program because a required property has no value of its type.
  final func missing(_ ordinal: UInt16, _ value: Value, _ type: String) -> Never {
    let slot = binding.slots[Int(ordinal)]
    let name = "\(entity.name).\(binding.shape.names[slot])"
    guard value.isNull else {
      programmingError(
        """
        \(name) of \(objectID) holds “\(value.excerpt)”, which is no value of type \(type). Declare it \
        as \(type)? to read nil instead, or set another value; stack.unreadableValues() finds all such \
        values, and storedValue(forKey:) reads them.
        """)
    }
    guard !flags.contains(.gone) else {
      programmingError(
        """
        \(name) cannot be read: \(objectID) was deleted, and \(type) has no value that means nothing. Check \
        isDeleted first, or give the property a default.
        """)
    }
    programmingError(
      """
      \(name) of \(objectID) is required but was never set. Set it first, give it a default, or \
      declare it as \(type)?; stack.unreadableValues() finds all objects without it.
      """)
  }
}
