import SyncStack

/// Finds out which objects of a payload are objects of their own: those that have a key. Objects that
/// look alike are of one entity, wherever they stand.
struct EntityFinder {
  private(set) var entities: [FoundEntity] = []
  private var pending: [FoundEntity] = []

  /// - Parameters:
  ///   - root: The items of the payload.
  ///   - name: The entity of the items.
  init(_ root: ObjectShape, named name: String) {
    let named = EntityFinder.namedKey(of: root, entity: name)
    let key = named ?? EntityFinder.guessedKey(of: root)
    add(FoundEntity(name: name, shape: root, key: key, isKeyGuessed: named == nil))
    // An entity that got more objects may have more members.
    while let entity = pending.popLast() { visit(entity.shape, in: entity) }
  }

  private mutating func add(_ entity: FoundEntity) {
    entities.append(entity)
    pending.append(entity)
  }

  private mutating func visit(_ shape: ObjectShape, in owner: FoundEntity) {
    for key in shape.keys {
      guard let member = shape.members[key], member.entity == nil else { continue }
      guard let nested = member.object ?? member.elementObjects,
        member.object == nil || member.lists == 0, !member.hasInnerLists
      else { continue }
      let name = EntityFinder.name(of: nested, under: key)
      if let entity = entities.first(where: { EntityFinder.isAlike($0, nested, named: name) }) {
        member.entity = entity
        entity.places.append("\(owner.name).\(key)")
        entity.shape.merge(nested)
        pending.append(entity)
      } else if let identity = EntityFinder.namedKey(of: nested, entity: name) {
        let entity = FoundEntity(
          name: free(name, in: owner), shape: nested, key: identity)
        member.entity = entity
        entity.places.append("\(owner.name).\(key)")
        add(entity)
      } else if member.object != nil, !nested.isDictionary {
        visit(nested, in: owner)
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

  // MARK: - Keys

  /// The member that names an object, by what it is called.
  private static func namedKey(of shape: ObjectShape, entity: String) -> String? {
    let snake = Inflection.naturalSnake(entity)
    let camel = DraftNames.uncapitalized(entity)
    let names = [
      "id", "remote_id", "remoteId", "remoteID", "_id", "ID", "Id", "uuid", "guid", "uid",
      "\(snake)_id", "\(camel)Id", "\(camel)ID", "key", "code", "slug", "sha",
    ]
    return names.first { isKey($0, of: shape) }
  }

  /// The first member whose values all differ.
  private static func guessedKey(of shape: ObjectShape) -> String? {
    guard shape.count > 1 else { return nil }
    return shape.keys.first {
      isKey($0, of: shape) && shape.members[$0]?.scalars.isUnique == true
    }
  }

  private static func isKey(_ key: String, of shape: ObjectShape) -> Bool {
    guard let member = shape.members[key] else { return false }
    return member.present == shape.count && member.scalars.mayBeKey
      && member.scalars.count == shape.count
  }

  // MARK: - Likeness

  /// The kind of object that the objects say they are themselves.
  private static func ownName(of shape: ObjectShape) -> String? {
    for key in ["__typename", "object", "_type", "resource_type", "resourceType"] {
      guard let text = shape.members[key]?.scalars.constantText, text != "list",
        text.allSatisfy({ $0.isASCII && ($0.isLetter || $0 == "_") })
      else { continue }
      return DraftNames.entity(text)
    }
    return nil
  }

  private static func name(of shape: ObjectShape, under key: String) -> String {
    ownName(of: shape) ?? DraftNames.entity(key)
  }

  private static func isAlike(
    _ entity: FoundEntity, _ shape: ObjectShape, named name: String
  ) -> Bool {
    guard let key = entity.key, isKey(key, of: shape) else { return false }
    if let one = ownName(of: entity.shape), let other = ownName(of: shape) { return one == other }
    if entity.name == name { return true }
    let (mine, theirs) = (Set(entity.shape.keys), Set(shape.keys))
    let common = mine.intersection(theirs).count
    return common >= 4 && common * 4 >= mine.union(theirs).count * 3
  }
}
