import SyncCore
import SyncStore

/// The saves of children come in here.
extension ManagedObjectContext {
  /// Identifiers among others of objects that were deleted here, or are gone from what this context
  /// reads from. A context that writes to the store finds out about those when it takes edits in.
  func deleted(among ids: [ManagedObjectID]) throws -> Set<ManagedObjectID> {
    var result: Set<ManagedObjectID> = []
    var unknown: [ManagedObjectID] = []
    for id in ids {
      if let known = identities.object(root: id.entity.rootIndex, row: id.row) {
        if known.isKnownDeleted { result.insert(id) }
      } else if parent != nil {
        unknown.append(id)
      }
    }
    for family in Dictionary(grouping: unknown, by: \.entity.rootIndex).inKeyOrder.map(\.value) {
      let found = Set(try readRows(family[0].entity.rootEntity, family.map(\.row)).map(\.row))
      result.formUnion(family.filter { !found.contains($0.row) })
    }
    return result
  }

  /// Makes the edits of a child unsaved changes of this context, completely.
  ///
  /// The order matters: objects are there before others lead to them, members are there before they
  /// are put in order, and objects moved away from a deleted one have left it before its delete
  /// rules are applied.
  ///
  /// - Parameter child: is not told, because it knows.
  /// - Returns: the changes here.
  func receive(_ edits: HandedEdits, from child: ManagedObjectContext) -> ChangeSet {
    check()
    // The child may have learnt of classes that were never mentioned here.
    bindings = core.classes.current
    tellChildren()
    let all = edits.objects.map {
      ($0.isNew ? makeNew($0.id) : object($0.id.entity, $0.id.row), $0)
    }
    let doomed = edits.deleted.map { object($0.entity, $0.row) }
    let gone = queue.closed { read(all, doomed) }
    let objects = all.filter { !gone.contains($1.id) }
    for (object, edit) in objects {
      for (slot, value) in edit.values {
        if case .attribute = object.home.shape.kinds[slot] { object.write(slot, value) }
      }
    }
    var emptied: [(object: ManagedObject, slot: Int)] = []
    for (object, edit) in objects { setDestinations(of: object, edit, gone, &emptied) }
    for (object, edit) in objects { setMembers(of: object, edit, gone) }
    for (object, edit) in objects { order(object, edit) }
    for (object, _) in objects where !object.hasChangedRow { overtaken.forget(object) }
    delete(doomed, prepared: Set(doomed.map(ObjectIdentifier.init)))
    let changes = tellChildren(except: child)
    // The child hears of these when its block is over.
    for (object, slot) in emptied { noteForChildren(object, slot) }
    return changes
  }

  /// Reads the rows of the objects that a child edited or deleted, and of those that its edits lead
  /// to, as far as they are not loaded, all together: edits are laid on the rows as they are now,
  /// also where others committed in the midst of the child's block. The rows that the child had
  /// before its eyes count for conflicts (``OvertakenRows``). A context that merges nothing takes
  /// them as they are.
  ///
  /// - Returns: the objects that are gone, which take no edit, and to which no reference leads.
  private func read(
    _ objects: [(object: ManagedObject, edit: HandedEdits.Object)], _ doomed: [ManagedObject]
  ) -> Set<ManagedObjectID> {
    var faults: [ManagedObject] = doomed.filter(\.isFault)
    var bases: [(object: ManagedObject, row: StoredRow)] = []
    for (object, edit) in objects {
      if object.isFault {
        faults.append(object)
        if let base = edit.base { bases.append((object, base)) }
      }
      faults += targets(of: object, edit).filter(\.isFault)
    }
    guard parent != nil || isMerging else {
      for (object, base) in bases where object.adopt(base.values, base.version) {
        object.flags.insert(.awakening)
      }
      awake(bases.map(\.object))
      return []
    }
    var seen: Set<ObjectIdentifier> = []
    faults = faults.filter { !$0.isKnownDeleted && seen.insert(ObjectIdentifier($0)).inserted }
    let known = vanished
    makeFaults(of: faults)
    for object in faults where object.isFault { fire(object) }
    vanished = known
    for (object, base) in bases
    where parent == nil && !object.isKnownDeleted && object.version != base.version {
      overtaken.note(object, readAs: .init(values: base.values, version: base.version))
    }
    return Set(faults.filter(\.isKnownDeleted).map(\.identifier))
  }

  /// The objects that an edit makes an object lead to.
  private func targets(of object: ManagedObject, _ edit: HandedEdits.Object) -> [ManagedObject] {
    edit.values.compactMap { slot, value in
      guard case .toOne(let ordinal) = object.home.shape.kinds[slot], case .int(let row) = value
      else { return nil }
      return resolve(object.home.shape.relationships[ordinal], row, of: nil)
    } + edit.lists.flatMap(\.added).map { self.object($0.entity, $0.row) }
  }

  /// A new object with the identifier that it has in the child. Its hooks ran there.
  private func makeNew(_ id: ManagedObjectID) -> ManagedObject {
    let object = object(id.entity, id.row)
    object.row = .own(object.home.shape.defaults)
    object.flags.insert(.new)
    pending.setInserted(object, true)
    noteChange(of: object)
    return object
  }

  /// - Parameter emptied: relationships that stay empty, because the object that the child set is
  ///   gone.
  private func setDestinations(
    of object: ManagedObject, _ edit: HandedEdits.Object, _ gone: Set<ManagedObjectID>,
    _ emptied: inout [(object: ManagedObject, slot: Int)]
  ) {
    for (slot, value) in edit.values {
      guard case .toOne(let ordinal) = object.home.shape.kinds[slot] else { continue }
      var target: ManagedObject?
      if case .int(let row) = value {
        let relationship = object.home.shape.relationships[ordinal]
        if !gone.contains(ManagedObjectID(entity: relationship.destination, row: row)) {
          target = resolve(relationship, row, of: nil)
        }
        if target?.isKnownDeleted != false {
          target = nil
          emptied.append((object, slot))
        }
      }
      object.setDestination(ordinal, target)
    }
  }

  private func setMembers(
    of object: ManagedObject, _ edit: HandedEdits.Object, _ gone: Set<ManagedObjectID>
  ) {
    for list in edit.lists where !(list.added.isEmpty && list.removed.isEmpty) {
      // A member that nothing held here is an object again once the list is loaded.
      _ = object.members(list.ordinal)
      for id in list.removed {
        if let member = identities.object(root: id.entity.rootIndex, row: id.row) {
          object.removeMember(list.ordinal, member)
        }
      }
      for id in list.added where !gone.contains(id) {
        let member = self.object(id.entity, id.row)
        if !member.isKnownDeleted { object.addMember(list.ordinal, member) }
      }
    }
  }

  /// Members that the child does not know of stay, at the end.
  private func order(_ object: ManagedObject, _ edit: HandedEdits.Object) {
    for list in edit.lists where !list.order.isEmpty {
      let places = Dictionary(
        list.order.enumerated().map { ($1.row, $0) }, uniquingKeysWith: { first, _ in first })
      let members = object.members(list.ordinal)
      object.setMembers(list.ordinal, members.sorted(on: { places[$0.rowNumber] ?? .max }))
    }
  }
}
