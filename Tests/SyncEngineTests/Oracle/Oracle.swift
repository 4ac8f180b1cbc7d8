import SyncCore
import SyncEngine

/// What a sync is asked to do, in the oracle's terms.
struct OracleRequest {
  enum Scope {
    case entity
    case filter((OracleObject) -> Bool)
    case parent(OracleID, RelationshipDescription)
  }

  var entity: EntityDescription
  var items: [JSONValue]
  var operations: SyncOperations = .all
  var scope = Scope.entity

  /// How many items are worked off at a time. Which object an item is, is decided part by part, and last where a
  /// stored object may be its owner's still; everything else is as of the whole payload.
  var partItems: Int?

  /// Whether somebody else says when there are no more parts.
  var isSession = false
}

/// A reconcile over dictionaries, written from the behaviour specification and the decisions of the
/// architecture, with no thought for speed. What the engine does is measured against it.
struct Oracle {
  var graph: OracleGraph
  let stored: OracleGraph
  /// The objects without key, by the place they stand in.
  var keyless: [Place: OracleID] = [:]
  /// What was there before the part that is worked off.
  var before: OracleGraph
  let request: OracleRequest
  var roots: [OracleItem] = []
  var items: [OracleItem] = []
  var isComplete = true
  /// Items whose object may still be listed by the owner that it has.
  var postponed: [OracleItem] = []
  /// Whether more parts may come.
  var hasMore = false
  /// Whether everything has been seen.
  var isLast = false
  /// Items that no object could be made for, with those of their part.
  var refused: [(item: OracleItem, part: [OracleItem])] = []
  var claimed: Set<OracleID> = []
  var doomed: Set<OracleID> = []
  /// Who lists an object in a one-to-many of this payload: of each such relationship one owner at most.
  var listers: [Listing: OracleID] = [:]
  /// Whose children an earlier part named in lists of which the options let nothing be written.
  var keepers: [Listing: OracleID] = [:]
  /// The objects of the payload in the order in which they were decided.
  var decided: [OracleID] = []

  /// A to-one relationship of an object.
  struct Place: Hashable {
    let owner: OracleID
    let relationship: String
  }

  /// An object as a member of a relationship, whoever owns it there.
  struct Listing: Hashable {
    let object: OracleID
    let entity: Int
    let relationship: String

    init(_ object: OracleID, _ relationship: RelationshipDescription) {
      self.object = object
      entity = relationship.declaringIndex
      self.relationship = relationship.name
    }
  }

  /// New objects.
  var unseen: Set<OracleID> = []
  var statements: [Statement] = []
  /// Whether something would have to be made of an entity that is abstract.
  var isImpossible = false

  /// Without which an item does not wait until everything has been seen.
  static let operationsOfWaiting: SyncOperations = [
    .insert, .update, .insertRelationships, .updateRelationships,
  ]

  init(_ graph: OracleGraph, _ request: OracleRequest) {
    self.graph = graph
    stored = graph
    before = graph
    self.request = request
  }

  /// The graph after the sync.
  ///
  /// - Returns: Nil when the sync has to be refused.
  static func reconcile(_ graph: OracleGraph, _ request: OracleRequest) -> OracleGraph? {
    var oracle = Oracle(graph, request)
    oracle.run()
    return oracle.isImpossible ? nil : oracle.graph
  }

  mutating func run() {
    let size = max(request.partItems ?? request.items.count, 1)
    for start in stride(from: 0, to: request.items.count, by: size) {
      var part: [OracleItem] = []
      for json in request.items[start..<min(start + size, request.items.count)] {
        guard case .object(let object) = json else {
          isComplete = false
          continue
        }
        let item = OracleItem(object, request.entity, back: wayToParent)
        if item.key == nil { isComplete = false } else { part.append(item) }
      }
      roots += part
      items = part.flatMap(\.all)
      before = graph
      hasMore =
        request.partItems != nil
        && (request.isSession || part.count == size || start + size < request.items.count)
      match(part)
    }
    items = roots.flatMap(\.all)
    isLast = true
    let last = postponed
    postponed = []
    hasMore = false
    match(last)
    if isErrorDocument { isImpossible = true }
    matchRefused()
    for root in roots { apply(root) }
    if case .parent(let parent, let relationship) = request.scope {
      claimed.insert(parent)
      // The items are the parent's list.
      statements.append(
        Statement(
          owner: parent, relationship: relationship, members: roots.compactMap(\.object),
          deletes: true, isComplete: isComplete, option: .delete))
    }
    link()
    deleteAtTheTop()
    for id in doomed.sorted() where !claimed.contains(id) {
      graph.delete(id, protecting: claimed)
    }
  }
}
