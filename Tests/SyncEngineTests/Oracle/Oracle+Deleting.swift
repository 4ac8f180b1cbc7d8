import SyncStack

/// The children of a given parent, and the decisions at the end: references whose object came late,
/// objects that go, and which objects of one key become one.
extension Oracle {
  // MARK: - A given parent

  /// The items of a part are the parent's list, or a piece of it.
  mutating func listChildren(_ tops: [OracleItem]) {
    guard case .parent(let parent, let relationship) = request.scope else { return }
    statements.append(
      Statement(
        owner: parent, relationship: relationship, members: tops.compactMap(\.object),
        deletes: true, isComplete: isComplete && !hasParts, option: .delete))
  }

  /// Takes children out of a given parent whose list came in parts.
  mutating func releaseChildren() {
    guard case .parent(let parent, let relationship) = request.scope, hasParts else { return }
    let children = roots.compactMap(\.object)
    if request.operations.contains(.delete), isComplete {
      for member in graph.members(relationship, of: parent) where !children.contains(member) {
        if relationship.kind == .oneToMany {
          leftOut[Membership(member, relationship)] = parent
        } else {
          graph.unlink(relationship, of: parent, from: member)
        }
      }
    }
    guard relationship.isOrdered else { return }
    let now = graph.members(relationship, of: parent)
    let first = children.reduce(into: [OracleID]()) {
      if !$0.contains($1), now.contains($1) { $0.append($1) }
    }
    graph[parent].toMany[relationship.name] = first + now.filter { !first.contains($0) }
  }

  // MARK: - Late objects

  /// Links references whose object has come.
  mutating func linkWaiting() {
    guard hasParts else { return }
    var taken: Set<Membership> = []
    for reference in waiting {
      let (owner, relationship) = (reference.owner, reference.relationship)
      let entity = graph[owner].entity
      let destination = entity.destination(of: relationship)
      guard
        let id = graph.all(destination).first(where: { graph[$0].key == reference.missing.key })
      else { continue }
      if reference.missing.isNested,
        reference.missing.isRefused
          || relationship.kind == .oneToMany && relationship.userInfo["sync.keyScope"] == "owner"
      {
        continue
      }
      let inverse = entity.inverse(of: relationship)
      if let inverse, !inverse.isToMany {
        // The mentions of later parts count more.
        let membership = Membership(id, inverse)
        let present = graph[id].toOne[inverse.name]
        guard present == nil || present == owner || taken.contains(membership) else { continue }
        taken.insert(membership)
      }
      graph.link(relationship, of: owner, to: id)
      guard relationship.isOrdered else { continue }
      var members = graph.members(relationship, of: owner).filter { $0 != id }
      members.insert(id, at: min(reference.missing.place, members.count))
      graph[owner].toMany[relationship.name] = members
    }
  }

  // MARK: - Deletions

  /// Items of which none can be used: the sync is refused, at any size.
  var isErrorDocument: Bool { !request.items.isEmpty && roots.isEmpty }

  /// The stored objects that take part.
  func scope() -> [OracleID] {
    let all = stored.all(request.entity)
    switch request.scope {
    case .filter(let isIncluded): return all.filter { isIncluded(stored[$0]) }
    case .parent(let parent, let relationship): return stored.members(relationship, of: parent)
    case .entity: break
    }
    guard let tree else { return all }
    return all.filter { stored[$0].toOne[tree.name] == nil }
  }

  /// The way up in a payload that nests objects of one entity in each other; nil when it does not.
  private var tree: RelationshipDescription? {
    guard case .entity = request.scope else { return nil }
    let tree = request.entity.relationships.first {
      !$0.isToMany && $0.destinationIndex == request.entity.index && $0.isInverseToMany
    }
    let list = tree.flatMap { request.entity.inverse(of: $0)?.name }
    return roots.contains { $0.toManys.contains { $0.0.name == list && $0.1.deletes } } ? tree : nil
  }

  /// The scope, and in a tree the objects below roots that no part mentions.
  private func scopeWithTrees() -> [OracleID] {
    var all = scope()
    guard let tree else { return all }
    var level = all.filter { !mentioned.contains($0) }
    while !level.isEmpty {
      level = graph.all(request.entity).filter { id in
        !all.contains(id) && !mentioned.contains(id)
          && graph[id].toOne[tree.name].map(level.contains) == true
      }
      all += level
    }
    return all
  }

  /// Of objects whose key a part mentions, those with the same owners may become one with the
  /// first.
  mutating func fold() {
    guard request.operations.contains(.delete) else { return }
    let keys = items.filter { $0.entity == request.entity }.compactMap(\.key)
    var seen: [OracleID] = []
    for id in before.all(request.entity) where keys.contains(before[id].key) {
      let isLikeAnother = seen.contains {
        before[$0].key == before[id].key && before[$0].entity == before[id].entity
          && before[$0].toOne == before[id].toOne
      }
      if !isLikeAnother { seen.append(id) }
      guard !decided.contains(id) else { continue }
      if isLikeAnother { surplus.insert(id) } else { distinct.insert(id) }
    }
  }

  /// Objects in scope that the payload does not mention.
  func notMentioned() -> [OracleID] {
    guard request.operations.contains(.delete), isComplete else { return [] }
    if case .parent = request.scope { return [] }
    return scopeWithTrees().filter {
      graph.objects[$0] != nil && !graph[$0].key.isNull && !mentioned.contains($0)
        && !distinct.contains($0)
    }
  }

  /// Members that their owner's list left out. One that is mentioned elsewhere only leaves its
  /// owner.
  mutating func left() -> [OracleID] {
    var result: [OracleID] = []
    for (membership, owner) in leftOut.sorted(by: { $0.key.object < $1.key.object }) {
      let id = membership.object
      guard graph.objects[id] != nil, !graph[id].key.isNull else { continue }
      guard mentioned.contains(id) else {
        result.append(id)
        continue
      }
      let relationship = graph[owner].entity.relationship(named: membership.relationship)
      if let relationship, graph.members(relationship, of: owner).contains(id) {
        graph.unlink(relationship, of: owner, from: id)
      }
    }
    return result
  }
}
