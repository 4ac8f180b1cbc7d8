import SyncStack
import TestSupport

/// A payload, and the call by which it comes.
struct OraclePayload: CustomStringConvertible {
  /// The stored objects that take part.
  enum Scope {
    case entity
    /// Those whose `name` it is.
    case named(String)
    /// Those in the list of the first object that has this one.
    case list(RelationshipDescription)

    var isList: Bool { if case .list = self { true } else { false } }
  }

  let entity: EntityDescription
  var items: [JSONValue] = []
  var operations = SyncOperations.all
  var scope = Scope.entity
  /// Whether no table is scanned for keys, as if all of them were large.
  var looksKeysUp = false

  var description: String {
    let scope =
      switch scope {
      case .entity: ""
      case .named(let name): " named \(name)"
      case .list(let list): " in \(entity.model.entities[list.declaringIndex].name).\(list.name)"
      }
    return "\(entity.name) [\(operations)]\(looksKeysUp ? " keys looked up" : "")\(scope) "
      + "\(JSONValue.array(items))"
  }

  /// The list of the given parent, if the scope is one.
  func parentPlace(in graph: OracleGraph) -> OraclePlace? {
    guard case .list(let list) = scope else { return nil }
    let parent = graph.all(entity.model.entities[list.declaringIndex]).first
    return parent.map { OraclePlace($0, list) }
  }

  /// The items in pieces of a size, nil being as a whole; at least one piece.
  func pieces(of size: Int?) -> [[JSONValue]] {
    let size = max(size ?? items.count, 1)
    return stride(from: 0, to: max(items.count, 1), by: size).map {
      Array(items[$0..<min($0 + size, items.count)])
    }
  }

  /// The same for the engine; nil when the parent is not there.
  func request(in store: Store) throws -> SyncRequest? {
    var request = try SyncBench(store: store).request(entity.name, .json(.array(items)))
    request.settings.operations = operations
    if looksKeysUp { request.tuning.scannedRowsPerKey = 0 }
    switch scope {
    case .entity: break
    case .named(let name): request.settings.filter = Filter("name == %@", name)
    case .list(let list):
      let graph = try OracleGraph(store)
      guard let parent = parentPlace(in: graph)?.object else { return nil }
      request.setup.parent = ManagedObjectID(entity: graph[parent].entity, row: parent.row)
      request.setup.parentRelationship = list.name
    }
    return request
  }
}
