import SyncCore
import SyncEngine

/// Which object an item is.
extension Oracle {
  /// From the top of the payload down, level by level. On each level first everything that is certain;
  /// then, in payload order, what has to be found elsewhere or made.
  mutating func match(_ roots: [OracleItem]) {
    var refused: [OracleItem] = []
    var unreached: [OracleItem] = []
    var level = roots
    while !level.isEmpty {
      unreached += level.filter { !isReachable($0) && !isPostponed($0) }.flatMap(\.all)
      let reached = level.filter(isReachable)
      // An object of a subentity is one of its superentity too: whoever means it there comes later.
      let waiting = reached.filter { !certain($0) }.enumerated().sorted {
        ($1.element.depth, $0.offset) < ($0.element.depth, $1.offset)
      }.map(\.element)
      for item in waiting where !certain(item) {
        if mayBeListedLater(item) {
          postponed.append(item)
        } else if !findOrMake(item) {
          refused.append(item)
        }
      }
      level = reached.flatMap(\.children)
    }
    // What stands below an object that may not be written is left alone, so it is not deleted.
    for item in unreached {
      if let id = candidates(item).filter({ !$0.isNew }).min() { claimed.insert(id) }
    }
    for item in unreached { keepChildren(item) }
    for (entity, key) in items.flatMap(\.references) {
      if let id = stored.all(entity).first(where: { stored[$0].key == key }) { claimed.insert(id) }
    }
    self.refused += refused.map { ($0, items) }
  }

  /// Notes the children of an owner that lists them, though nothing of it may be written.
  private mutating func keepChildren(_ item: OracleItem) {
    guard let relationship = item.relationship, relationship.kind == .oneToMany,
      let owner = item.owner.flatMap(certainObject)
    else { return }
    for id in membersBefore(relationship, of: owner) where graph[id].key == item.key {
      let listing = Listing(id, relationship)
      keepers[listing] = keepers[listing] ?? owner
    }
  }

  /// Whether an item, or one above it, waits until everything has been seen.
  func isPostponed(_ item: OracleItem) -> Bool {
    sequence(first: item, next: \.owner).contains { item in postponed.contains { $0 === item } }
  }

  /// Whether the object that an item would be is another owner's of whom nothing was said yet, or promised.
  func mayBeListedLater(_ item: OracleItem) -> Bool {
    guard !isLast, let (owner, relationship) = list(item), let id = free(item).first,
      let inverse = graph[owner].entity.inverse(of: relationship)
    else { return false }
    guard request.operations.isSuperset(of: Oracle.operationsOfWaiting) else { return false }
    if postponed.contains(where: {
      $0 !== item && $0.key == item.key && list($0)?.1.name == relationship.name
    }) {
      return true
    }
    guard hasMore, let present = stored.objects[id]?.toOne[inverse.name], present != owner else {
      return false
    }
    return !roots.flatMap(\.all).contains {
      $0.object == present && $0.isActive
        && $0.toManys.contains { $0.0.name == relationship.name }
    }
  }

  /// What may not be made may still have been made by another mention.
  mutating func matchRefused() {
    let all = items
    defer { items = all }
    for (item, part) in refused {
      // Whose an object is was decided with the part.
      items = part
      if let id = candidates(item).first(where: { isFree($0, for: item, isLate: true) }) {
        take(id, item)
      }
    }
  }

  /// The members that an owner had before the payload.
  private func membersBefore(
    _ relationship: RelationshipDescription, of owner: OracleID
  ) -> [OracleID] {
    owner.isNew ? [] : stored.members(relationship, of: owner)
  }

  func isReachable(_ item: OracleItem) -> Bool {
    guard let owner = item.owner else { return true }
    return owner.object != nil && owner.isActive
  }

  func isNested(_ item: OracleItem) -> Bool { item.owner != nil }

  /// The owner and relationship in whose one-to-many list the item stands.
  func list(_ item: OracleItem) -> (OracleID, RelationshipDescription)? {
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

  mutating func certain(_ item: OracleItem) -> Bool {
    guard isReachable(item) else { return false }
    if let (owner, relationship) = list(item) {
      guard let key = item.key,
        let id = membersBefore(relationship, of: owner).sorted().first(where: {
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
        let id = keyless[Place(owner: owner, relationship: relationship.name)]
          ?? membersBefore(relationship, of: owner).first
      else { return false }
      take(id, item)
      return true
    }
    guard let id = candidates(item).first(where: { !$0.isNew }) else { return false }
    take(id, item)
    return true
  }

  /// Objects with the item's key: current members first, those in the scope, then by row.
  func candidates(_ item: OracleItem) -> [OracleID] {
    guard let key = item.key else { return [] }
    let all = graph.all(item.entity).filter { graph[$0].key == key }
    var preferred: [OracleID] = []
    if let owner = item.owner?.object, let relationship = item.relationship {
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

  /// - Parameter isLate: Whether everything else is decided, so that a new object is whose list it stands in.
  func isFree(_ id: OracleID, for item: OracleItem, isLate: Bool = false) -> Bool {
    guard let (owner, relationship) = list(item) else { return true }
    // What is another owner's is another object, and what is nobody's too.
    if relationship.userInfo["sync.keyScope"] == "owner" { return false }
    let lister = listers[Listing(id, relationship)]
    guard lister == nil || lister == owner,
      keepers[Listing(id, relationship), default: owner] == owner
    else { return false }
    if isLate, id.isNew { return true }
    // Its present owner comes first, if it lists the object too.
    guard let inverse = graph[owner].entity.inverse(of: relationship),
      let present = stored.objects[id]?.toOne[inverse.name], present != owner
    else { return true }
    return !items.contains {
      $0.relationship?.name == relationship.name && $0.key == item.key
        && $0.owner.map(certainObject) == present
    }
  }

  /// The object of an item, if that is known before everything above it is: the same place names it already, or one
  /// object of its key was there before, and the part mentions the key in one place.
  func certainObject(_ item: OracleItem) -> OracleID? {
    if let object = item.object { return object }
    let same = items.filter { $0.entity == item.entity && $0.key == item.key }
    if let twin = same.first(where: { $0.object != nil && place($0) == place(item) }) {
      return twin.object
    }
    let found = before.all(item.entity).filter { before[$0].key == item.key }
    guard Set(same.map(place)).count == 1, found.count == 1 else { return nil }
    return mayBeAnothers(found[0], item) ? nil : found[0]
  }

  /// Whether an owner that is not known to be the item's has an object for good.
  private func mayBeAnothers(_ id: OracleID, _ item: OracleItem) -> Bool {
    guard let relationship = item.relationship, relationship.kind == .oneToMany else {
      return false
    }
    let owner = item.owner.flatMap(certainObject)
    if let lister = listers[Listing(id, relationship)] { return lister != owner }
    return relationship.userInfo["sync.keyScope"] == "owner"
      && owner.map { membersBefore(relationship, of: $0).contains(id) } != true
  }

  /// The list that only one owner has, with that owner's place; the key alone for an item in no such list.
  func place(_ item: OracleItem) -> String {
    guard let key = item.key else { return "\(ObjectIdentifier(item))" }
    guard let relationship = item.relationship, relationship.kind == .oneToMany,
      let owner = item.owner
    else { return "\(item.entity.name) \(key)" }
    return "\(item.entity.name) \(key) \(relationship.name) \(place(owner))"
  }

  /// The objects that an item may be, those that come first in front.
  func free(_ item: OracleItem) -> [OracleID] {
    let free = candidates(item).filter { isFree($0, for: item) }
    // Keys are unique per concrete entity: an object of a subentity comes last.
    return [
      free.filter { graph[$0].entity == item.entity },
      free.filter { graph[$0].entity != item.entity },
    ].flatMap { group in
      // What the payload mentions elsewhere comes before what is only stored.
      let known = list(item) == nil ? nil : group.first { decided.contains($0) }
      return [known ?? group.first].compactMap(\.self)
    }
  }

  mutating func findOrMake(_ item: OracleItem) -> Bool {
    if let id = free(item).first {
      take(id, item)
      return true
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
      take(id, item)
      return true
    }
    if item.entity.isAbstract { isImpossible = true }
    let id = graph.make(item.entity)
    unseen.insert(id)
    if let key = item.key, let attribute = item.entity.primaryKey {
      graph[id].attributes[attribute.name] = key
    }
    take(id, item)
    return true
  }

  mutating func take(_ id: OracleID, _ item: OracleItem) {
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
    if item.key == nil, let owner = item.owner?.object, let relationship = item.relationship {
      keyless[Place(owner: owner, relationship: relationship.name)] = id
    }
    if !decided.contains(id) { decided.append(id) }
    if let (owner, relationship) = list(item) { listers[Listing(id, relationship)] = owner }
  }
}
