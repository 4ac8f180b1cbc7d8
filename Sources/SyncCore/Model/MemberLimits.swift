/// How many objects a to-many relationship of the model may lead to.
package struct MemberLimits: Sendable {
  package let minimum: Int
  package let maximum: Int
  private let mayBeEmpty: Bool

  /// - Returns: Nil when any number will do.
  fileprivate init?(_ relationship: RelationshipDescription) {
    guard relationship.isToMany, !relationship.isTransient else { return nil }
    mayBeEmpty = relationship.mayBeEmpty
    minimum = relationship.minCount
    maximum = relationship.maxCount > 0 ? relationship.maxCount : .max
    if minimum == 0, maximum == .max { return nil }
  }

  package func allows(_ count: Int) -> Bool {
    count == 0 ? mayBeEmpty : (minimum...maximum).contains(count)
  }
}

extension RelationshipDescription {
  /// How many objects it may lead to; nil for a to-one relationship, and where any number will do.
  package var memberLimits: MemberLimits? { MemberLimits(self) }

  /// Whether the model limits how many objects it leads to: a list with limits, and a to-one
  /// relationship that is required, which leads to one.
  var isLimited: Bool {
    memberLimits != nil || isRequiredToOne && !isTransient
  }
}
