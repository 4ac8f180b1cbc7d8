import SyncCore
import SyncStore

extension ManagedObject {
  /// Makes the other sides of unsaved to-one values say the same as these; see
  /// ``ManagedObjectContext/settle()``.
  final func settleDestinations() {
    guard !isFault else { return }
    for relationship in home.shape.relationships where !relationship.isToMany {
      guard isInserted || changed.contains(relationship.slot) else { continue }
      let target = destination(relationship.ordinal)
      if target == nil, !row.isNull(relationship.slot) { point(relationship, to: nil) }
      guard let inverseSlot = relationship.inverseSlot else { continue }
      let former = committedDestination(relationship.ordinal)
      if relationship.isInverseToMany {
        if let former, former !== target { former.settleMember(self, inverseSlot, isMember: false) }
        target?.settleMember(self, inverseSlot, isMember: true)
      } else {
        settlePartner(target, former, relationship, inverseSlot)
      }
    }
  }

  /// Brings a list in line with a member's value.
  private func settleMember(_ member: ManagedObject, _ slot: Int, isMember: Bool) {
    guard !isKnownDeleted, let list = changeableList(slot),
      !list.isInLine(with: member, isMember: isMember)
    else { return }
    if isMember { list.add(member) } else { list.remove(member) }
    noteListChange(slot)
  }

  /// Makes objects that lead to the partner, or that it led to before, let go.
  private func settlePartner(
    _ partner: ManagedObject?, _ former: ManagedObject?, _ relationship: RelationshipShape,
    _ inverseSlot: Int
  ) {
    if let former, former !== partner, !former.isKnownDeleted,
      let back = former.home.shape.relationship(at: inverseSlot),
      former.destination(back.ordinal) === self
    {
      former.point(back, to: nil)
    }
    guard let partner, let back = partner.home.shape.relationship(at: inverseSlot) else { return }
    let rival = partner.destination(back.ordinal)
    guard rival !== self else { return }
    if let rival, rival.destination(relationship.ordinal) === partner {
      rival.point(relationship, to: nil)
    }
    partner.point(back, to: self)
  }

  /// Forgets unsaved changes of lists that have no reason any more.
  final func settleLists() {
    for (ordinal, link) in links.enumerated() {
      guard let list = link as? MemberList else { continue }
      let relationship = home.shape.relationships[ordinal]
      let isNoted = list.hasChanges || changed.contains(relationship.slot) && !flags.contains(.lost)
      settle(list, relationship)
      if isNoted, !list.hasChanges { noteListChange(relationship.slot) }
    }
  }

  /// Gives a list the members that were found, without those that say something else here.
  final func load(_ relationship: RelationshipShape, _ found: [ManagedObject]) {
    let list = list(relationship.ordinal)
    settle(list, relationship)
    let moot = list.dropMoot(found)
    if relationship.kind == .manyToMany, let inverseSlot = relationship.inverseSlot {
      // An unsaved pair is one fact: it is forgotten on both sides.
      for member in moot { member.list(atSlot: inverseSlot)?.forget(self) }
    }
    let members = found.filter { !isLeftOut($0, relationship) }
    list.load(members, isPartial: members.count < found.count)
  }

  private func isLeftOut(_ member: ManagedObject, _ relationship: RelationshipShape) -> Bool {
    guard let inverseSlot = relationship.inverseSlot else { return member.isKnownDeleted }
    if member.isKnownDeleted {
      let rule = member.home.shape.relationship(at: inverseSlot)?.deleteRule
      return rule == .nullify || rule == .cascade
    }
    return !relationship.isInverseToMany && isMember(member, inverseSlot) == false
  }

  private func settle(_ list: MemberList, _ relationship: RelationshipShape) {
    guard let inverseSlot = relationship.inverseSlot, !relationship.isInverseToMany else {
      return list.settle { list.added[ObjectIdentifier($0)] != nil }
    }
    list.settle { isMember($0, inverseSlot) }
  }

  /// Whether the unsaved value of an object that this side has leads elsewhere. A block may read
  /// this side after others have changed it, and has set the value before.
  final func leadsElsewhere(_ object: ManagedObject, _ inverseSlot: Int) -> Bool {
    !object.isKnownDeleted && isMember(object, inverseSlot) == false
  }

  /// Whether an object says that it is a member here; nil when it has no unsaved value that says
  /// it.
  private func isMember(_ member: ManagedObject, _ inverseSlot: Int) -> Bool? {
    if member.isKnownDeleted { return false }
    guard !member.isFault, member.isInserted || member.changed.contains(inverseSlot) else {
      return nil
    }
    return member.row[inverseSlot] == .int(rowNumber)
  }

  /// Lets go of relationships of an object that was deleted elsewhere and is kept for its unsaved
  /// values: the deletion did so too.
  final func loosenLost() {
    for relationship in home.shape.relationships {
      owner?.noteForChildren(self, relationship.slot)
      if relationship.isToMany {
        (link(relationship.ordinal) as? MemberList)?.unload()
        continue
      }
      if !committed.isNone { committed[relationship.slot] = .null }
      if !changed.contains(relationship.slot) {
        row[relationship.slot] = .null
        setLink(relationship.ordinal, nil)
      }
    }
  }

  // MARK: - After a save

  /// Makes the other sides follow the to-one values that a save took from the store, instead of
  /// those that were edited here.
  ///
  /// - Parameter edited: the row as it was edited.
  final func realign(from edited: RowValues) {
    guard let owner, !isFault, !edited.isNone else { return }
    for relationship in home.shape.relationships where !relationship.isToMany {
      let slot = relationship.slot
      guard let inverseSlot = relationship.inverseSlot, edited[slot] != row[slot] else { continue }
      for case .int(let target) in [edited[slot], row[slot]] {
        guard
          let other = owner.identities.object(root: relationship.destinationRoot, row: target),
          let back = other.home.shape.relationship(at: inverseSlot)
        else { continue }
        other.tellObservers(inverseSlot)
        if back.isToMany {
          (other.link(back.ordinal) as? MemberList)?.unload()
        } else {
          realignPartner(other, relationship, back)
        }
      }
    }
  }

  /// Brings a partner that was not saved here in line with this side.
  private func realignPartner(
    _ other: ManagedObject, _ relationship: RelationshipShape, _ back: RelationshipShape
  ) {
    guard !other.isFault else { return }
    let isPartner = row[relationship.slot] == .int(other.rowNumber)
    guard isPartner != (other.row[back.slot] == .int(rowNumber)) else { return }
    if isPartner, case .int(let former) = other.row[back.slot],
      let rival = owner?.identities.object(root: root, row: former), !rival.isFault,
      rival.row[relationship.slot] == .int(other.rowNumber)
    {
      rival.row[relationship.slot] = .null
      rival.setLink(relationship.ordinal, nil)
    }
    other.row[back.slot] = isPartner ? .int(rowNumber) : .null
    other.setLink(back.ordinal, nil)
  }

  /// Deletes the object in its context, as ``ManagedObjectContext/delete(_:)`` does. Nothing
  /// happens when it has no context any more, or was deleted before.
  public final func delete() {
    checkAccess()
    guard let owner, !isKnownDeleted else { return }
    owner.delete(self)
  }
}
