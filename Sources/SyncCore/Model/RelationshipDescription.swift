/// One relationship of an entity.
///
/// Where it is stored follows from its kind:
///
/// | kind | stored as |
/// |---|---|
/// | to-one | column with the row number of the destination |
/// | to-many with a to-one inverse | nothing of its own: the inverse's column; ordered: a position beside it |
/// | to-many with a to-many inverse, or without inverse | link table; ordered: a position in it |
public struct RelationshipDescription: Sendable {
  public let name: String
  package var slot: Int
  public package(set) var isOptional: Bool
  public let isTransient: Bool
  public let isToMany: Bool
  public let isOrdered: Bool

  /// Least number of objects when there are any; 0 is no limit.
  public let minCount: Int

  /// Largest number of objects of a to-many; 0 is no limit.
  public let maxCount: Int
  public let deleteRule: DeleteRule

  /// Index of the destination in the model's entities.
  package var destinationIndex: Int
  public let destinationName: String
  public let inverseName: String?

  /// Slot of the inverse in the destination entity; nil when there is no inverse.
  package var inverseSlot: Int?

  /// Whether the inverse is a to-many relationship.
  package var isInverseToMany: Bool

  /// Index of the entity that declares the relationship (a superentity when it is inherited).
  package var declaringIndex: Int
  public let userInfo: [String: String]
  public let renamingIdentifier: String?

  package init(
    name: String, slot: Int = 0, isOptional: Bool = true, isTransient: Bool = false,
    isToMany: Bool, isOrdered: Bool = false, minCount: Int = 0, maxCount: Int = 0,
    deleteRule: DeleteRule = .nullify, destinationIndex: Int = 0, destinationName: String,
    inverseName: String?, inverseSlot: Int? = nil, isInverseToMany: Bool = false,
    declaringIndex: Int = 0, userInfo: [String: String] = [:], renamingIdentifier: String? = nil
  ) {
    self.name = name
    self.slot = slot
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.isToMany = isToMany
    self.isOrdered = isOrdered
    self.minCount = minCount
    self.maxCount = maxCount
    self.deleteRule = deleteRule
    self.destinationIndex = destinationIndex
    self.destinationName = destinationName
    self.inverseName = inverseName
    self.inverseSlot = inverseSlot
    self.isInverseToMany = isInverseToMany
    self.declaringIndex = declaringIndex
    self.userInfo = userInfo
    self.renamingIdentifier = renamingIdentifier
  }

  /// Whether it may lead nowhere. A list may be empty unless the model gives a minimum: documents
  /// that leave `optional` out of one do not mean that an owner without members is wrong.
  package var mayBeEmpty: Bool { isOptional || (isToMany && minCount == 0) }

  /// How the relationship is kept in the store.
  package var kind: RelationshipKind {
    guard isToMany else { return .toOne }
    return inverseSlot != nil && !isInverseToMany ? .oneToMany : .manyToMany
  }

  /// Whether it leads to one object, and that leads back to one.
  package var isOneToOne: Bool { !isToMany && inverseSlot != nil && !isInverseToMany }
}

package enum RelationshipKind: Sendable, Hashable {
  /// Column in the own row.
  case toOne
  /// Column of the inverse in the destination's row.
  case oneToMany
  /// Link table: the inverse is to-many, or there is none.
  case manyToMany
}

/// What happens to the objects of a relationship when their owner is deleted.
public enum DeleteRule: String, Sendable, Hashable, CaseIterable {
  /// Nothing: the other side may keep pointing nowhere.
  case noAction = "No Action"
  /// The other side forgets the owner.
  case nullify = "Nullify"
  /// They are deleted too.
  case cascade = "Cascade"
  /// The owner cannot be deleted as long as there are any.
  case deny = "Deny"
}

extension EntityDescription {
  /// The entity at the other end of the relationship.
  public func destination(of relationship: RelationshipDescription) -> EntityDescription {
    EntityDescription(model: model, index: relationship.destinationIndex)
  }

  /// The relationship that leads back, or nil when there is none.
  public func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
    relationship.inverseSlot.flatMap {
      destination(of: relationship).properties[$0].relationship
    }
  }
}
