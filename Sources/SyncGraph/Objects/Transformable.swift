import SyncCore

/// An attribute of a managed object class whose values a registered transformer stores.
///
/// ```swift
/// stack.transformers.register(Colour.self, named: "Colour") { … } load: { … }
///
/// @Transformable("Colour") var colour: Colour?
/// ```
///
/// The type may be any that the transformer makes. A type that knows its own stored form (an enum,
/// a ``CodableValue``) needs no transformer: use ``Attribute``. Reading or setting the property
/// without the transformer stops the program with a message;
/// ``ManagedObject/transformedValue(forKey:)`` throws instead. A value that the transformer cannot
/// read is as for ``Attribute``: it does not get in, and where it is in the file an optional
/// property is nil. When the class stands for an entity of a model document, the document names the
/// transformer.
@propertyWrapper
public struct Transformable<Wrapped>: PropertyWrapper {
  let ordinal: UInt16

  /// Declares a transformable attribute.
  ///
  /// - Parameters:
  ///   - transformerName: Name under which the transformer is registered.
  ///   - remoteKey: Key or dot path in JSON, when it does not follow from the name.
  ///   - isTransient: Whether the value lives in objects only and is never stored.
  ///   - renamedFrom: Name in an earlier version of the model.
  ///   - userInfo: Annotations.
  public init(
    _ transformerName: String, remoteKey: String? = nil, isTransient: Bool = false,
    renamedFrom: String? = nil, userInfo: [String: String] = [:]
  ) {
    ordinal = WrapperConstruction.ordinal {
      .transformable(
        Wrapped.self, transformerName,
        remoteKey: remoteKey, isTransient: isTransient, renamedFrom: renamedFrom, userInfo: userInfo
      )
    }
  }

  /// Declares a transformable attribute with a default value; see the other initialiser for the
  /// parameters.
  ///
  /// - Precondition: The transformer is registered with ``TransformerRegistry/shared`` and takes
  ///   the default, when the class is first used.
  public init(
    wrappedValue: @autoclosure () -> Wrapped, _ transformerName: String, remoteKey: String? = nil,
    isTransient: Bool = false, renamedFrom: String? = nil, userInfo: [String: String] = [:]
  ) {
    ordinal = WrapperConstruction.ordinal {
      .transformable(
        Wrapped.self, transformerName,
        remoteKey: remoteKey, isTransient: isTransient, renamedFrom: renamedFrom,
        userInfo: userInfo,
        defaultValue: wrappedValue())
    }
  }

  /// The declaration itself, which gives a key path its name: `\Note.$colour`.
  public var projectedValue: Transformable { self }

  @available(*, unavailable, message: "Attributes belong into classes that inherit ManagedObject.")
  public var wrappedValue: Wrapped {
    get { programmingError("An attribute needs a managed object.") }
    set { programmingError("An attribute needs a managed object.") }
  }

  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Wrapped>,
    storage storage: ReferenceWritableKeyPath<Object, Transformable>
  ) -> Wrapped {
    get {
      object.transformed(at: object[keyPath: storage].ordinal, as: Wrapped.self)
    }
    set {
      let slot = object.binding.slots[Int(object[keyPath: storage].ordinal)]
      object.setShownValue(newValue, at: slot)
    }
  }
}

@available(*, unavailable, message: "A declaration belongs to its object.")
extension Transformable: Sendable {}

extension WrapperDeclaration {
  /// The declaration of a transformable attribute; its name is filled in later.
  static func transformable<Wrapped>(
    _ type: Wrapped.Type, _ transformerName: String, remoteKey: String?, isTransient: Bool,
    renamedFrom: String?, userInfo: [String: String], defaultValue: Wrapped? = nil
  ) -> WrapperDeclaration {
    var userInfo = userInfo
    if let remoteKey { userInfo[ModelAnnotation.remoteKey.currentKey] = remoteKey }
    return WrapperDeclaration(
      content: .attribute(
        AttributeDescription(
          "", .transformable, isOptional: type is any OptionalType.Type,
          isTransient: isTransient, defaultValue: stored(defaultValue, transformerName),
          valueTransformerName: transformerName, userInfo: userInfo,
          renamingIdentifier: renamedFrom)),
      type: DeclaredType(transformed: type, hasDefault: defaultValue != nil))
  }

  private static func stored(_ defaultValue: Any?, _ transformerName: String) -> Value {
    guard let defaultValue = Value.unwrapped(defaultValue) else { return .null }
    guard let transformer = TransformerRegistry.shared.transformer(named: transformerName) else {
      programmingError(
        """
        A default value needs the transformer “\(transformerName)”. Register it with \
        TransformerRegistry.shared before the class is used, or set the value in awakeFromInsert().
        """)
    }
    do {
      return try transformer.value(ofObject: defaultValue)
    } catch {
      programmingError(
        "The transformer “\(transformerName)” refused the default “\(defaultValue)”: \(error)")
    }
  }
}
