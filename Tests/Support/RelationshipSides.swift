import SyncCore
package import SyncGraph

/// The two sides of every relationship of an object, asked for themselves.
package enum RelationshipSides {
  /// A relationship that says something else than its inverse.
  package struct Disagreement: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
  }

  /// The objects that a relationship leads to, in certain order.
  package static func targets(_ object: ManagedObject, _ name: String) -> [ManagedObject] {
    object.entity.relationship(named: name).map { object.currentObjects(at: $0.slot) } ?? []
  }

  /// Looks at all objects that a context finds.
  ///
  /// - Throws: ``Disagreement`` that names both objects.
  package static func check(_ context: ManagedObjectContext, _ moment: String = "") throws {
    for entity in context.model.entities where entity.superentity == nil {
      for object in try context.fetch(Fetch<ManagedObject>(entityNamed: entity.name)) {
        try check(object, moment)
      }
    }
  }

  /// Looks at the relationships of an object that have an inverse.
  ///
  /// - Throws: ``Disagreement`` that names both objects.
  package static func check(_ object: ManagedObject, _ moment: String = "") throws {
    for relationship in object.entity.relationships {
      guard let inverse = object.entity.inverse(of: relationship) else { continue }
      for target in targets(object, relationship.name) {
        if target.isDeleted || target.managedObjectContext == nil {
          throw Disagreement("\(object).\(relationship.name) leads to \(target), \(moment)")
        }
        let others = targets(target, inverse.name)
        if !others.contains(object) {
          throw Disagreement(
            """
            \(object).\(relationship.name) has \(target), whose \(inverse.name) is \(others), \
            \(moment)
            """)
        }
      }
    }
  }
}
