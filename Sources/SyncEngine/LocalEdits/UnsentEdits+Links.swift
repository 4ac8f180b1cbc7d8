import SyncCore
import SyncStore

extension UnsentEdits {
  /// Whether a reference that found its object late leads from or to what was edited here; notes it
  /// then.
  func protectsLink(
    _ reference: UnresolvedReference, to target: Int64, of entity: EntityDescription
  ) -> Bool {
    let relationship = reference.relationship
    let owner = reference.owner
    let inverse = relationship.inverseSlot
    let ownerIsEdited = protects(relationship.slot, of: owner.row, owner.entity)
    let targetIsEdited = inverse.map { protects($0, of: target, entity) } ?? false
    let isProtected =
      switch relationship.kind {
      case .toOne where inverse != nil && !relationship.isInverseToMany:
        ownerIsEdited || targetIsEdited
      case .toOne: ownerIsEdited
      case .oneToMany: targetIsEdited
      case .manyToMany:
        protectsPair(relationship, of: owner.entity, owner: owner.row, member: target)
      }
    guard isProtected else { return false }
    if relationship.kind == .oneToMany, let inverse {
      withhold([inverse], of: target, entity)
    } else {
      withhold([relationship.slot], of: owner.row, owner.entity)
    }
    return true
  }
}
