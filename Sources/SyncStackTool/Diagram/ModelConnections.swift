import SyncStack

/// The lines between the entities of a model: a relationship and its inverse are one line.
struct ModelConnection: Sendable, Hashable {
  /// Indexes of the entities at both ends in the model.
  let source: Int
  let destination: Int
  /// Name of the relationship, and of its inverse when there is one.
  let name: String
  let inverseName: String?
  /// Whether there are many objects at the destination, and at the source.
  let isToMany: Bool
  let isInverseToMany: Bool

  /// The text at the line.
  var label: String { inverseName.map { "\(name) / \($0)" } ?? name }

  /// The connections of a model, in the order in which it declares them. Inherited relationships
  /// belong to the entity that declares them.
  static func all(in model: ManagedObjectModel) -> [ModelConnection] {
    var result: [ModelConnection] = []
    for entity in model.entities {
      for relationship in entity.relationships where relationship.declaringIndex == entity.index {
        let inverse = entity.inverse(of: relationship)
        let isOwnInverse =
          inverse?.name == relationship.name && relationship.destinationIndex == entity.index
        let isSecondSide = result.contains {
          $0.destination == entity.index && $0.source == relationship.destinationIndex
            && $0.inverseName == relationship.name && $0.name == relationship.inverseName
        }
        guard !isSecondSide else { continue }
        result.append(
          ModelConnection(
            source: entity.index, destination: relationship.destinationIndex,
            name: relationship.name, inverseName: isOwnInverse ? nil : relationship.inverseName,
            isToMany: relationship.isToMany,
            isInverseToMany: inverse?.isToMany ?? false))
      }
    }
    return result
  }
}

extension EntityDescription {
  /// The attributes that the entity itself declares.
  var ownAttributes: [AttributeDescription] {
    let inherited = superentity?.properties.count ?? 0
    return properties.dropFirst(inherited).compactMap(\.attribute)
  }
}
