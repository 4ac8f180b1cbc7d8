import SyncStack
import TestSupport

/// The objects of a context as text: by their keys, or by their identifiers.
enum PairPicture {
  /// All objects, one a line, without what differs between two stores of the same content.
  static func lines(_ context: ManagedObjectContext, _ shape: PairShape) throws -> [String] {
    try all(context).compactMap { object in
      if let mention = shape.mentions[object.entity.rootName],
        RelationshipSides.targets(object, mention).isEmpty
      {
        return nil
      }
      let parts = object.entity.relationships.map { relationship in
        let targets = RelationshipSides.targets(object, relationship.name)
          .map { name($0, shape) }
        return "\(relationship.name)=\(relationship.isOrdered ? targets : targets.sorted())"
      }
      return "\(name(object, shape)): \(values(object)) \(parts.joined(separator: " "))"
    }.sorted()
  }

  /// How the lines of two pictures differ; nil when they do not.
  static func difference(_ left: [String], _ right: [String]) -> String? {
    guard left != right else { return nil }
    let (first, second) = (Set(left), Set(right))
    return """
        here \(first.subtracting(second).sorted().joined(separator: "\n       "))
        there \(second.subtracting(first).sorted().joined(separator: "\n        "))
      """
  }

  /// One object of a store at one time.
  struct Shot: Sendable, Equatable {
    let entity: String
    let values: String
    let links: String
  }

  /// All objects by identifier.
  static func shots(_ context: ManagedObjectContext) throws -> [ManagedObjectID: Shot] {
    var result: [ManagedObjectID: Shot] = [:]
    for object in try all(context) {
      let links = object.entity.relationships.map { relationship in
        let targets = RelationshipSides.targets(object, relationship.name)
          .map { "\($0.objectID)" }
        return "\(relationship.name)=\(relationship.isOrdered ? targets : targets.sorted())"
      }
      result[object.objectID] = Shot(
        entity: object.entity.name, values: values(object),
        links: links.joined(separator: " "))
    }
    return result
  }

  /// All objects of a context.
  static func all(_ context: ManagedObjectContext) throws -> [ManagedObject] {
    try context.model.entities.filter { $0.superentity == nil }.flatMap {
      try context.fetch(Fetch<ManagedObject>(entityNamed: $0.name))
    }
  }

  /// The values of an object.
  static func values(_ object: ManagedObject) -> String {
    object.entity.attributes.map { "\($0.name)=\(object.storedValue(forKey: $0.name))" }.sorted()
      .joined(separator: " ")
  }

  private static func name(_ object: ManagedObject, _ shape: PairShape) -> String {
    let root = object.entity.rootName
    let owner = shape.owners[root].flatMap { RelationshipSides.targets(object, $0).first }
    let keys = ["id", "day"].filter { object.entity.attribute(named: $0) != nil }
      .map { "\(object.storedValue(forKey: $0))" }
    return object.entity.name + " "
      + (keys.isEmpty ? values(object) : keys.joined(separator: "/"))
      + (owner.map { " of \(name($0, shape))" } ?? "")
  }
}

extension EntityDescription {
  /// The name of the entity that has no superentity.
  var rootName: String { superentity?.rootName ?? name }
}
