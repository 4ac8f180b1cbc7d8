import SyncCore
import SyncStore

/// Which links of many-to-many relationships were edited here. A link is one fact, whichever of its
/// two objects is asked.
extension UnsentEdits {
  /// A list over a link table, for all objects of an entity.
  struct EditedRelationship: Hashable {
    let root: Int
    let slot: Int
  }

  /// Whether a link may neither be made nor taken away.
  ///
  /// - Parameter isThere: Whether the objects are linked now.
  func protectsLink(
    _ relationship: RelationshipDescription, of entity: EntityDescription, owner: Int64,
    member: Int64, isThere: Bool
  ) -> Bool {
    if isEdited(relationship.slot, of: owner, entity, member, isThere) { return true }
    guard let inverse = relationship.inverseSlot else { return false }
    return isEdited(inverse, of: member, entity.destination(of: relationship), owner, isThere)
  }

  /// Whether links may be protected of owners whose list was not edited, because their members
  /// know of it.
  func areMembersEdited(
    _ relationship: RelationshipDescription, of entity: EntityDescription
  ) -> Bool {
    guard let inverse = relationship.inverseSlot else { return false }
    let root = entity.destination(of: relationship).rootIndex
    let known = editedLists ?? readEditedLists()
    editedLists = known
    return known.contains(EditedRelationship(root: root, slot: inverse))
  }

  private func readEditedLists() -> Set<EditedRelationship> {
    var result: Set<EditedRelationship> = []
    for edit in edits {
      let entity = edit.id.entity
      for relationship in entity.relationships
      where relationship.kind == .manyToMany
        && (edit.kind == .insert || edit.slots.contains(relationship.slot))
      {
        result.insert(EditedRelationship(root: entity.rootIndex, slot: relationship.slot))
      }
    }
    return result
  }

  private func isEdited(
    _ slot: Int, of row: Int64, _ entity: EntityDescription, _ member: Int64, _ isThere: Bool
  ) -> Bool {
    guard let edit = edit(row, of: entity) else { return false }
    // Links of a new object were made here.
    if edit.kind == .insert { return isThere }
    guard edit.slots.contains(slot), let list = edit.id.entity.properties[slot].relationship else {
      return false
    }
    let known = lists[edit.id]?[slot] ?? edit.base[list: list]
    lists[edit.id, default: [:]][slot] = known
    return known.isEdited(member)
  }
}

extension UnsentEdits {
  /// Whether a reference that found its object late leads from or to a relationship edited here;
  /// notes it then.
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
        protectsLink(
          relationship, of: owner.entity, owner: owner.row, member: target, isThere: false)
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
