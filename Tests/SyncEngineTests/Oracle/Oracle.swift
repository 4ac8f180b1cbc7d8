import SyncStack

/// A reconcile over dictionaries, written from the behaviour specification and the decisions of the
/// architecture, with no thought for speed. The engine is measured against it.
///
/// The payload is applied in parts, one after the other, each as if it were the payload: objects of
/// an earlier part are stored ones. At the end references are linked whose object has come, and
/// objects that no part mentioned are deleted.
struct Oracle {
  let payload: OraclePayload
  /// The objects before the payload, before the current part, and now.
  let stored: OracleGraph
  var before: OracleGraph
  var graph: OracleGraph
  /// The given parent as the item that nests the payload, and the place of its list.
  let parent: OracleItem?
  let parentPlace: OraclePlace?
  /// The items of each part, and whether there may be more than one.
  let parts: [[JSONValue]]
  let isInParts: Bool

  // All parts.

  /// The items at the top.
  var tops: [OracleItem] = []
  /// Whether every item at the top could be read.
  var isComplete = true
  /// Objects that the payload is about or refers to: they are not deleted.
  var mentioned: Set<OracleID> = []
  /// Objects that have the key of an item without being its object, and that stay.
  var namesakes: Set<OracleID> = []
  /// Members of one-to-many lists of nested objects.
  var listed: Set<OraclePlace> = []
  /// Members that the list of their owner left out, and no later list has; with that owner.
  var leftOut: [OraclePlace: OracleID] = [:]
  /// References whose object was not there.
  var waiting: [Reference] = []
  /// Whether the sync has to be refused.
  var isImpossible = false

  // The current part.

  /// The items, each before those that are nested in it.
  var items: [OracleItem] = []
  /// The owners in whose lists of nested objects the members stand.
  var listers: [OraclePlace: OracleID] = [:]
  var statements: [Statement] = []

  init(_ graph: OracleGraph, _ payload: OraclePayload, _ form: SyncForm) {
    self.payload = payload
    (stored, before, self.graph) = (graph, graph, graph)
    parentPlace = payload.parentPlace(in: graph)
    parent = parentPlace.map { OracleItem(parent: $0.object, graph[$0.object].entity) }
    parts = payload.pieces(of: form.size)
    isInParts = form.size.map { form.isSession || payload.items.count >= $0 } ?? false
    if let parentPlace { mentioned.insert(parentPlace.object) }
  }

  /// The graph after the sync; nil when it has to be refused.
  mutating func reconcile() -> OracleGraph? {
    for part in parts { apply(part) }
    // An error document: items of which none can be used.
    if isImpossible || !payload.items.isEmpty && tops.isEmpty { return nil }
    linkWaiting()
    releaseChildren()
    for id in unmentioned() + leftMembers() { graph.delete(id, protecting: mentioned) }
    return graph
  }

  private mutating func apply(_ part: [JSONValue]) {
    let items = part.compactMap(\.objectValue).map {
      OracleItem($0, payload.entity, in: parent, parentPlace?.relationship)
    }
    let tops = items.filter { $0.key != nil }
    self.tops += tops
    if tops.count < part.count { isComplete = false }
    (self.items, before, listers, statements) = (tops.flatMap(\.all), graph, [:], [])
    joinSubentities()
    findObjects(tops)
    keepNamesakes()
    for item in tops { write(item) }
    listChildren(tops)
    link()
  }

  /// Whether a sync may do something to an object of an item: to nested ones by the options for
  /// relationships.
  func allows(_ option: SyncOperations, for item: OracleItem) -> Bool {
    let isNested = item.owner != nil && item.owner !== parent
    return payload.operations.contains(
      !isNested ? option : option == .insert ? .insertRelationships : .updateRelationships)
  }
}

extension RelationshipDescription {
  /// Whether two owners may each have a member of one key, which never moves between them.
  var keysAreOwners: Bool { kind == .oneToMany && userInfo["sync.keyScope"] == "owner" }
}

extension Array where Element: Equatable {
  /// Each element once, where it comes first.
  var unique: [Element] {
    reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
