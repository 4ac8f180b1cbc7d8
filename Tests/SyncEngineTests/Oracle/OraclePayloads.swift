import SyncStack
import TestSupport

/// Makes random payloads for a model: few keys, so that everything meets everything.
struct OraclePayloads {
  var generator: SeededGenerator
  let model: ManagedObjectModel
  /// Largest key.
  var keys: Int64 = 4
  var depth = 2
  /// Whether items may lack a readable key.
  var hasUnreadableKeys = true
  /// Whether lists mix objects and keys, and come under both names.
  var mixesLists = false
  /// Whether each object is described once, each relationship is spoken of from one side, and no
  /// object is in the lists of two owners: then it makes no difference in how many pieces a payload
  /// comes.
  var isConsistent = false
  /// The objects that were described and listed so far of a consistent payload.
  var described: Set<[Int64]> = []
  var listed: Set<[Int64]> = []

  mutating func sequence(of entities: [String], length: Int) throws -> [OraclePayload] {
    try (0..<length).map { _ in try payload(of: generator.pick(entities)) }
  }

  private mutating func payload(of name: String) throws -> OraclePayload {
    let entity = try model.requireEntity(named: name)
    var payload = OraclePayload(entity: entity)
    (described, listed) = ([], [])
    // The first item has a key: a payload without any is refused, which is another test.
    payload.items = (0..<Int.random(in: 0...4, using: &generator)).compactMap {
      item(entity, depth, keyed: $0 == 0, under: nil)
    }
    if isConsistent { return payload }
    if generator.chance(40) {
      payload.operations = SyncOperations(rawValue: Int.random(in: 0...63, using: &generator))
    }
    if generator.chance(15), entity.attribute(named: "name") != nil { payload.scope = .named("a") }
    if case .entity = payload.scope, generator.chance(15) {
      let lists = model.entities.flatMap { owner in
        owner.relationships.filter {
          $0.isToMany && $0.inverseSlot != nil && $0.destinationIndex == entity.index
            && $0.declaringIndex == owner.index
        }
      }
      if !lists.isEmpty { payload.scope = .list(generator.pick(lists)) }
    }
    return payload
  }

  // MARK: - Objects

  /// - Parameter relationship: The one that the object is nested in.
  private mutating func item(
    _ entity: EntityDescription, _ depth: Int, keyed: Bool,
    under relationship: RelationshipDescription?
  ) -> JSONValue? {
    guard let id = key(of: entity, keyed: keyed, under: relationship) else { return nil }
    var object: JSONObject = ["id": id]
    for attribute in entity.attributes where attribute.name != entity.primaryKey?.name {
      if generator.chance(50) { object[OracleItem.snake(attribute.name)] = scalar(attribute.type) }
    }
    for next in entity.relationships where next.name != relationship?.inverseName {
      // The order in which objects join a list through their own side is another test.
      let inverse = entity.inverse(of: next)
      if let inverse, inverse.isOrdered, !next.isToMany { continue }
      guard generator.chance(depth == self.depth ? 45 : 30) else { continue }
      // A consistent payload speaks of one of the two ends.
      if isConsistent, let inverse,
        (next.declaringIndex, next.slot) >= (inverse.declaringIndex, inverse.slot)
      {
        continue
      }
      relate(next, to: entity.destination(of: next), depth, &object)
    }
    return .object(object)
  }

  private mutating func relate(
    _ relationship: RelationshipDescription, to entity: EntityDescription, _ depth: Int,
    _ object: inout JSONObject
  ) {
    let name = OracleItem.snake(relationship.name)
    let keyName = name + (relationship.isToMany ? "_ids" : "_id")
    let nests = depth > 0 && !generator.chance(35)
    if generator.chance(relationship.isToMany ? 8 : 12) {
      object[generator.chance(50) ? name : keyName] = .null
    } else if !relationship.isToMany {
      object[nests ? name : keyName] =
        nests
        ? item(entity, depth - 1, keyed: generator.chance(90), under: relationship)
        : key(of: entity, under: relationship, isReference: true)
    } else {
      let elements = (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in
        if nests, !(mixesLists && generator.chance(30)) {
          return item(entity, depth - 1, keyed: false, under: relationship)
        }
        return key(
          of: entity, keyed: !nests || generator.chance(90), under: relationship, isReference: true)
      }
      object[nests ? name : keyName] = .array(elements)
      guard nests, mixesLists, generator.chance(20) else { return }
      object[keyName] =
        generator.chance(30)
        ? .null
        : .array([key(of: entity, under: relationship, isReference: true)].compactMap(\.self))
    }
  }

  // MARK: - Values

  /// A key, in a consistent payload one of which nothing was said yet; nil when none is left.
  private mutating func key(
    of entity: EntityDescription, keyed: Bool = true, under relationship: RelationshipDescription?,
    isReference: Bool = false
  ) -> JSONValue? {
    guard isConsistent else { return entity.primaryKey.map { key($0.type, keyed: keyed) } }
    let isExclusive = relationship.map { $0.inverseSlot != nil && !$0.isInverseToMany } ?? false
    let list = relationship.map { [Int64($0.declaringIndex), Int64($0.slot)] } ?? []
    let table = Int64(entity.rootIndex)
    let free = (1...keys + 2).filter {
      (isReference || !described.contains([table, $0]))
        && (!isExclusive || !listed.contains(list + [$0]))
    }
    guard !free.isEmpty else { return nil }
    let number = generator.pick(free)
    if isExclusive { listed.insert(list + [number]) }
    if !isReference { described.insert([table, number]) }
    return .integer(number)
  }

  private mutating func key(_ type: AttributeType, keyed: Bool) -> JSONValue {
    if !keyed, hasUnreadableKeys, generator.chance(4) { return generator.pick([.null, [1], [:]]) }
    let number = Int64.random(in: 1...keys, using: &generator)
    // Numbers as text and the other way round are the same key.
    let isOther = generator.chance(15)
    switch type {
    case .uuid:
      let text = "6F9619FF-8B86-D011-B42D-00CF4FC964F\(number)"
      return .string(isOther ? text.lowercased() : text)
    case .date:
      // The same moments as text, with and without a time, and in seconds.
      let day = "2014-01-0\(number)"
      return isOther
        ? .integer(1_388_448_000 + number * 86_400)
        : .string(generator.chance(50) ? day : day + "T00:00:00Z")
    case .decimal, .double, .float:
      return isOther ? .string("\(number).5") : .double(Double(number) + 0.5)
    case .uri: return .string("https://example.org/\(isOther ? 1 : number)")
    case .boolean: return isOther ? .integer(number % 2) : .bool(number % 2 == 1)
    default: return isOther ? .string(String(number)) : .integer(number)
    }
  }

  private mutating func scalar(_ type: AttributeType) -> JSONValue {
    if generator.chance(10) { return .null }
    switch type {
    case .string: return generator.pick(["a", "b", "c", 1])
    case .boolean: return generator.pick([true, false, 1, "0", "yes"])
    case .date: return generator.pick(["2014-01-02", "2014-01-02T10:00:00Z", 86_400, "soon"])
    case .double, .float: return generator.pick([1, 1.5, "2.5", "x", true])
    default: return generator.pick([1, 2, "3", "x", false])
    }
  }
}
