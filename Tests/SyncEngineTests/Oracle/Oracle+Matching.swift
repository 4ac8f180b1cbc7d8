import SyncStack

/// Which object an item is.
///
/// A nested one-to-many child is the owner's own child of that key; else the entity's only object
/// of that key, unless another owner has listed it before in this payload or session: then it
/// moves; else a new object. With `keyScope = owner` it never moves. Within one part an owner's own
/// children are decided first.
extension Oracle {
  /// One key under an entity and under a subentity of it is one object in one part, of the
  /// subentity.
  mutating func joinSubentities() {
    for item in items {
      guard let key = item.key else { continue }
      let others = items.filter {
        $0.key == key && $0.entity != item.entity && $0.entity.isKind(of: item.entity)
      }
      guard let depth = others.map(\.depth).max() else { continue }
      // Two owners that nest one key have two children: one of them is the subentity's.
      if isOwned(item) {
        if item.relationship?.userInfo["sync.keyScope"] == "owner" { continue }
        let isLater = items.contains {
          $0.entity == item.entity && $0.key == key && $0.same != nil && isOwned($0)
            && !isInList(of: item, $0)
        }
        if isLater { continue }
      }
      let deepest = others.filter {
        $0.depth == depth && $0.entity == others.first { $0.depth == depth }?.entity
      }
      item.same = deepest.first { !isOwned($0) } ?? deepest.last
    }
  }

  private func isInList(of item: OracleItem, _ other: OracleItem) -> Bool {
    item.owner === other.owner && item.relationship?.name == other.relationship?.name
  }

  private func isOwned(_ item: OracleItem) -> Bool {
    item.relationship.map { $0.kind == .oneToMany } ?? isParentsOwn
  }

  private var isParentsOwn: Bool {
    if case .parent(_, let relationship) = request.scope { return relationship.kind == .oneToMany }
    return false
  }

  /// From the top of the payload down, level by level. On each level first everything that is
  /// certain; then, in payload order, the objects that have to be found elsewhere or made.
  mutating func match(_ roots: [OracleItem]) {
    var unreached: [OracleItem] = []
    var level = roots
    var seen: Set<ObjectIdentifier> = []
    while !level.isEmpty {
      unreached += level.filter { !isReachable($0) }.flatMap(\.all)
      let reached = level.filter(isReachable).map { $0.same ?? $0 }
        .filter { seen.insert(ObjectIdentifier($0)).inserted }
      // Entity after entity, as the plan has them.
      let order = reached.map(\.entity).reduce(into: [EntityDescription]()) {
        if !$0.contains($1) { $0.append($1) }
      }
      for entity in order {
        let waiting = reached.filter { $0.entity == entity }.filter { !certain($0) }
        for item in waiting where !certain(item) { findOrMake(item) }
      }
      level = reached.flatMap { reachedChildren($0) }
    }
    // An item below an object that may not be written is left alone, so it is not deleted.
    for item in unreached where item.same == nil {
      if let id = candidates(item).filter({ !new.contains($0) }).min() { mentioned.insert(id) }
    }
    for item in items {
      if let same = item.same, item.object == nil { item.object = same.object }
    }
    for (entity, key) in items.flatMap(\.references) {
      if let id = before.all(entity).first(where: { before[$0].key == key }) {
        mentioned.insert(id)
      }
    }
  }

  /// The items below an item, and below those that are the same object.
  private func reachedChildren(_ item: OracleItem) -> [OracleItem] {
    guard mayLay else { return item.children }
    return item.children + items.filter { $0.same === item }.flatMap(\.children)
  }

  /// Whether the values of an object under a superentity count.
  var mayLay: Bool {
    request.operations.isSuperset(of: [
      .insert, .update, .insertRelationships, .updateRelationships,
    ])
  }

  func isReachable(_ item: OracleItem) -> Bool {
    guard let owner = item.owner.map({ $0.same ?? $0 }) else { return true }
    return owner.object != nil && owner.isActive
  }

  func isNested(_ item: OracleItem) -> Bool { item.owner != nil }

  /// The object above an item.
  func owner(_ item: OracleItem) -> OracleID? { item.owner.flatMap { ($0.same ?? $0).object } }

  /// The owner and relationship in whose one-to-many list the item stands.
  func list(_ item: OracleItem) -> (OracleID, RelationshipDescription)? {
    if let owner = owner(item), let relationship = item.relationship {
      return relationship.kind == .oneToMany ? (owner, relationship) : nil
    }
    if item.owner == nil, case .parent(let parent, let relationship) = request.scope,
      relationship.kind == .oneToMany
    {
      return (parent, relationship)
    }
    return nil
  }

  mutating func certain(_ item: OracleItem) -> Bool {
    if let (owner, relationship) = list(item) {
      guard let key = item.key,
        let id = ownChild(key, relationship, of: owner, item.entity)
      else { return false }
      take(id, item)
      return true
    }
    if item.key == nil {
      // An object without key is the one that is linked.
      guard let owner = owner(item), let relationship = item.relationship,
        let id = keyless[Place(owner: owner, relationship: relationship.name)]
          ?? membersBefore(relationship, of: owner).first
      else { return false }
      take(id, item)
      return true
    }
    guard let id = candidates(item).first(where: { !new.contains($0) }) else { return false }
    take(id, item)
    return true
  }

  /// The child of a key that an owner has, or that this part has put there.
  private func ownChild(
    _ key: Value, _ relationship: RelationshipDescription, of owner: OracleID,
    _ entity: EntityDescription
  ) -> OracleID? {
    if let id = decided.first(where: {
      listers[Membership($0, relationship)] == owner && graph[$0].key == key
        && graph[$0].entity.isKind(of: entity)
    }) {
      return id
    }
    return membersBefore(relationship, of: owner)
      .filter { graph[$0].key == key && graph[$0].entity.isKind(of: entity) }
      .sorted { (order($0, entity), $0) < (order($1, entity), $1) }
      .first { listers[Membership($0, relationship)] == nil }
  }

  private func order(_ id: OracleID, _ entity: EntityDescription) -> Int {
    graph[id].entity == entity ? 0 : 1
  }

  private func membersBefore(
    _ relationship: RelationshipDescription, of owner: OracleID
  ) -> [OracleID] {
    new.contains(owner) ? [] : before.members(relationship, of: owner)
  }

  /// Objects with the item's key: current members first, those in the scope, then by row.
  func candidates(_ item: OracleItem) -> [OracleID] {
    guard let key = item.key else { return [] }
    let all = graph.all(item.entity).filter { graph[$0].key == key }
    var preferred: [OracleID] = []
    if let owner = owner(item), let relationship = item.relationship {
      preferred = membersBefore(relationship, of: owner)
    } else if item.owner == nil {
      preferred = scope()
    }
    // Keys are unique per concrete entity: an object of a subentity comes last.
    let order =
      all.filter { graph[$0].entity == item.entity }
      + all.filter { graph[$0].entity != item.entity }
    return order.filter { preferred.contains($0) } + order.filter { !preferred.contains($0) }
  }

  /// The entity's only object of the item's key, if no other owner lists it.
  private func onlyObject(
    _ item: OracleItem, _ owner: OracleID, _ relationship: RelationshipDescription
  ) -> OracleID? {
    if relationship.userInfo["sync.keyScope"] == "owner" { return nil }
    let all = candidates(item)
    let own = all.filter { graph[$0].entity == item.entity }
    let isOfSubentity = items.contains {
      $0.entity == item.entity && $0.key == item.key && $0.same != nil && isOwned($0)
    }
    let objects = own.isEmpty && !isOfSubentity ? all : own
    guard objects.count == 1, case let id = objects[0] else { return nil }
    let membership = Membership(id, relationship)
    guard !listed.contains(membership), listers[membership] == nil, !isListedByItsOwner(id, item)
    else { return nil }
    return id
  }

  /// Whether the owner that an object has lists it in this part.
  private func isListedByItsOwner(_ id: OracleID, _ item: OracleItem) -> Bool {
    guard !new.contains(id), let (_, relationship) = list(item), let owner = list(item)?.0,
      let inverse = graph[owner].entity.inverse(of: relationship),
      let present = before.objects[id]?.toOne[inverse.name], present != owner
    else { return false }
    return items.contains {
      $0.entity == item.entity && $0.key == item.key && $0.relationship?.name == relationship.name
        && $0.owner.map(likelyObject) == present
    }
  }

  /// The object of an item, as far as that is known before everything above it is.
  private func likelyObject(_ item: OracleItem) -> OracleID? {
    if let object = (item.same ?? item).object { return object }
    guard let key = item.key else { return nil }
    let found = before.all(item.entity).filter { before[$0].key == key }
    return found.count == 1 ? found[0] : nil
  }

  mutating func findOrMake(_ item: OracleItem) {
    if let (owner, relationship) = list(item) {
      if let id = onlyObject(item, owner, relationship) { return take(id, item) }
    } else if let id = candidates(item).first {
      return take(id, item)
    }
    let option: SyncOperations = isNested(item) ? .insertRelationships : .insert
    guard request.operations.contains(option) else { return }
    if item.entity.isAbstract { isImpossible = true }
    let id = graph.make(item.entity)
    new.insert(id)
    if let key = item.key, let attribute = item.entity.primaryKey {
      graph[id].attributes[attribute.name] = key
    }
    take(id, item)
  }

  mutating func take(_ id: OracleID, _ item: OracleItem) {
    item.object = id
    let option: SyncOperations =
      switch (isNested(item), new.contains(id)) {
      case (false, true): .insert
      case (false, false): .update
      case (true, true): .insertRelationships
      case (true, false): .updateRelationships
      }
    item.isActive = request.operations.contains(option)
    mentioned.insert(id)
    if item.key == nil, let owner = owner(item), let relationship = item.relationship {
      keyless[Place(owner: owner, relationship: relationship.name)] = id
    }
    if !decided.contains(id) { decided.append(id) }
    if let (owner, relationship) = list(item) { listers[Membership(id, relationship)] = owner }
  }
}
