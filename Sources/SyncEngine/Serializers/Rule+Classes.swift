public import SyncCore
public import SyncGraph

/// Rules for objects that the payload gives by their keys alone.
extension Rule {
  /// One object that is given by its key alone. Where no object has the key, one is made that has
  /// nothing else: a stub, which later items fill.
  public static func toOne<Object: ManagedObject>(
    _ path: JSONPath, creating type: Object.Type
  ) -> Rule {
    toOne(path, creating: type.entityName)
  }

  /// One object that is given by its key alone, as in ``toOne(_:creating:)``, of an entity that
  /// need not have a class.
  public static func toOne(_ path: JSONPath, creating entityName: String) -> Rule {
    toOne(path) { Stubs(entityName: entityName) }
  }

  /// Objects that are given by their keys alone. Stubs are made where no object has a key; former
  /// members that the list does not name are unlinked, not deleted.
  public static func toMany<Object: ManagedObject>(
    _ path: JSONPath, creating type: Object.Type
  ) -> Rule {
    toMany(path, creating: type.entityName)
  }

  /// Objects that are given by their keys alone, of an entity that need not have a class.
  public static func toMany(_ path: JSONPath, creating entityName: String) -> Rule {
    toMany(path) { Stubs(entityName: entityName) }
  }
}

extension Subentities: ExpressibleByDictionaryLiteral {
  /// Takes the class of each kind, which the key “type” names.
  public init(dictionaryLiteral kinds: (String, ManagedObject.Type)...) {
    self.init(Dictionary(kinds) { first, _ in first })
  }

  /// Takes the class of each kind.
  ///
  /// - Parameter path: Where the name of the kind stands in the item.
  public init(by path: JSONPath = "type", _ types: [String: ManagedObject.Type]) {
    self.init(by: path, entitiesNamed: types.mapValues(\.entityName))
  }
}
