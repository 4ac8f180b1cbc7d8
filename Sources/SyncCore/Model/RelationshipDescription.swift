/// One relationship of an entity.
///
/// Where it is stored follows from its kind:
///
/// | kind | stored as |
/// |---|---|
/// | to-one | column with the row number of the destination |
/// | to-many with a to-one inverse | nothing of its own: the inverse's column; ordered: a position beside it |
/// | to-many with a to-many inverse, or without inverse | link table; ordered: a position in it |
///
/// A ``PropertyDraft`` holds one as it is declared; `ModelBuilder` checks it, gives it its slot
/// and finds the other end.
public struct RelationshipDescription: Sendable {
  /// Its name in the model.
  public package(set) var name: String
  package var slot = 0
  /// Whether an object can be saved when it leads to nothing.
  public package(set) var isOptional: Bool
  /// Whether it lives in objects only and is never stored.
  public package(set) var isTransient: Bool
  /// Whether it leads to any number of objects.
  public let isToMany: Bool
  /// Whether the order of a to-many counts.
  public package(set) var isOrdered: Bool

  /// Least number of objects when there are any; 0 is no limit.
  public package(set) var minCount: Int

  /// Largest number of objects of a to-many; 0 is no limit.
  public package(set) var maxCount: Int
  /// The fate of the objects that it leads to when its own is deleted.
  public package(set) var deleteRule: DeleteRule

  /// Index of the destination in the model's entities.
  package var destinationIndex = 0
  /// Name of the entity that it leads to.
  public let destinationName: String
  /// Name of the relationship that leads back; nil when none does.
  public package(set) var inverseName: String?

  /// Slot of the inverse in the destination entity; nil when there is no inverse.
  package var inverseSlot: Int?

  /// Whether the inverse is a to-many relationship.
  package var isInverseToMany = false

  /// Index of the entity that declares the relationship (a superentity when it is inherited).
  package var declaringIndex = 0
  /// Annotations of the model, as `sync.remoteKey`.
  public package(set) var userInfo: [String: String]
  /// Its name in an earlier version of the model, by which a migration finds it; nil when it is the
  /// same.
  public package(set) var renamingIdentifier: String?

  package init(
    _ name: String, to destination: String, inverse: String?, isToMany: Bool,
    isOrdered: Bool = false, isOptional: Bool = true, isTransient: Bool = false,
    minCount: Int = 0, maxCount: Int = 0, deleteRule: DeleteRule = .nullify,
    userInfo: [String: String] = [:], renamingIdentifier: String? = nil
  ) {
    self.name = name
    destinationName = destination
    inverseName = inverse
    self.isToMany = isToMany
    self.isOrdered = isOrdered
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.minCount = minCount
    self.maxCount = maxCount
    self.deleteRule = deleteRule
    self.userInfo = userInfo
    self.renamingIdentifier = renamingIdentifier
  }

  /// Whether it may lead nowhere. A list may be empty unless the model gives a minimum: documents
  /// that leave `optional` out of one do not mean that an owner without members is wrong.
  package var mayBeEmpty: Bool { isOptional || (isToMany && minCount == 0) }

  /// Whether it leads to exactly one object.
  package var isRequiredToOne: Bool { !isToMany && !isOptional }

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

/// The fate of the objects of a relationship when their owner is deleted.
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
