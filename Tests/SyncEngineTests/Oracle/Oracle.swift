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

  /// How many items are worked off at a time. Which object an item is, is decided part by part, with what
  /// the parts before have made of the graph; everything else is as of the whole payload.
  var partItems: Int?

  /// Whether others see what a part has made before the next one is read.
  var commitsParts = false
}

/// A reconcile over dictionaries, written from the behaviour specification and the decisions of the
/// architecture, with no thought for speed. What the engine does is measured against it.
struct Oracle {
  private(set) var graph: OracleGraph
  private let stored: OracleGraph
  /// What is linked while objects are matched: what is stored, and what earlier parts linked.
  private var view: OracleGraph
  /// What was there before the part that is worked off.
  private var before: OracleGraph
  private let request: OracleRequest
  private var roots: [OracleItem] = []
  private var items: [OracleItem] = []
  private var isComplete = true
  /// Items that no object could be made for.
  private var refused: [OracleItem] = []
  private var claimed: Set<OracleID> = []
  private var doomed: Set<OracleID> = []
  /// Who lists an object in a one-to-many of this payload: of each such relationship one owner at most.
  private var listers: [Listing: OracleID] = [:]
  /// The objects of the payload in the order in which they were decided.
  private var decided: [OracleID] = []

  /// An object as a member of a relationship, whoever owns it there.
  private struct Listing: Hashable {
    let object: OracleID
    let entity: Int
    let relationship: String

    init(_ object: OracleID, _ relationship: RelationshipDescription) {
      self.object = object
      entity = relationship.declaringIndex
      self.relationship = relationship.name
    }
  }

  /// New objects that nobody else has seen.
  private var unseen: Set<OracleID> = []
  private var statements: [Statement] = []
  /// The objects of a part, while it is linked alone: who it does not list and does not mention stays, since
  /// what goes is decided last.
  private var present: Set<OracleID>?
  /// Whether something would have to be made of an entity that is abstract.
  private var isImpossible = false

  private init(_ graph: OracleGraph, _ request: OracleRequest) {
    self.graph = graph
    stored = graph
    view = graph
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

  private mutating func run() {
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
      if request.commitsParts { unseen = [] }
      items = part.flatMap(\.all)
      before = graph
      match(part)
      if request.partItems == nil { matchRefused() } else { view = linked(part) }
    }
    items = roots.flatMap(\.all)
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

  /// What is linked when a part was worked off as if there were no others.
  private func linked(_ part: [OracleItem]) -> OracleGraph {
    var copy = self
    copy.graph = view
    copy.statements = []
    copy.present = Set(part.flatMap(\.all).compactMap(\.object))
    for root in part { copy.apply(root) }
    copy.link()
    return copy.graph
  }

  // MARK: - Matching

  /// From the top of the payload down, level by level. On each level first everything that is certain;
  /// then, in payload order, what has to be found elsewhere or made.
  private mutating func match(_ roots: [OracleItem]) {
    var refused: [OracleItem] = []
    var unreached: [OracleItem] = []
    var level = roots
    while !level.isEmpty {
      unreached += level.filter { !isReachable($0) }.flatMap(\.all)
      let reached = level.filter(isReachable)
      // An object of a subentity is one of its superentity too: whoever means it there comes later.
      let waiting = reached.filter { !certain($0) }.enumerated().sorted {
        ($1.element.depth, $0.offset) < ($0.element.depth, $1.offset)
      }.map(\.element)
      for item in waiting where !certain(item) && !findOrMake(item) { refused.append(item) }
      level = reached.flatMap(\.children)
    }
    // What stands below an object that may not be written is left alone, so it is not deleted.
    for item in unreached {
      if let id = candidates(item).filter({ !$0.isNew }).min() { claimed.insert(id) }
    }
    for (entity, key) in items.flatMap(\.references) {
      if let id = stored.all(entity).first(where: { stored[$0].key == key }) { claimed.insert(id) }
    }
    self.refused += refused
  }

  /// What may not be made may still have been made by another mention.
  private mutating func matchRefused() {
    for item in refused {
      if let id = candidates(item).first(where: { isFree($0, for: item, isLate: true) }) {
        take(id, item)
      }
    }
  }

  private func isReachable(_ item: OracleItem) -> Bool {
    guard let owner = item.owner else { return true }
    return owner.object != nil && owner.isActive
  }

  private func isNested(_ item: OracleItem) -> Bool { item.owner != nil }

  /// The owner and relationship in whose one-to-many list the item stands.
  private func list(_ item: OracleItem) -> (OracleID, RelationshipDescription)? {
    if let owner = item.owner?.object, let relationship = item.relationship {
      return relationship.kind == .oneToMany ? (owner, relationship) : nil
    }
    if item.owner == nil, case .parent(let parent, let relationship) = request.scope,
      relationship.kind == .oneToMany
    {
      return (parent, relationship)
    }
    return nil
  }

  private mutating func certain(_ item: OracleItem) -> Bool {
    guard isReachable(item) else { return false }
    if let (owner, relationship) = list(item) {
      guard let key = item.key,
        let id = view.members(relationship, of: owner).sorted().first(where: {
          graph[$0].key == key && listers[Listing($0, relationship), default: owner] == owner
        })
          ?? decided.first(where: {
            listers[Listing($0, relationship)] == owner && graph[$0].key == key
              && graph[$0].entity.isKind(of: item.entity)
          })
      else { return false }
      take(id, item)
      return true
    }
    if item.key == nil {
      // An object without key is the one that is linked.
      guard let owner = item.owner?.object, let relationship = item.relationship,
        let id = view.members(relationship, of: owner).first
      else { return false }
      take(id, item)
      return true
    }
    guard let id = candidates(item).first(where: { !$0.isNew }) else { return false }
    take(id, item)
    return true
  }

  /// Objects with the item's key: current members first, those in the scope, then by row.
  private func candidates(_ item: OracleItem) -> [OracleID] {
    guard let key = item.key else { return [] }
    let all = graph.all(item.entity).filter { graph[$0].key == key }
    var preferred: [OracleID] = []
    if let owner = item.owner?.object, let relationship = item.relationship {
      preferred = view.members(relationship, of: owner)
    } else if item.owner == nil {
      preferred = scope()
    }
    // Keys are unique per concrete entity: an object of a subentity comes last.
    let order =
      all.filter { graph[$0].entity == item.entity }
      + all.filter { graph[$0].entity != item.entity }
    return order.filter { preferred.contains($0) } + order.filter { !preferred.contains($0) }
  }

  /// - Parameter isLate: Whether everything else is decided, so that a new object is whose list it stands in.
  private func isFree(_ id: OracleID, for item: OracleItem, isLate: Bool = false) -> Bool {
    guard let (owner, relationship) = list(item) else { return true }
    // What is another owner's is another object, and what is nobody's too.
    if relationship.userInfo["sync.keyScope"] == "owner" { return false }
    let lister = listers[Listing(id, relationship)]
    guard lister == nil || lister == owner else { return false }
    if isLate, id.isNew { return true }
    // Its present owner comes first, if it lists the object too.
    guard let inverse = graph[owner].entity.inverse(of: relationship),
      let present = view.objects[id]?.toOne[inverse.name], present != owner
    else { return true }
    return !items.contains {
      $0.relationship?.name == relationship.name && $0.key == item.key
        && $0.owner.map(certainObject) == present
    }
  }

  /// The object of an item, if that is known before everything above it is: the same place names it already, or one
  /// object of its key was there before, and the part mentions the key in one place.
  private func certainObject(_ item: OracleItem) -> OracleID? {
    if let object = item.object { return object }
    let same = items.filter { $0.entity == item.entity && $0.key == item.key }
    if let twin = same.first(where: { $0.object != nil && place($0) == place(item) }) {
      return twin.object
    }
    let found = before.all(item.entity).filter { before[$0].key == item.key }
    return Set(same.map(place)).count == 1 && found.count == 1 ? found[0] : nil
  }

  /// The list that only one owner has, with that owner's place; the key alone for an item in no such list.
  private func place(_ item: OracleItem) -> String {
    guard let key = item.key else { return "\(ObjectIdentifier(item))" }
    guard let relationship = item.relationship, relationship.kind == .oneToMany,
      let owner = item.owner
    else { return "\(item.entity.name) \(key)" }
    return "\(item.entity.name) \(key) \(relationship.name) \(place(owner))"
  }

  private mutating func findOrMake(_ item: OracleItem) -> Bool {
    let free = candidates(item).filter { isFree($0, for: item) }
    // Keys are unique per concrete entity: an object of a subentity comes last.
    for group in [
      free.filter { graph[$0].entity == item.entity },
      free.filter { graph[$0].entity != item.entity },
    ] {
      // What the payload mentions elsewhere comes before what is only stored.
      let known = list(item) == nil ? nil : group.first { decided.contains($0) }
      if let id = known ?? group.first {
        take(id, item)
        return true
      }
    }
    let option: SyncOperations = isNested(item) ? .insertRelationships : .insert
    guard request.operations.contains(option) else { return false }
    // One key under an entity and a subentity of it is one object, of the subentity.
    if let key = item.key,
      let id = unseen.filter({
        graph[$0].key == key && graph[$0].entity != item.entity
          && item.entity.isKind(of: graph[$0].entity)
      }).min()
    {
      graph.specialise(id, to: item.entity)
      view.specialise(id, to: item.entity)
      take(id, item)
      return true
    }
    if item.entity.isAbstract { isImpossible = true }
    let id = graph.make(item.entity)
    unseen.insert(id)
    defer { if view.objects[id] == nil { view.objects[id] = graph[id] } }
    if let key = item.key, let attribute = item.entity.primaryKey {
      graph[id].attributes[attribute.name] = key
    }
    if item.key == nil, let owner = item.owner?.object, let relationship = item.relationship {
      // What is linked in the end depends on the last word.
      view.objects[id] = graph[id]
      view.link(relationship, of: owner, to: id)
    }
    take(id, item)
    return true
  }

  private mutating func take(_ id: OracleID, _ item: OracleItem) {
    item.object = id
    let option: SyncOperations =
      switch (isNested(item), id.isNew) {
      case (false, true): .insert
      case (false, false): .update
      case (true, true): .insertRelationships
      case (true, false): .updateRelationships
      }
    item.isActive = request.operations.contains(option)
    claimed.insert(id)
    if !decided.contains(id) { decided.append(id) }
    if let (owner, relationship) = list(item) { listers[Listing(id, relationship)] = owner }
  }

  // MARK: - Filling

  /// One thing that the payload says of a relationship.
  private struct Statement {
    let owner: OracleID
    let relationship: RelationshipDescription
    /// Nil when a key means nobody.
    var members: [OracleID]
    var deletes = false
    var isComplete = true
    var isKnown = true
    /// What has to be allowed so that members who are not listed are deleted.
    var option = SyncOperations.deleteRelationships
  }

  private mutating func apply(_ item: OracleItem) {
    guard let id = item.object, item.isActive else { return }
    // A key that is null says nothing about the key of the object that is linked.
    for (name, value) in item.attributes
    where item.key != nil || name != item.entity.primaryKey?.name {
      graph[id].attributes[name] = value.isNull ? Value?.none : value
    }
    let back =
      item.relationship.flatMap { item.owner?.entity.inverse(of: $0) }
      ?? (item.owner == nil ? wayToParent : nil)
    for (relationship, value) in item.toOnes where relationship.name != back?.name {
      var statement = Statement(owner: id, relationship: relationship, members: [])
      switch value {
      case .clear: break
      case .reference(let key):
        statement.members = find(key, relationship, id).map { [$0] } ?? []
        statement.isKnown = !statement.members.isEmpty
      case .object(let child):
        apply(child)
        statement.members = child.object.map { [$0] } ?? []
        statement.isKnown = child.object != nil
      }
      statements.append(statement)
    }
    for (relationship, value) in item.toManys {
      var statement = Statement(owner: id, relationship: relationship, members: [])
      statement.deletes = value.deletes
      statement.isComplete = value.isComplete
      for member in value.members {
        switch member {
        case .key(let key):
          if let id = find(key, relationship, id) { statement.members.append(id) }
        case .object(let child):
          apply(child)
          if let id = child.object { statement.members.append(id) }
        }
      }
      statements.append(statement)
    }
  }

  private var wayToParent: RelationshipDescription? {
    guard case .parent(let parent, let relationship) = request.scope else { return nil }
    return stored[parent].entity.inverse(of: relationship)
  }

  /// The object that an identifier means: of several the one that the owner is linked to, else the oldest.
  private mutating func find(
    _ key: Value, _ relationship: RelationshipDescription, _ owner: OracleID
  ) -> OracleID? {
    let destination = graph[owner].entity.destination(of: relationship)
    let all = graph.all(destination).filter { graph[$0].key == key }
    let members = owner.isNew ? [] : stored.members(relationship, of: owner)
    let meant = all.first { members.contains($0) } ?? all.first
    claimed.formUnion([all.first, meant].compactMap(\.self))
    return meant
  }

  /// Carries out what was said: of each owner and relationship the last word counts. Objects' own
  /// to-one relationships first, then the lists, which are stronger.
  private mutating func link() {
    var last: [Statement] = []
    for statement in statements.reversed() {
      if let position = last.firstIndex(where: {
        $0.owner == statement.owner && $0.relationship.name == statement.relationship.name
      }) {
        // A list with a key that cannot be read takes nothing away, whatever another one says.
        if !statement.isComplete { last[position].isComplete = false }
      } else {
        last.append(statement)
      }
    }
    last.reverse()
    for statement in last where !statement.relationship.isToMany && statement.isKnown {
      if let member = statement.members.first {
        graph.link(statement.relationship, of: statement.owner, to: member)
      } else if let old = graph[statement.owner].toOne[statement.relationship.name] {
        graph.unlink(statement.relationship, of: statement.owner, from: old)
      }
    }
    let own = last.filter { !$0.relationship.isToMany && $0.isKnown }
    for statement in last where statement.relationship.kind == .oneToMany {
      // An object that speaks for itself is not taken out of a list that does not mention it.
      let inverse = graph[statement.owner].entity.inverse(of: statement.relationship)
      setMembers(
        statement, keeping: own.filter { $0.relationship.name == inverse?.name }.map(\.owner))
    }
    shareMembers(last.filter { $0.relationship.kind == .manyToMany })
  }

  private func wanted(_ statement: Statement) -> [OracleID] {
    statement.members.reduce(into: [OracleID]()) { if !$0.contains($1) { $0.append($1) } }
  }

  private mutating func setMembers(_ statement: Statement, keeping own: [OracleID]) {
    let (owner, relationship) = (statement.owner, statement.relationship)
    var wanted = wanted(statement)
    for member in graph.members(relationship, of: owner) where !wanted.contains(member) {
      if !statement.isComplete || own.contains(member)
        || (statement.deletes && !request.operations.contains(statement.option))
        || (statement.deletes && graph[member].key.isNull)
        || (statement.deletes && present?.contains(member) == false)
      {
        wanted.append(member)
      } else {
        graph.unlink(relationship, of: owner, from: member)
        if statement.deletes { doomed.insert(member) }
      }
    }
    for member in wanted { graph.link(relationship, of: owner, to: member) }
    if relationship.isOrdered { graph[owner].toMany[relationship.name] = wanted }
  }

  /// Many-to-many: what any list of the payload names is linked, whichever side it stands on.
  private mutating func shareMembers(_ statements: [Statement]) {
    func names(_ owner: OracleID, _ name: String?, _ member: OracleID) -> Bool {
      statements.contains {
        $0.owner == owner && $0.relationship.name == name && wanted($0).contains(member)
      }
    }
    for statement in statements
    where statement.isComplete
      && (statement.option != .delete || request.operations.contains(.delete))
    {
      let (owner, relationship) = (statement.owner, statement.relationship)
      let inverse = graph[owner].entity.inverse(of: relationship)
      for member in graph.members(relationship, of: owner)
      where !wanted(statement).contains(member) && !names(member, inverse?.name, owner) {
        graph.unlink(relationship, of: owner, from: member)
      }
    }
    // Who joins a list from the other side comes to its end, in the order of the rows.
    for statement in statements.sorted(by: { $0.owner < $1.owner }) {
      for member in wanted(statement) {
        graph.link(statement.relationship, of: statement.owner, to: member)
      }
    }
    for statement in statements where statement.relationship.isOrdered {
      let first = wanted(statement)
      let rest = graph.members(statement.relationship, of: statement.owner)
        .filter { !first.contains($0) }
      graph[statement.owner].toMany[statement.relationship.name] = first + rest
    }
  }

  // MARK: - The top

  /// Items of which none can be used, and objects that might go for it: the sync is refused, at any size.
  private var isErrorDocument: Bool {
    guard request.operations.contains(.delete), !request.items.isEmpty, roots.isEmpty else {
      return false
    }
    if case .parent(_, let relationship) = request.scope, relationship.kind == .manyToMany {
      return false
    }
    return !scope().isEmpty
  }

  /// The stored objects that take part.
  private func scope() -> [OracleID] {
    let all = stored.all(request.entity)
    switch request.scope {
    case .filter(let isIncluded): return all.filter { isIncluded(stored[$0]) }
    case .parent(let parent, let relationship): return stored.members(relationship, of: parent)
    case .entity: break
    }
    let tree = request.entity.relationships.first {
      !$0.isToMany && $0.destinationIndex == request.entity.index
    }
    guard let tree, !roots.contains(where: { $0.toOnes.contains { $0.0.name == tree.name } })
    else { return all }
    return all.filter { stored[$0].toOne[tree.name] == nil }
  }

  private mutating func deleteAtTheTop() {
    guard request.operations.contains(.delete) else { return }
    if case .parent = request.scope { return }
    // A key that cannot be read suspends deletion.
    guard isComplete else { return }
    let keys = items.filter { $0.entity == request.entity }.compactMap(\.key)
    let scope = scope()
    for id in scope where !stored[id].key.isNull && !keys.contains(stored[id].key) {
      doomed.insert(id)
    }
    guard case .entity = request.scope else { return }
    fold(scope)
  }

  /// Of objects with the same key and the same owners only the first stays.
  private mutating func fold(_ scope: [OracleID]) {
    var seen: [OracleID] = []
    for id in scope where !stored[id].key.isNull {
      if seen.contains(where: {
        stored[$0].key == stored[id].key && stored[$0].entity == stored[id].entity
          && stored[$0].toOne == stored[id].toOne
      }) {
        doomed.insert(id)
      } else {
        seen.append(id)
      }
    }
  }
}
