public import SyncCore
public import SyncGraph

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
