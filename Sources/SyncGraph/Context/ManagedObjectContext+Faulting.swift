import SyncCore
import SyncStore

/// Rows become objects here, one statement for as many as are wanted together.
extension ManagedObjectContext {
  // MARK: - Objects of identifiers

  /// The object of a row: the one that is there, or a new fault.
  func object(_ entity: EntityDescription, _ row: Int64) -> ManagedObject {
    identities.object(root: entity.rootIndex, row: row) ?? makeObject(entity, row)
  }

  private func makeObject(_ entity: EntityDescription, _ row: Int64) -> ManagedObject {
    let binding = bindings[entity.index]
    let id = ManagedObjectID(entity: entity, row: row)
    let object = WrapperConstruction.make(
      binding.type, ObjectSeed(binding: binding, objectID: id, context: self))
    identities.insert(object)
    scheduleTidying()
    return object
  }

  /// The objects of rows that were just read, in their order, with the rows put in.
  func objects(of rows: [StoredRow]) -> [ManagedObject] {
    guard let first = rows.first else { return [] }
    let root = first.entity.rootIndex
    // A row comes once, so nothing needs to be looked up where nothing is.
    let isFirst = identities.count(root: root) == 0
    identities.reserve(rows.count, root: root)
    let batch = FaultBatch(rows: rows.map(\.row), firstWindow: 1024)
    var objects: [ManagedObject] = []
    objects.reserveCapacity(rows.count)
    var awake: [ManagedObject] = []
    for index in rows.indices {
      let (entity, row) = (rows[index].entity, rows[index].row)
      let object = isFirst ? makeObject(entity, row) : object(entity, row)
      object.batch = batch
      object.batchIndex = index
      if object.adopt(rows[index]) { awake.append(object) }
      objects.append(object)
    }
    for object in awake { object.awakeFromFetch() }
    return objects
  }

  // MARK: - Rows

  /// Reads the row of a fault, and those of the faults it was listed with.
  func fire(_ object: ManagedObject) {
    withSource { readRow(of: object) }
  }

  private func readRow(of object: ManagedObject) {
    guard object.flags.isDisjoint(with: [.new, .gone]) else { return }
    let root = object.identifier.entity.rootIndex
    var wanted = [object.identifier.row]
    forEachSibling(of: object, for: -1) { sibling in
      if sibling.isFault, !sibling.flags.contains(.gone) { wanted.append(sibling.identifier.row) }
    }
    let rows = reading { try readRows(object.entity.rootEntity, wanted) }
    var awake: [ManagedObject] = []
    for row in rows {
      guard let known = identities.object(root: root, row: row.row) else { continue }
      if known.adopt(row) { awake.append(known) }
    }
    // What has no row any more was deleted, and the commit that did it was not merged yet.
    if rows.count < wanted.count {
      let found = Set(rows.map(\.row))
      for row in wanted where !found.contains(row) {
        identities.object(root: root, row: row).map(bury)
      }
    }
    for object in awake { object.awakeFromFetch() }
  }

  /// Turns an object whose row is gone into a tombstone.
  func bury(_ object: ManagedObject) {
    pending.setInserted(object, false)
    pending.setUpdated(object, false)
    pending.setDeleted(object, false)
    object.flags.insert(.gone)
    if object.row.isEmpty {
      object.row = Array(repeating: .null, count: object.binding.shape.names.count)
    }
    object.committed = nil
    object.changed = SlotSet()
    object.links = []
    identities.remove(root: object.identifier.entity.rootIndex, row: object.identifier.row)
  }

  /// Calls the body for the live objects that were listed around an object, the object left out.
  private func forEachSibling(
    of object: ManagedObject, for purpose: Int, _ body: (ManagedObject) -> Void
  ) {
    guard let batch = object.batch else { return }
    let root = object.identifier.entity.rootIndex
    for position in batch.window(from: object.batchIndex, for: purpose) {
      guard let sibling = identities.object(root: root, row: batch.rows[position]),
        sibling !== object
      else { continue }
      body(sibling)
    }
  }

  /// Reads where an access to an object cannot throw.
  ///
  /// - Precondition: The store can be read.
  private func reading<Result>(_ body: () throws -> Result) -> Result {
    do {
      return try body()
    } catch {
      preconditionFailure(
        """
        The values of an object could not be read from the store: \(error) Keep the stack open as \
        long as its objects are used; fetch(_:) and existingObject(with:) throw instead of stopping.
        """)
    }
  }

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
    if relationship.isDestinationInherited || rows.contains(where: { $0 < 0 }) {
      // Only the row says of which entity the object is, and whether there is still a new one.
      _ = objects(of: reading { try readRows(relationship.destination.rootEntity, rows) })
      return
    }
    let batch = FaultBatch(rows: rows, firstWindow: .max)
    for (index, row) in rows.enumerated() {
      let object = object(relationship.destination, row)
      object.batch = batch
      object.batchIndex = index
    }
  }

  /// Holds the destination strongly as long as the owner lives, so that walking does not read it
  /// again and again; but not where the destination holds the owner, which would keep both for ever.
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
        found.batch = batch
        found.batchIndex = positions[member.row] ?? 0
      }
      lists[member.owner, default: []].append(found)
    }
    for owner in owners {
      var found = lists[owner.identifier.row] ?? []
      // Deleted and not yet saved; with an inverse, the list knows already.
      if relationship.inverseSlot == nil { found.removeAll { $0.isDeleted } }
      owner.list(relationship.ordinal).load(found)
      loosen(found, from: owner, relationship)
    }
    loadedRelationships.insert(ListKey(relationship.description))
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

/// Names a to-many relationship among those of a model.
struct ListKey: Hashable {
  private let entity: Int
  private let slot: Int

  init(_ relationship: RelationshipDescription) {
    entity = relationship.declaringIndex
    slot = relationship.slot
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

extension ManagedObject {
  /// Reads the row of a fault.
  ///
  /// - Precondition: The context is still there.
  final func fireFault() {
    guard let owner else {
      preconditionFailure(
        "\(self) has no values yet and its context is gone. Keep the context, or its stack.")
    }
    owner.fire(self)
    if row.isEmpty { owner.bury(self) }
  }

  /// Takes a row that was read from the store. Unsaved values stay.
  ///
  /// - Returns: whether values came in that the object did not have.
  final func adopt(_ stored: StoredRow) -> Bool {
    // The version says nothing of the unsaved values of a parent.
    let isChild = owner?.parent != nil
    guard !flags.contains(.gone), row.isEmpty || isChild || version != stored.version else {
      return false
    }
    version = stored.version
    flags.remove(.lost)
    guard !row.isEmpty else {
      row = stored.values
      return true
    }
    var values = stored.values
    let old = row
    for property in entity.properties where !property.isColumn {
      values[property.slot] = old[property.slot]
    }
    let base = values
    guard !isChild || base != committed ?? row else { return false }
    for slot in changed {
      if case .toMany = binding.shape.kinds[slot] { continue }
      values[slot] = old[slot]
      if base[slot] == values[slot] { changed.remove(slot) }
    }
    let isEdited = changed.contains {
      if case .toMany = binding.shape.kinds[$0] { false } else { true }
    }
    committed = isEdited ? base : nil
    row = values
    if !isInserted, !isDeleted { owner?.pending.setUpdated(self, !changed.isEmpty) }
    return true
  }
}
