public import SyncCore
public import SyncGraph

/// Stores one object whose JSON has names of properties as keys. Values are taken as the types of
/// the attributes take them, without conversions; values below a relationship are read by
/// convention. Nothing is deleted.
///
/// Runs now, on the calling thread, which has to be the context's queue, in a transaction of its
/// own: unsaved edits of the context stay as they are.
extension ManagedObjectContext {
  /// Stores the JSON as a new object.
  ///
  /// - Returns: The identifier of the object.
  /// - Throws: ``MappingError`` with ``MappingError/Code/unknownProperty`` for a key that is no
  ///   property; ``SyncError`` with ``SyncError/Code/invalidItem`` when the JSON is no object, and
  ///   ``SyncError/Code/typeMismatch`` for values that do not fit, and where a relationship has
  ///   neither objects nor keys. Values of nested objects that do not fit are left out, as
  ///   conventions do.
  @discardableResult
  public func insert<Object: ManagedObject>(
    _ type: Object.Type, json: JSONValue
  ) throws -> ManagedObjectID {
    try insert(entityNamed: type.entityName, json: json)
  }

  /// Stores the JSON as a new object of an entity. See `insert(_:json:)`.
  @discardableResult
  public func insert(entityNamed name: String, json: JSONValue) throws -> ManagedObjectID {
    try store(json, name) { $0.forceInsert = true }
  }

  /// Gives the values of the JSON to the stored object that has the same identifiers, or stores a
  /// new one.
  ///
  /// - Parameter identifiers: Names of the attributes that together identify an object, each a key
  ///   of the JSON.
  /// - Returns: The identifier of the object.
  /// - Throws: ``MappingError`` with ``MappingError/Code/identifiersRequired`` when there are no
  ///   identifiers, ``MappingError/Code/identifierNotMapped`` when the JSON has not the key of one;
  ///   otherwise as `insert(_:json:)`.
  @discardableResult
  public func insertOrUpdate<Object: ManagedObject>(
    _ type: Object.Type, json: JSONValue, identifiers: [String]
  ) throws -> ManagedObjectID {
    try insertOrUpdate(entityNamed: type.entityName, json: json, identifiers: identifiers)
  }

  /// Gives the values of the JSON to the stored object of an entity that has the same identifiers,
  /// or stores a new one. See `insertOrUpdate(_:json:identifiers:)`.
  @discardableResult
  public func insertOrUpdate(
    entityNamed name: String, json: JSONValue, identifiers: [String]
  ) throws -> ManagedObjectID {
    try store(json, name) { $0.identifiers = identifiers }
  }

  private func store(
    _ json: JSONValue, _ name: String,
    _ change: (inout EntitySerializer<ManagedObject>) -> Void
  ) throws -> ManagedObjectID {
    let entity = try model.requireEntity(named: name)
    guard let item = json.objectValue else {
      throw SyncError(
        .invalidItem, entity: name, path: "$",
        message: """
          One JSON object is expected, found \(json.kindText). Use sync(_:with:) for lists of objects.
          """)
    }
    var serializer = EntitySerializer(entityNamed: name)
    serializer.deleteMissing = false
    for member in item {
      try entity.checkNested(member.value, forKey: member.key)
      serializer.mapping[member.key] = entity.plainRule(forKey: member.key)
    }
    change(&serializer)
    var setup = SyncSetup()
    setup.settings.onItemError = .fail
    setup.settings.operations.subtract([.delete, .deleteRelationships])
    let report = try syncNow(json.syncPayload, serializer, setup)
    guard let object = report.objects.first else {
      throw SyncError(
        .objectNotFound, entity: name,
        message: "The object of “\(name)” was deleted as soon as it had been stored.")
    }
    return object
  }
}

extension EntityDescription {
  /// Checks that conventions can read the value below a relationship: the report of one object is
  /// easily overlooked.
  ///
  /// - Throws: ``SyncError`` with ``SyncError/Code/typeMismatch``.
  fileprivate func checkNested(_ value: JSONValue, forKey key: String) throws {
    guard let relationship = property(named: key)?.relationship else { return }
    let destination = destination(of: relationship)
    let hasKey = destination.primaryKey != nil
    let isReadable =
      switch value {
      case .null: true
      case .array(let elements):
        relationship.isToMany
          && (hasKey || elements.isEmpty || relationship.deleteRule == .cascade)
      case .object: !relationship.isToMany
      default: !relationship.isToMany && hasKey
      }
    guard !isReadable else { return }
    let expected = relationship.isToMany ? "a list of objects or keys" : "an object or its key"
    let cure =
      hasKey
      ? ""
      : """
       Objects of “\(destination.name)” have no primary key to tell them apart: name an attribute “id”, give one the \
      user info sync.isPrimaryKey = YES, or use a serializer.
      """
    throw SyncError(
      .typeMismatch, entity: name, property: key, path: "$[0].\(key)",
      message: "“\(key)” of “\(name)”: expected \(expected), found \(value.kindText).\(cure)")
  }

  /// The rule that fills the property of a name from the key of that name.
  fileprivate func plainRule(forKey key: String) -> Rule {
    guard let relationship = property(named: key)?.relationship else { return .raw([.key(key)]) }
    let nested = Conventional(destination(of: relationship).name)
    return relationship.isToMany ? .toMany([.key(key)]) { nested } : .toOne([.key(key)]) { nested }
  }
}
