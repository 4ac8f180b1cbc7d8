import SyncCore
import SyncStore

/// Relationships, by ordinal. Setting one side sets the other at once, in memory.
///
/// Every change comes down to two primitive steps that keep a pair of sides equal:
/// ``setDestination(_:_:)`` for a to-one side, ``addMember(_:_:at:)`` and ``removeMember(_:_:)``
/// for a to-many side. Each calls the raw step (`write`, `MemberList.add`, `MemberList.remove`) on
/// both sides and never itself through the inverse, so there is no recursion to end.
extension ManagedObject {
  // MARK: - To-one

  /// The object that a to-one relationship leads to.
  final func destination(_ ordinal: Int) -> ManagedObject? {
    let relationship = home.shape.relationships[ordinal]
    guard case .int(let target) = value(at: relationship.slot), !flags.contains(.gone) else {
      return nil
    }
    var found = link(ordinal) as? ManagedObject
    // In a child context a deleted object comes back when the parent rolls back, as a new object.
    let isStale = found?.flags.contains(.gone) == true && owner?.parent != nil
    if found?.rowNumber != target || isStale {
      found = owner?.resolve(relationship, target, of: self)
    }
    // This side was not told when it happened: there is no inverse to find it by.
    if let found, found.isKnownDeleted, relationship.inverseSlot == nil { return nil }
    return found.flatMap { $0.flags.contains(.gone) ? nil : $0 }
  }

  /// The object a to-one relationship led to when last read or saved.
  final func committedDestination(_ ordinal: Int) -> ManagedObject? {
    let relationship = home.shape.relationships[ordinal]
    guard !isInserted, case .int(let target) = committedValue(at: relationship.slot) else {
      return nil
    }
    return owner?.resolve(relationship, target, of: nil)
  }

  /// Sets a to-one relationship and the other side of it.
  final func setDestination(_ ordinal: Int, _ newValue: ManagedObject?) {
    changing {
      guard prepareForChange(), newValue?.isUsable != false else { return }
      let relationship = home.shape.relationships[ordinal]
      check(newValue, for: relationship)
      let old = destination(ordinal)
      guard old !== newValue else {
        // The row may name an object that is gone.
        if newValue == nil { point(relationship, to: nil) }
        return
      }
      guard let inverseSlot = relationship.inverseSlot else {
        return point(relationship, to: newValue)
      }
      if relationship.isInverseToMany {
        old?.changeableList(inverseSlot)?.remove(self)
        old?.noteListChange(inverseSlot)
        point(relationship, to: newValue)
        newValue?.changeableList(inverseSlot)?.add(self)
        newValue?.noteListChange(inverseSlot)
      } else {
        setPartner(old, newValue, relationship, inverseSlot)
      }
    }
  }

  /// Sets a one-to-one relationship: up to four objects change.
  private func setPartner(
    _ old: ManagedObject?, _ new: ManagedObject?, _ relationship: RelationshipShape,
    _ inverseSlot: Int
  ) {
    if let old, !leadsElsewhere(old, inverseSlot),
      let back = old.binding.shape.relationship(at: inverseSlot)
    {
      old.point(back, to: nil)
    }
    guard let new, let back = new.binding.shape.relationship(at: inverseSlot) else {
      return point(relationship, to: nil)
    }
    if let former = new.destination(back.ordinal), former !== self {
      former.point(relationship, to: nil)
    }
    point(relationship, to: new)
    new.point(back, to: self)
  }

  /// Sets one side only: the column and the link.
  final func point(_ relationship: RelationshipShape, to target: ManagedObject?) {
    write(relationship.slot, target.map { .int($0.rowNumber) } ?? .null)
    setLink(relationship.ordinal, target)
  }

  // MARK: - To-many

  /// The members of a to-many relationship, in order when it has one.
  final func members(_ ordinal: Int) -> [ManagedObject] {
    loadedList(ordinal).objects
  }

  /// The members a to-many relationship had when last read or saved.
  final func committedMembers(_ ordinal: Int) -> [ManagedObject] {
    guard !isInserted else { return [] }
    let list = loadedList(ordinal)
    return list.objects.filter { list.added[ObjectIdentifier($0)] == nil }
      + list.removed.values.sorted(on: \.rowNumber)
  }

  /// Sets the members of a to-many relationship and the other side of each that comes or goes.
  ///
  /// - Complexity: O(*n* + *m*) in old and new members.
  final func setMembers(_ ordinal: Int, _ newValue: [ManagedObject]) {
    changing {
      guard prepareForChange() else { return }
      let relationship = home.shape.relationships[ordinal]
      let list = loadedList(ordinal)
      var wanted: Set<ObjectIdentifier> = []
      let members = newValue.filter { $0.isUsable && wanted.insert(ObjectIdentifier($0)).inserted }
      for member in members { check(member, for: relationship) }
      for member in list.objects where !wanted.contains(ObjectIdentifier(member)) {
        unlink(relationship, list, member)
      }
      for member in members where !list.contains(member) { link(relationship, list, member) }
      if list.isOrdered, !list.objects.elementsEqual(members, by: ===) {
        list.reorder(members)
        noteListChange(relationship.slot)
      }
    }
  }

  /// Adds a member, at the end or at a position, and sets its other side. Members stay as they are.
  final func addMember(_ ordinal: Int, _ member: ManagedObject, at index: Int? = nil) {
    changing {
      guard prepareForChange(), member.isUsable else { return }
      let relationship = home.shape.relationships[ordinal]
      check(member, for: relationship)
      let list = loadedList(ordinal)
      guard !list.contains(member) else { return }
      link(relationship, list, member, at: index)
    }
  }

  /// Removes a member and clears its other side. Others stay as they are.
  final func removeMember(_ ordinal: Int, _ member: ManagedObject) {
    changing {
      guard prepareForChange() else { return }
      let list = loadedList(ordinal)
      guard list.contains(member) else { return }
      unlink(home.shape.relationships[ordinal], list, member)
    }
  }

  private func link(
    _ relationship: RelationshipShape, _ list: MemberList, _ member: ManagedObject,
    at index: Int? = nil
  ) {
    guard member.prepareForChange() else { return }
    if let inverseSlot = relationship.inverseSlot,
      let back = member.binding.shape.relationship(at: inverseSlot)
    {
      if back.isToMany {
        if !(member === self && back.ordinal == relationship.ordinal) {
          member.pairedList(back.ordinal).add(self)
          member.noteListChange(inverseSlot)
        }
      } else {
        let former = member.destination(back.ordinal)
        former?.changeableList(relationship.slot)?.remove(member)
        former?.noteListChange(relationship.slot)
        member.point(back, to: self)
      }
    }
    list.add(member, at: index)
    noteListChange(relationship.slot)
  }

  private func unlink(
    _ relationship: RelationshipShape, _ list: MemberList, _ member: ManagedObject
  ) {
    if let inverseSlot = relationship.inverseSlot,
      let back = member.binding.shape.relationship(at: inverseSlot)
    {
      if back.isToMany {
        if !(member === self && back.ordinal == relationship.ordinal) {
          member.pairedList(back.ordinal).remove(self)
          member.noteListChange(inverseSlot)
        }
      } else if !leadsElsewhere(member, inverseSlot) {
        member.point(back, to: nil)
      }
    }
    list.remove(member)
    noteListChange(relationship.slot)
  }

  /// Runs a change of several steps. No other queue is let in meanwhile: a child of the context
  /// would see half of it.
  private func changing(_ body: () -> Void) {
    if let queue = home.queue { queue.closed(body) } else { body() }
  }

  /// Whether it may be at the other end of a relationship: no object leads to one that was deleted
  /// elsewhere, and the log is told.
  private var isUsable: Bool {
    guard isVanished else { return true }
    report("was put into a relationship")
    return false
  }

  /// Stops the program when an object cannot be at the other end of a relationship.
  private func check(_ object: ManagedObject?, for relationship: RelationshipShape) {
    guard let object else { return }
    let name = "\(entity.name).\(relationship.description.name)"
    guard object.owner === owner else {
      programmingError(
        """
        \(name) cannot lead to \(object), which belongs to another context, or to none any more. Get it in \
        this one with object(with: other.objectID).
        """)
    }
    guard !object.isKnownDeleted else {
      programmingError(
        "\(name) cannot lead to \(object), which was deleted. Check isDeleted first, or roll back.")
    }
    guard !isKnownDeleted else {
      programmingError(
        """
        \(name) of \(self) cannot lead to \(object): its owner was deleted. Check isDeleted first.
        """)
    }
    guard object.entity.isKind(of: relationship.destination) else {
      programmingError(
        """
        \(name) leads to \(relationship.destination.name), not to \(object.entity.name). Set an object of \
        that entity.
        """)
    }
  }
}

extension ManagedObjectID {
  /// Orders as a fetch without sort keys does: saved objects by row, then new ones as inserted.
  var insertionOrder: Int64 { isTemporary ? .max / 2 - row : row }
}
