import Foundation
import SyncStack
import TestSupport

/// Random edits in a context, as an app makes them between two syncs.
struct OracleEdits {
  let seed: UInt64

  func save(in stack: DataStack) throws {
    let seed = seed
    try stack.inBackground { context in
      var random = SeededGenerator(seed: seed)
      for _ in 0..<Int.random(in: 1...4, using: &random) { try edit(context, &random) }
      try context.save()
    }
  }

  private func edit(
    _ context: ManagedObjectContext, _ random: inout SeededGenerator
  ) throws {
    let entity = random.pick(context.model.entities.filter { !$0.isAbstract })
    let objects = try context.fetch(Fetch<ManagedObject>(entityNamed: entity.name))
    guard let object = objects.isEmpty ? nil : random.pick(objects) else {
      return try insert(entity, context, &random)
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0...1: try insert(entity, context, &random)
    case 2: context.delete(object)
    case 3...5:
      guard object.entity.attribute(named: "name") != nil else { return }
      object.setValue(random.pick(["a", "b", "local"]), forKey: "name")
    default: try relink(object, context, &random)
    }
  }

  /// A new object with a key that no other has, or none: repeated keys are another test's.
  private func insert(
    _ entity: EntityDescription, _ context: ManagedObjectContext, _ random: inout SeededGenerator
  ) throws {
    let object = try context.insert(entityNamed: entity.name)
    guard let key = entity.primaryKey, !random.chance(20) else { return }
    let number = Int64.random(in: 1_000...1_000_000, using: &random)
    let value: Any? =
      switch key.type {
      case .integer16, .integer32, .integer64: number
      case .string: String(number)
      case .date: Date(timeIntervalSinceReferenceDate: Double(number))
      case .decimal: Decimal(number)
      case .double, .float: Double(number)
      default: nil
      }
    object.setValue(value, forKey: key.name)
  }

  private func relink(
    _ object: ManagedObject, _ context: ManagedObjectContext, _ random: inout SeededGenerator
  ) throws {
    guard !object.entity.relationships.isEmpty else { return }
    let relationship = random.pick(object.entity.relationships)
    let destination = object.entity.destination(of: relationship)
    let others = try context.fetch(Fetch<ManagedObject>(entityNamed: destination.name))
    if relationship.isToMany {
      object.setValue(others.filter { _ in random.chance(30) }, forKey: relationship.name)
    } else {
      let other = others.isEmpty || random.chance(30) ? nil : random.pick(others)
      object.setValue(other, forKey: relationship.name)
    }
  }
}
