public import SyncCore

/// The attribute by which a sync recognises an object.
///
/// ```swift
/// @PrimaryKey var id: Int64
/// @PrimaryKey(remoteKey: "uuid") var key: String?
/// ```
///
/// It is not the object's identity in the store, which is ``ManagedObject/objectID``. Everything
/// else is as for ``Attribute``.
@propertyWrapper
public struct PrimaryKey<Wrapped: ValueConvertible>: PropertyWrapper {
  @usableFromInline let ordinal: UInt16

  /// Declares the primary key.
  @inlinable
  public init() {
    if WrapperConstruction.isRecorded { PrimaryKey.declare() }
    ordinal = WrapperConstruction.nextOrdinal()
  }

  @usableFromInline
  static func declare() {
    WrapperConstruction.declare(.attribute(Wrapped.self, isPrimaryKey: true))
  }

  /// Declares the primary key.
  ///
  /// - Parameters:
  ///   - remoteKey: Key or dot path in JSON, when it does not follow from the name.
  ///   - isUnique: Whether the store refuses a second object of the same key.
  ///   - renamedFrom: Name in an earlier version of the model.
  ///   - userInfo: Annotations.
  public init(
    remoteKey: String? = nil, isUnique: Bool = false, renamedFrom: String? = nil,
    userInfo: [String: String] = [:]
  ) {
    ordinal = WrapperConstruction.ordinal {
      .attribute(
        Wrapped.self, isPrimaryKey: true, remoteKey: remoteKey, isUnique: isUnique,
        renamedFrom: renamedFrom, userInfo: userInfo)
    }
  }

  /// Declares the primary key with a default value.
  public init(
    wrappedValue: @autoclosure () -> Wrapped, remoteKey: String? = nil, isUnique: Bool = false,
    renamedFrom: String? = nil, userInfo: [String: String] = [:]
  ) {
    ordinal = WrapperConstruction.ordinal {
      .attribute(
        Wrapped.self, isPrimaryKey: true, remoteKey: remoteKey, isUnique: isUnique,
        renamedFrom: renamedFrom, userInfo: userInfo, defaultValue: wrappedValue().storedValue)
    }
  }

  /// The declaration itself, which gives a key path its name: `\User.$id`.
  public var projectedValue: PrimaryKey { self }

  @available(
    *, unavailable, message: "Primary keys belong into classes that inherit ManagedObject."
  )
  public var wrappedValue: Wrapped {
    get { programmingError("A primary key needs a managed object.") }
    set { programmingError("A primary key needs a managed object.") }
  }

  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Wrapped>,
    storage storage: ReferenceWritableKeyPath<Object, PrimaryKey>
  ) -> Wrapped {
    @inlinable get { object.attribute(at: object[keyPath: storage].ordinal, as: Wrapped.self) }
    @inlinable set {
      object.setAttribute(at: object[keyPath: storage].ordinal, newValue.storedValue)
    }
  }
}

@available(*, unavailable, message: "A declaration belongs to its object.")
extension PrimaryKey: Sendable {}
