import SyncStack

/// Which object an item is.
///
/// A nested one-to-many child is the owner's own child of that key; else the entity's only object
/// of that key, unless another owner has listed it before in this payload or session: then it
/// moves; else a new object. With `keyScope = owner` it never moves. Within one part an owner's own
/// children are found first.
extension Oracle {
  // MARK: - Subentities

  /// One key under an entity and under a subentity of it is one object in one part, of the
  /// subentity.
  mutating func joinSubentities() {
    func depth(_ entity: EntityDescription) -> Int { entity.superentity.map { depth($0) + 1 } ?? 0 }
    for item in items where item.key != nil {
      let others = items.filter {
        $0.key == item.key && $0.entity != item.entity && $0.entity.isKind(of: item.entity)
      }
      guard let entity = others.map(\.entity).max(by: { depth($0) < depth($1) }) else { continue }
      // Two owners that nest one key have two children: one of them is the subentity's.
      let isLater = items.contains {
        isJoinedChild($0, like: item)
          && !($0.owner === item.owner && $0.relationship?.name == item.relationship?.name)
      }
      if item.isOwned, isLater || item.relationship?.keysAreOwners == true { continue }
      let same = others.filter { $0.entity == entity }
      item.same = same.first { !$0.isOwned } ?? same.last
    }
  }

  /// Whether an item is a nested one-to-many child of the same entity and key that is an object of
  /// a subentity.
  private func isJoinedChild(_ other: OracleItem, like item: OracleItem) -> Bool {
    other.entity == item.entity && other.key == item.key && other.same != nil && other.isOwned
  }

  /// Whether the values of an object under a superentity count.
  var mayJoin: Bool {
    payload.operations.isSuperset(of: [
      .insert, .update, .insertRelationships, .updateRelationships,
    ])
  }

  // MARK: - Level by level

  /// Finds or makes the objects of a part from the top of the payload down, level by level. On each
  /// level first everything that is certain; then, in payload order, the objects that have to be
  /// found elsewhere or made.
  mutating func findObjects(_ tops: [OracleItem]) {
    var unreached: [OracleItem] = []
    var level = tops
    var seen: Set<ObjectIdentifier> = []
    while !level.isEmpty {
      // Items below an object that may not be written are left alone.
      unreached += level.filter { !isReached($0) }.flatMap(\.all)
      let reached = level.filter(isReached).map { $0.same ?? $0 }
        .filter { seen.insert(ObjectIdentifier($0)).inserted }
      for entity in reached.map(\.entity).unique {
        let group = reached.filter { $0.entity == entity }
        for item in group {
          if let id = certainObject(of: item) { take(id, for: item) }
        }
        for item in group where item.object == nil {
          if let id = certainObject(of: item) ?? otherObject(for: item) ?? newObject(for: item) {
            take(id, for: item)
          }
        }
      }
      level = reached.flatMap { item in
        item.children + (mayJoin ? items.filter { $0.same === item }.flatMap(\.children) : [])
      }
    }
    // Their objects, and those that keys refer to, stay.
    for item in unreached where item.same == nil {
      if let key = item.key { mention(item.entity, key) }
    }
    for (entity, key) in items.flatMap(\.references) { mention(entity, key) }
  }

  private mutating func mention(_ entity: EntityDescription, _ key: Value) {
    if let id = before.all(entity, key: key).first { mentioned.insert(id) }
  }

  private func isReached(_ item: OracleItem) -> Bool {
    item.owner.map { $0.object != nil && $0.isWritten } ?? true
  }

  private mutating func take(_ id: OracleID, for item: OracleItem) {
    let isWritten = allows(before.objects[id] == nil ? .insert : .update, for: item)
    for same in items where same === item || same.same === item {
      (same.object, same.isWritten) = (id, isWritten)
    }
    mentioned.insert(id)
    if item.isOwned, let relationship = item.relationship {
      listers[OraclePlace(id, relationship)] = item.owner?.object
    }
  }

  // MARK: - Candidates

  /// The objects that the item's owner was linked to in the item's relationship.
  private func linked(_ item: OracleItem) -> [OracleID] {
    item.place.map { before.members($0) } ?? []
  }

  /// Objects with the item's key: those that its owner is linked to, or that are in scope, come
  /// first; then those that are not of a subentity; then the oldest.
  private func candidates(_ item: OracleItem) -> [OracleID] {
    guard let key = item.key else { return [] }
    let near = item.owner == nil ? scope() : linked(item)
    func rank(_ id: OracleID) -> (Int, Int, OracleID) {
      (near.contains(id) ? 0 : 1, graph[id].entity == item.entity ? 0 : 1, id)
    }
    return graph.all(item.entity, key: key).sorted { rank($0) < rank($1) }
  }

  private func certainObject(of item: OracleItem) -> OracleID? {
    guard item.key != nil else {
      // An item without key is the object that is linked, or that such an item made before it.
      let twin = items.first {
        $0.key == nil && $0.object != nil && $0.place == item.place
      }
      return twin?.object ?? linked(item).first
    }
    let all = candidates(item)
    guard item.isOwned, let relationship = item.relationship else {
      return all.first { before.objects[$0] != nil }
    }
    // The owner's child of that key, which an item of this part may have found already.
    return all.first { listers[OraclePlace($0, relationship)] == item.owner?.object }
      ?? all.first {
        linked(item).contains($0) && listers[OraclePlace($0, relationship)] == nil
      }
  }

  private func otherObject(for item: OracleItem) -> OracleID? {
    let all = candidates(item)
    guard item.isOwned, let relationship = item.relationship else { return all.first }
    // The only object of that key, unless another owner lists it; objects of subentities count
    // where there is none of the entity itself.
    let own = all.filter { graph[$0].entity == item.entity }
    let isJoined = items.contains { isJoinedChild($0, like: item) }
    let objects = own.isEmpty && !isJoined ? all : own
    guard objects.count == 1, case let id = objects[0],
      case let place = OraclePlace(id, relationship),
      !relationship.keysAreOwners, !listed.contains(place), listers[place] == nil,
      !isListedByItsOwner(id, item, relationship)
    else { return nil }
    return id
  }

  /// Whether the owner that an object has lists it in this part, deeper down.
  private func isListedByItsOwner(
    _ id: OracleID, _ item: OracleItem, _ relationship: RelationshipDescription
  ) -> Bool {
    guard let inverse = item.owner?.entity.inverse(of: relationship),
      let owner = before.members(OraclePlace(id, inverse)).first, owner != item.owner?.object
    else { return false }
    return items.contains {
      $0.entity == item.entity && $0.key == item.key && $0.relationship?.name == relationship.name
        && $0.owner.flatMap(likelyObject) == owner
    }
  }

  /// The object of an item, as far as that is known before everything above it is.
  private func likelyObject(_ item: OracleItem) -> OracleID? {
    if let object = item.object { return object }
    let all = item.key.map { before.all(item.entity, key: $0) } ?? []
    return all.count == 1 ? all[0] : nil
  }

  private mutating func newObject(for item: OracleItem) -> OracleID? {
    guard allows(.insert, for: item) else { return nil }
    if item.entity.isAbstract { isImpossible = true }
    let id = graph.make(item.entity)
    if let name = item.entity.primaryKey?.name, let key = item.key {
      graph[id].attributes[name] = key
    }
    return id
  }
}
