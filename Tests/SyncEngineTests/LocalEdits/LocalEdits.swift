import Foundation
import SyncStack
import TestSupport

/// The effects of random edits that were not acknowledged, found by comparing the graph before and
/// after each save: it knows nothing of histories and slots.
struct LocalEdits {
  /// A link that came or went: owner, relationship, member.
  struct Link: Hashable {
    let owner: OracleID
    let name: String
    let member: OracleID
  }

  struct Field: Hashable {
    let id: OracleID
    let name: String
  }

  private(set) var values: [Field: Value] = [:]
  private(set) var links: [Link: Bool] = [:]
  private(set) var orders: [Field: [OracleID]] = [:]
  private(set) var existing: Set<OracleID> = []
  private(set) var deleted: [OracleID: OracleObject] = [:]

  mutating func note(_ before: OracleGraph, _ after: OracleGraph) {
    for (id, object) in after.objects {
      let old = before.objects[id]
      if old == nil { existing.insert(id) }
      for attribute in object.entity.attributes {
        let value = object.attributes[attribute.name] ?? .null
        if value != old?.attributes[attribute.name] ?? .null || old == nil {
          values[Field(id: id, name: attribute.name)] = value
          existing.insert(id)
        }
      }
      for relationship in object.entity.relationships {
        let place = OraclePlace(id, relationship)
        let (now, then) = (after.members(place), before.members(place))
        for member in Set(now).symmetricDifference(then) {
          links[Link(owner: id, name: relationship.name, member: member)] = now.contains(member)
        }
        if relationship.isOrdered, now != then {
          orders[Field(id: id, name: relationship.name)] = now
        }
      }
    }
    for (id, object) in before.objects where after.objects[id] == nil {
      let wasUnknown = existing.remove(id) != nil && values[Field(id: id, name: "id")] != nil
      values = values.filter { $0.key.id != id }
      links = links.filter { $0.key.owner != id && $0.key.member != id }
      orders = orders.filter { $0.key.id != id }
      if !wasUnknown { deleted[id] = object }
    }
  }

  mutating func acknowledge() { self = LocalEdits() }

  /// The first edit that a sync lost, in words; nil when none.
  func loss(_ before: OracleGraph, _ after: OracleGraph) -> String? {
    for id in existing where after.objects[id] == nil { return "\(id) is gone" }
    for (field, value) in values {
      let now = after.objects[field.id]?.attributes[field.name] ?? .null
      if now != value { return "\(field) was \(value) and is \(now)" }
    }
    for (link, isThere) in links {
      guard let owner = after.objects[link.owner],
        let relationship = owner.entity.relationship(named: link.name)
      else {
        if isThere { return "the owner of \(link) is gone" }
        continue
      }
      let isThereNow = after.members(OraclePlace(link.owner, relationship)).contains(link.member)
      if isThereNow != isThere { return "\(link) is \(isThereNow ? "back" : "gone")" }
    }
    for (field, list) in orders {
      guard let owner = after.objects[field.id],
        let relationship = owner.entity.relationship(named: field.name)
      else { continue }
      let place = OraclePlace(field.id, relationship)
      let now = after.members(place).filter(list.contains)
      let then = before.members(place).filter(now.contains)
      if now.filter(then.contains) != then { return "\(field) was put into another order" }
    }
    for object in deleted.values where !object.key.isNull {
      let counts = [before, after].map { graph in
        graph.objects.values.count { $0.entity == object.entity && $0.key == object.key }
      }
      if counts[1] > counts[0] { return "\(object.entity.name) \(object.key) is back" }
    }
    return nil
  }
}

/// Makes random edits of objects in a context, few at a time.
struct RandomEdits {
  let context: ManagedObjectContext
  var generator: SeededGenerator
  /// Whether new objects have a key that no payload has, or none.
  var keysAreFree = false

  /// Edits and saves in a context of its own.
  static func save(in stack: DataStack, seed: UInt64, keysAreFree: Bool = false) throws {
    try stack.inBackground { context in
      var edits = RandomEdits(
        context: context, generator: SeededGenerator(seed: seed), keysAreFree: keysAreFree)
      try edits.run()
    }
  }

  /// Edits and saves; edits that the model forbids are taken back.
  mutating func run() throws {
    for _ in 0..<Int.random(in: 1...4, using: &generator) { try edit() }
    do {
      try context.save()
    } catch is GraphError {
      context.rollback()
    } catch is StoreError {
      context.rollback()
    }
  }

  private mutating func edit() throws {
    let entities = context.model.entities.filter { !$0.isAbstract }
    let entity = generator.pick(entities)
    let objects = try all(entity)
    if objects.isEmpty || generator.chance(20) {
      let object = try context.insert(entityNamed: entity.name)
      if let id = entity.primaryKey, !keysAreFree || !generator.chance(20) {
        object[id.name] = key(id.type)
      }
      return try change(object)
    }
    let object = generator.pick(objects)
    if generator.chance(20) { return context.delete(object) }
    try change(object)
  }

  private mutating func change(_ object: ManagedObject) throws {
    let properties = object.entity.properties.filter { $0.name != object.entity.primaryKey?.name }
    guard !properties.isEmpty else { return }
    switch generator.pick(properties) {
    case .attribute(let attribute):
      if attribute.type == .string { object[attribute.name] = generator.pick(texts) }
    case .relationship(let relationship):
      let objects = try all(object.entity.destination(of: relationship))
      guard !objects.isEmpty else { return }
      if relationship.isToMany {
        let count = Int.random(in: 0...3, using: &generator)
        var members: [ManagedObject] = []
        for _ in 0..<count {
          let member = generator.pick(objects)
          if !members.contains(member) { members.append(member) }
        }
        object[relationship.name] = members
      } else {
        object[relationship.name] = generator.chance(25) ? nil : generator.pick(objects)
      }
    }
  }

  private func all(_ entity: EntityDescription) throws -> [ManagedObject] {
    try context.fetch(Fetch<ManagedObject>(entityNamed: entity.name))
  }

  /// Of those of edits with free keys one is also in payloads, and in a scope.
  private var texts: [String] { keysAreFree ? ["a", "b", "local"] : ["mine", "own"] }

  private mutating func key(_ type: AttributeType) -> Any? {
    let number = Int64.random(in: keysAreFree ? 1_000...1_000_000 : 1...6, using: &generator)
    return switch type {
    case .integer16, .integer32, .integer64: number
    case .string: "\(number)"
    case .date: Date(timeIntervalSinceReferenceDate: Double(number))
    case .decimal: Decimal(number)
    case .double, .float: Double(number)
    default: nil
    }
  }
}
