import SyncStack

/// Finds out which objects of a payload are objects of their own: those that have a key. Objects
/// that look alike are of one entity, wherever they stand.
struct EntityFinder {
  private(set) var entities: [FoundEntity] = []
  private var pending: [FoundEntity] = []
  private let doubts: DraftDoubts

  /// - Parameters:
  ///   - root: The items of the payload.
  ///   - name: The entity of the items.
  ///   - doubts: Guesses that have turned out to be wrong before.
  init(_ root: ObjectShape, named name: String, doubts: DraftDoubts = DraftDoubts()) {
    self.doubts = doubts
    let finder = KeyFinder(
      shape: root, entity: name, place: .items, rejected: doubts.rejectedKeys[name] ?? [])
    add(FoundEntity(name: name, shape: root, key: finder.key))
    // An entity that got more objects may have more members.
    while let entity = pending.popLast() { visit(entity.shape, in: entity, under: []) }
  }

  private mutating func add(_ entity: FoundEntity) {
    entities.append(entity)
    pending.append(entity)
  }

  private mutating func visit(_ shape: ObjectShape, in owner: FoundEntity, under path: [String]) {
    for key in shape.keys {
      guard let member = shape.members[key], member.entity == nil else { continue }
      guard let nested = member.object ?? member.elementObjects,
        member.object == nil || member.lists == 0, !member.hasInnerLists
      else { continue }
      let place = path + [key]
      // An object that holds the key of its owner is a part of the owner.
      if let key = owner.key, key.count > place.count, key.starts(with: place) {
        visit(nested, in: owner, under: place)
        continue
      }
      let name = EntityFinder.name(of: nested, at: place)
      let placeName = "\(owner.name).\(place.joined(separator: "."))"
      let kind: KeyFinder.Place =
        member.object == nil ? .listed : KeyFinder.wrappers.contains(key) ? .wrapped : .single
      let alike = entities.first {
        isAlike($0, nested, kind, named: name)
          || $0 === owner
            && (isTree(owner, nested, kind, under: place)
              || isKin(owner, nested, kind, under: place))
      }
      if let entity = alike, !doubts.separatePlaces.contains(placeName) {
        member.entity = entity
        entity.places.append(placeName)
        entity.shape.merge(nested)
        pending.append(entity)
        continue
      }
      let entityName = free(name, in: owner)
      let finder = KeyFinder(
        shape: nested, entity: name, place: kind,
        rejected: doubts.rejectedKeys[entityName] ?? [])
      if let identity = finder.key {
        let entity = FoundEntity(name: entityName, shape: nested, key: identity)
        member.entity = entity
        entity.places.append(placeName)
        add(entity)
      } else if member.object != nil, !nested.isDictionary, nested.hasPlainKeys {
        visit(nested, in: owner, under: place)
      }
    }
  }

  private func free(_ name: String, in owner: FoundEntity) -> String {
    var candidates = [name, owner.name + name]
    candidates += (2...99).map { "\(owner.name)\(name)\($0)" }
    return candidates.first { name in
      !entities.contains { $0.name.lowercased() == name.lowercased() }
    } ?? name
  }

  // MARK: - Likeness

  /// The kind of object that the objects say they are themselves.
  static func ownName(of shape: ObjectShape) -> String? {
    var keys = ["__typename", "object", "_type", "resource_type", "resourceType"]
    if shape.isResource { keys.append("type") }
    for key in keys {
      guard let text = shape.members[key]?.scalars.constantText, text != "list",
        text.allSatisfy({ $0.isASCII && ($0.isLetter || "_-".contains($0)) })
      else { continue }
      return DraftNames.entity(text)
    }
    return nil
  }

  /// Keys that say nothing of the values under them.
  private static let plainKeys =
    KeyFinder.wrappers + ["nodes", "edges", "items", "results", "records"]

  private static func name(of shape: ObjectShape, at place: [String]) -> String {
    let telling = place.last { !plainKeys.contains($0) } ?? place.last
    return ownName(of: shape) ?? DraftNames.entity(telling ?? "")
  }

  private func isAlike(
    _ entity: FoundEntity, _ shape: ObjectShape, _ place: KeyFinder.Place, named name: String
  ) -> Bool {
    let finder = KeyFinder(
      shape: shape, entity: name, place: place,
      rejected: doubts.rejectedKeys[entity.name] ?? [])
    guard let key = entity.key, finder.key == key, !differ(entity.shape, shape) else {
      return false
    }
    if let one = EntityFinder.ownName(of: entity.shape), let other = EntityFinder.ownName(of: shape)
    {
      return one == other
    }
    if entity.name == name { return true }
    let (mine, theirs) = (Set(entity.shape.keys), Set(shape.keys))
    let common = mine.intersection(theirs).count
    return common >= 4 && common * 4 >= mine.union(theirs).count * 3
  }

  /// Whether objects hold others under the key that they stand under themselves, as in a tree.
  private func isTree(
    _ owner: FoundEntity, _ shape: ObjectShape, _ kind: KeyFinder.Place, under place: [String]
  ) -> Bool {
    guard let key = owner.key, place.count == 1, let inner = shape.members[place[0]],
      inner.object != nil || inner.elementObjects != nil, !differ(owner.shape, shape)
    else { return false }
    let finder = KeyFinder(
      shape: shape, entity: owner.name, place: kind,
      rejected: doubts.rejectedKeys[owner.name] ?? [])
    return finder.key == key
  }

  /// Whether objects under a key such as `parent` are of the same entity: they have its key, and
  /// nothing that it has not.
  private func isKin(
    _ owner: FoundEntity, _ shape: ObjectShape, _ kind: KeyFinder.Place, under place: [String]
  ) -> Bool {
    guard let key = owner.key, let last = place.last,
      DraftNames.isKin(last, of: owner.name), !differ(owner.shape, shape),
      shape.keys.allSatisfy({ owner.shape.members[$0] != nil })
    else { return false }
    let finder = KeyFinder(
      shape: shape, entity: owner.name, place: kind,
      rejected: doubts.rejectedKeys[owner.name] ?? [])
    guard finder.key == key, let mine = owner.keyValues, let theirs = shape.member(at: key)?.scalars
    else { return false }
    return (mine.texts == 0) == (theirs.texts == 0)
  }

  /// Whether the objects say that they are of two types.
  private func differ(_ one: ObjectShape, _ other: ObjectShape) -> Bool {
    ["type", "kind"].contains { key in
      guard let mine = one.members[key]?.scalars.constantText,
        let theirs = other.members[key]?.scalars.constantText
      else { return false }
      return mine != theirs
    }
  }
}
