import SyncCore
import SyncEngine
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
    // The first item has a key: a payload without any is refused, which is another test.
    let count = Int.random(in: 0...4, using: &generator)
    for position in 0..<count {
      step.items.append(item(entity, depth, keyed: position == 0, except: nil))
    }
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
    _ entity: EntityDescription, _ depth: Int, keyed: Bool, except back: String?
  ) -> JSONValue {
    var object = JSONObject()
    if let key = entity.primaryKey { object["id"] = self.key(key, keyed: keyed) }
    for attribute in entity.attributes where attribute.name != entity.primaryKey?.name {
      if generator.chance(50) { object[OracleItem.snake(attribute.name)] = scalar(attribute.type) }
    }
    for relationship in entity.relationships where relationship.name != back {
      // The order in which objects join a list through their own side is another test.
      if let inverse = entity.inverse(of: relationship), inverse.isOrdered, !relationship.isToMany {
        continue
      }
      guard generator.chance(depth == self.depth ? 45 : 30) else { continue }
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
          (0..<count).map { _ in
            if mixesLists, let key = destination.primaryKey, generator.chance(30) {
              return self.key(key, keyed: generator.chance(90))
            }
            return item(destination, depth - 1, keyed: false, except: back)
          })
        if mixesLists, let key = destination.primaryKey, generator.chance(20) {
          object[snake + "_ids"] =
            generator.chance(30) ? .null : .array([self.key(key, keyed: true)])
        }
      } else if let key = destination.primaryKey {
        let count = Int.random(in: 0...3, using: &generator)
        object[snake + "_ids"] = .array((0..<count).map { _ in self.key(key, keyed: true) })
      }
    } else if generator.chance(12) {
      object[generator.chance(50) ? snake : snake + "_id"] = .null
    } else if nests {
      object[snake] = item(destination, depth - 1, keyed: generator.chance(90), except: back)
    } else if let key = destination.primaryKey {
      object[snake + "_id"] = self.key(key, keyed: true)
    }
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
