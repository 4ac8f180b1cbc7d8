import SyncCore
import SyncStore

/// The targets of relationships become objects here, one statement for the objects of a list
/// together.
extension ManagedObjectContext {
  // MARK: - To-one

  /// The object of a row that a to-one relationship holds, and of those that the objects it was
  /// listed with hold.
  ///
  /// - Parameter object: the owner; nil when the value is not its current one.
  func resolve(
    _ relationship: RelationshipShape, _ target: Int64, of object: ManagedObject?
  ) -> ManagedObject? {
    let root = relationship.destinationRoot
    if let known = identities.object(root: root, row: target) {
      if known.flags.contains(.gone) { return nil }
      if let object { keep(known, linkedFrom: object, relationship) }
      return known
    }
    guard isReadable(target) else { return nil }
    return withSource { readDestination(relationship, current(target), of: object) }
  }

  private func readDestination(
    _ relationship: RelationshipShape, _ target: Int64, of object: ManagedObject?
  ) -> ManagedObject? {
    let root = relationship.destinationRoot
    var owners = object.map { [($0, target)] } ?? []
    if let object {
      forEachSibling(of: object, for: relationship.ordinal) { sibling in
        guard !sibling.isFault, sibling.binding.shape.has(relationship),
          case .int(let other) = sibling.row[relationship.slot], isReadable(other),
          sibling.link(relationship.ordinal) == nil,
          identities.object(root: root, row: other) == nil
        else { return }
        owners.append((sibling, other))
      }
    }
    let rows = Array(Set(owners.map(\.1) + [target])).sorted()
    makeDestinations(relationship, rows)
    for (owner, row) in owners {
      guard let found = identities.object(root: root, row: row) else { continue }
      keep(found, linkedFrom: owner, relationship)
    }
    return identities.object(root: root, row: target)
  }

  private func makeDestinations(_ relationship: RelationshipShape, _ rows: [Int64]) {
    if relationship.isDestinationInherited || parent != nil {
      // Only the row says of which entity the object is, and whether the parent still has it.
      _ = objects(of: reading { try readRows(relationship.destination.rootEntity, rows) })
      return
    }
    let batch = FaultBatch(rows: rows, firstWindow: .max)
    for (index, row) in rows.enumerated() {
      let object = object(relationship.destination, row)
      object.join(batch, at: index)
    }
  }

  /// Holds the destination strongly as long as the owner lives, so that walking does not read it
  /// again and again; but not where the destination holds the owner, which would keep both for
  /// ever.
  private func keep(
    _ target: ManagedObject, linkedFrom owner: ManagedObject, _ relationship: RelationshipShape
  ) {
    if let inverseSlot = relationship.inverseSlot,
      let back = target.binding.shape.relationship(at: inverseSlot)
    {
      switch target.link(back.ordinal) {
      case let list as MemberList: if list.isLoaded { return }
      case let object?: if object === owner { return }
      case nil: break
      }
    }
    owner.setLink(relationship.ordinal, target)
  }

  // MARK: - To-many

  /// Reads the members of a relationship for an object, and for those it was listed with.
  func loadMembers(_ relationship: RelationshipShape, of object: ManagedObject) {
    withSource { loadMembers(relationship, around: object) }
  }

  private func loadMembers(_ relationship: RelationshipShape, around object: ManagedObject) {
    var owners = [object]
    forEachSibling(of: object, for: relationship.ordinal) { sibling in
      guard sibling.binding.shape.has(relationship), !sibling.flags.contains(.new),
        (sibling.link(relationship.ordinal) as? MemberList)?.isLoaded != true
      else { return }
      owners.append(sibling)
    }
    loadMembers(relationship, of: owners)
  }

  /// Reads the members of a relationship for objects that have not read them.
  func loadMembers(_ relationship: RelationshipShape, of owners: [ManagedObject]) {
    guard let first = owners.first else { return }
    let members = reading {
      try readMembers(of: relationship, in: first.entity, owners: owners.map(\.identifier))
    }
    var rows: [Int64] = []
    var known: Set<Int64> = []
    for member in members where known.insert(member.row).inserted { rows.append(member.row) }
    let batch = FaultBatch(rows: rows, firstWindow: .max)
    var positions: [Int64: Int] = [:]
    for (index, row) in rows.enumerated() { positions[row] = index }
    var lists: [Int64: [ManagedObject]] = [:]
    for member in members {
      let found = self.object(member.entity, member.row)
      if found.isFault || found.batch == nil {
        found.join(batch, at: positions[member.row] ?? 0)
      }
      lists[member.owner, default: []].append(found)
    }
    load(lists, relationship, of: owners)
  }

  /// Gives owners their members, by the rows of the owners.
  func load(
    _ lists: [Int64: [ManagedObject]], _ relationship: RelationshipShape, of owners: [ManagedObject]
  ) {
    for owner in owners {
      let found = lists[owner.rowNumber] ?? []
      owner.load(relationship, found)
      loosen(found, from: owner, relationship)
    }
    loadedRelationships.insert(PropertyKey(relationship.description))
  }

  /// Lets members hold their owner no longer: the owner holds them now.
  func loosen(
    _ members: [ManagedObject], from owner: ManagedObject, _ relationship: RelationshipShape
  ) {
    guard let inverseSlot = relationship.inverseSlot, !relationship.isInverseToMany else { return }
    for member in members {
      guard let back = member.binding.shape.relationship(at: inverseSlot),
        member.link(back.ordinal) === owner, !member.hasChanges
      else { continue }
      member.setLink(back.ordinal, nil)
    }
  }
}

extension EntityShape {
  /// Whether objects of the entity have the relationship, under the same slot.
  func has(_ relationship: RelationshipShape) -> Bool {
    guard relationship.slot < kinds.count, let own = self.relationship(at: relationship.slot) else {
      return false
    }
    return own.description.declaringIndex == relationship.description.declaringIndex
  }
}
