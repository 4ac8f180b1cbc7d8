import SyncStack

/// The request of a sync, in the oracle's terms.
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

  /// How many items a part has; nil is all of them.
  var partItems: Int?

  /// Whether the parts are pages of a session.
  var isSession = false
}

/// A reconcile over dictionaries, written from the behaviour specification and the decisions of the
/// architecture, with no thought for speed. The engine is measured against it.
///
/// Parts are applied in order, each as if it were the payload: objects of an earlier one are stored
/// ones. At the end references are linked whose object has come, and objects that no part mentioned
/// are deleted.
struct Oracle {
  var graph: OracleGraph
  /// The graph before the payload, which decides on the scope.
  let stored: OracleGraph
  let request: OracleRequest

  // The statements of all parts.
  var roots: [OracleItem] = []
  var isComplete = true
  var mentioned: Set<OracleID> = []
  /// Members of one-to-many lists of nested objects.
  var listed: Set<Membership> = []
  /// Members that a list left out and no later one has.
  var leftOut: [Membership: OracleID] = [:]
  var waiting: [Waiting] = []
  /// Objects of a repeated key that are others than the first, because they have other owners; and
  /// those that have the same.
  var distinct: Set<OracleID> = []
  var surplus: Set<OracleID> = []
  /// Whether something would have to be made of an entity that is abstract.
  var isImpossible = false

  // The statements of the part that is worked off.
  var items: [OracleItem] = []
  var new: Set<OracleID> = []
  var before: OracleGraph
  var keyless: [Place: OracleID] = [:]
  var listers: [Membership: OracleID] = [:]
  var decided: [OracleID] = []
  var statements: [Statement] = []

  /// A to-one relationship of an object.
  struct Place: Hashable {
    let owner: OracleID
    let relationship: String
  }

  /// An object as a member of a one-to-many relationship, of any owner.
  struct Membership: Hashable {
    let object: OracleID
    let entity: Int
    let relationship: String

    init(_ object: OracleID, _ relationship: RelationshipDescription) {
      self.object = object
      entity = relationship.declaringIndex
      self.relationship = relationship.name
    }
  }

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

  var hasParts: Bool {
    guard let size = request.partItems else { return false }
    return request.isSession || request.items.count >= size
  }

  mutating func run() {
    let size = max(request.partItems ?? request.items.count, 1)
    for start in stride(from: 0, to: max(request.items.count, 1), by: size) {
      run(Array(request.items[start..<min(start + size, request.items.count)]))
    }
    if isErrorDocument { isImpossible = true }
    linkWaiting()
    releaseChildren()
    let doomed = notMentioned() + left()
    for id in doomed { graph.delete(id, protecting: mentioned) }
  }

  /// Works off a part.
  private mutating func run(_ part: [JSONValue]) {
    var tops: [OracleItem] = []
    for json in part {
      guard case .object(let object) = json else {
        isComplete = false
        continue
      }
      let item = OracleItem(object, request.entity, back: wayToParent)
      if item.key == nil { isComplete = false } else { tops.append(item) }
    }
    roots += tops
    items = tops.flatMap(\.all)
    (new, before, keyless, listers, decided, statements) = ([], graph, [:], [:], [], [])
    if case .parent(let parent, _) = request.scope { mentioned.insert(parent) }
    joinSubentities()
    match(tops)
    fold()
    for item in tops { apply(item) }
    listChildren(tops)
    link()
  }
}
