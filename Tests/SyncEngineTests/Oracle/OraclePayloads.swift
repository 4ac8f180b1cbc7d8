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
  /// Whether there are local edits and cancelled syncs between the syncs.
  var hasOtherSteps = false

  mutating func sequence(of entities: [String], length: Int) throws -> [OracleStep] {
    try (0..<length).map { _ in try step(generator.pick(entities)) }
  }

  private mutating func step(_ name: String) throws -> OracleStep {
    let entity = try model.requireEntity(named: name)
    if hasOtherSteps, generator.chance(15) {
      return OracleStep(
        kind: .save(seed: UInt64.random(in: 0...UInt64.max, using: &generator)), entity: name,
        items: [])
    }
    var step = OracleStep(entity: name, items: [])
    (described, listed) = ([], [])
    // The first item has a key: a payload without any is refused, which is another test.
    let count = Int.random(in: 0...4, using: &generator)
    for position in 0..<count {
      if let item = item(entity, depth, keyed: position == 0, except: nil) {
        step.items.append(item)
      }
    }
    if isConsistent { return step }
    if generator.chance(40) {
      step.operations = SyncOperations(rawValue: Int.random(in: 0...63, using: &generator))
    }
    if generator.chance(15), entity.attribute(named: "name") != nil { step.scope = .filter }
    if hasOtherSteps, generator.chance(10) {
      step.kind = .cancelledSync(after: Int.random(in: 0...8, using: &generator))
    }
    if step.scope == .entity, generator.chance(15) {
      let ways = model.entities.flatMap { owner in
        owner.relationships.filter {
          $0.isToMany && $0.inverseSlot != nil && $0.destinationIndex == entity.index
            && $0.declaringIndex == owner.index
        }.map { "\(owner.name).\($0.name)" }
      }
      if !ways.isEmpty {
        step.scope = .parent
        step.parent = generator.pick(ways)
      }
    }
    return step
  }

  private mutating func item(
    _ entity: EntityDescription, _ depth: Int, keyed: Bool, except back: String?,
    under relationship: RelationshipDescription? = nil
  ) -> JSONValue? {
    var object = JSONObject()
    if isConsistent {
      guard let key = freeKey(entity, under: relationship) else { return nil }
      described.insert([Int64(entity.rootIndex), key])
      object["id"] = .integer(key)
    } else if let key = entity.primaryKey {
      object["id"] = self.key(key, keyed: keyed)
    }
    for attribute in entity.attributes where attribute.name != entity.primaryKey?.name {
      if generator.chance(50) { object[OracleItem.snake(attribute.name)] = scalar(attribute.type) }
    }
    for relationship in entity.relationships where relationship.name != back {
      // The order in which objects join a list through their own side is another test.
      if let inverse = entity.inverse(of: relationship), inverse.isOrdered, !relationship.isToMany {
        continue
      }
      guard generator.chance(depth == self.depth ? 45 : 30) else { continue }
      if isConsistent, !speaks(relationship, entity) { continue }
      relate(relationship, entity, depth, &object)
    }
    return .object(object)
  }

  private mutating func relate(
    _ relationship: RelationshipDescription, _ entity: EntityDescription, _ depth: Int,
    _ object: inout JSONObject
  ) {
    let snake = OracleItem.snake(relationship.name)
    let destination = entity.destination(of: relationship)
    let back = entity.inverse(of: relationship)?.name
    let nests = depth > 0 && !generator.chance(35)
    if relationship.isToMany {
      if generator.chance(8) {
        object[generator.chance(50) ? snake : snake + "_ids"] = .null
      } else if nests {
        let count = Int.random(in: 0...3, using: &generator)
        object[snake] = .array(
          (0..<count).compactMap { _ in
            if mixesLists, let key = destination.primaryKey, generator.chance(30) {
              return self.key(key, keyed: generator.chance(90))
            }
            return item(
              destination, depth - 1, keyed: false, except: back, under: relationship)
          })
        if mixesLists, let key = destination.primaryKey, generator.chance(20) {
          object[snake + "_ids"] =
            generator.chance(30) ? .null : .array([self.key(key, keyed: true)])
        }
      } else if let key = destination.primaryKey {
        let count = Int.random(in: 0...3, using: &generator)
        object[snake + "_ids"] = .array(
          (0..<count).compactMap { _ in reference(key, to: destination, under: relationship) })
      }
    } else if generator.chance(12) {
      object[generator.chance(50) ? snake : snake + "_id"] = .null
    } else if nests {
      object[snake] = item(
        destination, depth - 1, keyed: generator.chance(90), except: back, under: relationship)
    } else if let key = destination.primaryKey {
      object[snake + "_id"] = reference(key, to: destination, under: relationship)
    }
  }

  private mutating func reference(
    _ key: AttributeDescription, to entity: EntityDescription,
    under relationship: RelationshipDescription
  ) -> JSONValue? {
    guard isConsistent else { return self.key(key, keyed: true) }
    return freeKey(entity, under: relationship, isReference: true).map { .integer($0) }
  }

  // MARK: - Consistent payloads

  /// Whether the relationship is the one of the two ends that is spoken of.
  private func speaks(_ relationship: RelationshipDescription, _ entity: EntityDescription) -> Bool
  {
    guard let inverse = entity.inverse(of: relationship) else { return true }
    return (relationship.declaringIndex, relationship.slot) < (inverse.declaringIndex, inverse.slot)
  }

  /// A key of which nothing was said yet.
  private mutating func freeKey(
    _ entity: EntityDescription, under relationship: RelationshipDescription?,
    isReference: Bool = false
  ) -> Int64? {
    let isExclusive = relationship.map { $0.inverseSlot != nil && !$0.isInverseToMany } ?? false
    let list = relationship.map { [Int64($0.declaringIndex), Int64($0.slot)] } ?? []
    let free = (1...keys + 2).filter {
      (isReference || !described.contains([Int64(entity.rootIndex), $0]))
        && (!isExclusive || !listed.contains(list + [$0]))
    }
    guard !free.isEmpty else { return nil }
    let key = generator.pick(free)
    if isExclusive { listed.insert(list + [key]) }
    return key
  }

  private mutating func key(_ attribute: AttributeDescription, keyed: Bool) -> JSONValue {
    if !keyed, hasUnreadableKeys, generator.chance(4) { return generator.pick([.null, [1], [:]]) }
    let number = Int64.random(in: 1...keys, using: &generator)
    // Numbers as text and the other way round are the same key.
    let isOther = generator.chance(15)
    switch attribute.type {
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
