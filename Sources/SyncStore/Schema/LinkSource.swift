import SyncCore

/// An old relationship that the links of a new one come from, seen from the side of the new owner.
///
/// A relationship and its inverse are one set of pairs. So each is known by the side that was
/// declared first; `isReversed` says that the owners of the new relationship are at its other end.
struct LinkSource: Hashable {
  let entity: Int
  let slot: Int
  let isReversed: Bool

  /// - Parameter ownsOldSide: whether the owner of the new relationship owned the old one; false
  ///   when the inverse of the new one did.
  init(_ relationship: RelationshipDescription, in entity: EntityDescription, ownsOldSide: Bool) {
    let near = PropertyKey(entity: relationship.declaringIndex, slot: relationship.slot)
    let inverse = entity.inverse(of: relationship)
    let far = inverse.map { PropertyKey(entity: $0.declaringIndex, slot: $0.slot) } ?? near
    let isFirst = (near.entity, near.slot) <= (far.entity, far.slot)
    let key = isFirst ? near : far
    self.entity = key.entity
    slot = key.slot
    isReversed = near == far && inverse != nil ? false : isFirst != ownsOldSide
  }
}

/// Where the links of one new relationship come from.
struct LinkSources {
  /// From relationships that the same owners had.
  var near: [LinkSource] = []

  /// From inverses alone: the relationship is new, or another one, and its inverse is not.
  var far: [LinkSource] = []

  /// Relationships of both ends that were not inverse to each other.
  var isContradictory: Bool = false

  var all: [LinkSource] { near + far }

  init(of relationship: RelationshipDescription, _ match: ModelMatch) {
    let owner = match.newEntities[relationship.declaringIndex]
    near = LinkSources.found(relationship.slot, below: owner, match, ownsOldSide: true)
    guard let inverse = owner.inverse(of: relationship) else { return }
    let declaring = match.newEntities[inverse.declaringIndex]
    let others = LinkSources.found(inverse.slot, below: declaring, match, ownsOldSide: false)
    far = others.filter { !near.contains($0) }
    isContradictory = !near.isEmpty && !others.isEmpty && far.count == others.count
  }

  private static func found(
    _ slot: Int, below entity: EntityDescription, _ match: ModelMatch, ownsOldSide: Bool
  ) -> [LinkSource] {
    var result: [LinkSource] = []
    for member in entity.familyEntities {
      guard let source = match.source(of: member),
        let old = match.source(of: slot, in: member)?.relationship
      else { continue }
      let link = LinkSource(old, in: source, ownsOldSide: ownsOldSide)
      if !result.contains(link) { result.append(link) }
    }
    return result
  }
}
