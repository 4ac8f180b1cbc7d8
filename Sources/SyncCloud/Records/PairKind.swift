import SyncCore
import SyncStore

/// A many-to-many relationship, whose pairs are records of their own. Of the two directions the one
/// whose name comes first stands for both.
struct PairKind: Sendable {
  /// Declaring entity and name, or their renaming identifiers: `Note.tags`.
  let name: String
  let entity: EntityDescription
  let relationship: RelationshipDescription

  var destination: EntityDescription { entity.destination(of: relationship) }

  /// Whether it leads back to itself, so that its ends have no order.
  var isSymmetric: Bool {
    relationship.inverseSlot == relationship.slot && destination.rootIndex == entity.rootIndex
  }

  /// The pair of two records.
  func pair(_ first: String, _ second: String) -> RemotePair {
    let (first, second) = isSymmetric && second < first ? (second, first) : (first, second)
    return RemotePair(
      name: RecordName.hash("\(name)\u{0}\(first)\u{0}\(second)"), relationship: name, first: first,
      second: second)
  }

  /// One direction of a relationship, as objects of an entity have it.
  struct Side: Sendable {
    let kind: PairKind
    let relationship: RelationshipDescription
    let isFirst: Bool
  }

  /// The name by which all machines know a relationship: a renamed one keeps the one before, as
  /// long as the model has its renaming identifier.
  static func name(of relationship: RelationshipDescription, in model: ManagedObjectModel) -> String
  {
    let entity = model.entities[relationship.declaringIndex]
    return "\(entity.renamingIdentifier ?? entity.name)."
      + (relationship.renamingIdentifier ?? relationship.name)
  }

  /// The sides that an entity has; relationships out of the scope, and masked ones, do not travel.
  static func sides(
    of entity: EntityDescription, in model: ManagedObjectModel, travels: (EntityDescription) -> Bool
  ) throws(CloudError) -> [Side] {
    var result: [Side] = []
    for relationship in entity.relationships
    where relationship.kind == .manyToMany && !relationship.isTransient {
      let destination = entity.destination(of: relationship)
      guard travels(destination) else { continue }
      let inverse = entity.inverse(of: relationship)
      let mine = name(of: relationship, in: model)
      let theirs = inverse.map { name(of: $0, in: model) } ?? mine
      let isFirst = mine <= theirs
      let owner = model.entities[
        isFirst ? relationship.declaringIndex : inverse?.declaringIndex ?? 0]
      let leading = owner.properties[isFirst ? relationship.slot : inverse?.slot ?? 0]
      guard let first = leading.relationship else { continue }
      var isMasked = false
      for (each, property) in [(entity, entity.properties[relationship.slot]), (owner, leading)] {
        let mask = try CloudAnnotations.mask(of: property, in: each)
        isMasked = isMasked || mask.upload || mask.download
      }
      if isMasked { continue }
      let kind = PairKind(name: min(mine, theirs), entity: owner, relationship: first)
      result.append(Side(kind: kind, relationship: relationship, isFirst: isFirst))
    }
    return result
  }
}
