public import SyncCore

/// Which subentity each item is, as a key of it says: for lists of several kinds.
///
/// ```swift
/// var subentities: Subentities? { ["image": Image.self, "text": Text.self] }               // by the key “type”
/// var subentities: Subentities? { Subentities(by: "kind", ["t3": LinkSerializer()]) }
/// ```
///
/// A class is read by the rules of the serializer that names it, as far as they are about
/// properties of its own; a serializer or ``Conventional`` mapping by its own. `"*"` stands for all
/// kinds that have no name here. An item of a kind that nobody reads is left out and reported.
public struct Subentities: Sendable {
  enum Kind: Sendable {
    case entity(String)
    case source(any PlanSource)

    var entityName: String {
      switch self {
      case .entity(let name): name
      case .source(let source): source.mappingSource.entityName
      }
    }
  }

  /// Where the name of the kind stands in the item.
  package var path: JSONPath
  let kinds: [(type: String, kind: Kind)]

  /// Takes who reads each kind.
  ///
  /// - Parameter path: Where the name of the kind stands in the item.
  public init(by path: JSONPath = "type", _ sources: [String: any PlanSource]) {
    self.path = path
    kinds = sources.inKeyOrder.map { ($0.key, .source($0.value)) }
  }

  /// Takes the subentity of each kind, read by the rules of the serializer.
  public init(by path: JSONPath = "type", entitiesNamed names: [String: String]) {
    self.path = path
    kinds = names.inKeyOrder.map { ($0.key, .entity($0.value)) }
  }
}
