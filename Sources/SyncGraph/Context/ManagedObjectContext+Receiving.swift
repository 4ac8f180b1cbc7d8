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
    var adopted: [ManagedObject] = []
    let objects = edits.objects.map { ($0.isNew ? makeNew($0.id) : known($0, &adopted), $0) }
    for (object, edit) in objects {
      for (slot, value) in edit.values {
        if case .attribute = object.home.shape.kinds[slot] { object.write(slot, value) }
      }
    }
    for (object, edit) in objects { setDestinations(of: object, edit) }
    for (object, edit) in objects { setMembers(of: object, edit) }
    for (object, edit) in objects { order(object, edit) }
    let doomed = edits.deleted.map { object($0.entity, $0.row) }
    delete(doomed, prepared: Set(doomed.map(ObjectIdentifier.init)))
    let changes = tellChildren(except: child)
    if parent == nil, isMerging { queue.closed { catchUp(objects, adopted) } }
    return changes
  }

  /// Lays edits on top of commits that were merged here before they came: in the midst of a block a
  /// child does not know of it. An object that is gone goes here too, and no reference leads to it;
  /// the child hears the fate of its edits when its block is over.
  ///
  /// - Parameter adopted: those of the objects that have the row that the edits were made on.
  private func catchUp(
    _ objects: [(object: ManagedObject, edit: HandedEdits.Object)], _ adopted: [ManagedObject]
  ) {
    var targets: [ManagedObject?] = []
    for (object, edit) in objects {
      targets.append(object)
      for case .toOne(let ordinal) in edit.values.map({ object.home.shape.kinds[$0.slot] }) {
        targets.append(object.link(ordinal) as? ManagedObject)
      }
      for id in edit.lists.flatMap(\.added) {
        targets.append(identities.object(root: id.entity.rootIndex, row: id.row))
      }
    }
    let faults = targets.compactMap { $0 }.filter { $0.isFault && !$0.isKnownDeleted }
    let known = vanished
    makeFaults(of: faults)
    for object in faults where object.isFault { fire(object) }
    vanished = known
    reread(adopted.filter { !$0.isKnownDeleted })
    settle()
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

  /// The object that was edited in the child, with the row that the edits were made on, unless it
  /// is loaded: whether the row was changed elsewhere since shows when this context saves. A
  /// context that does not write to the store has merged that already, so it reads the row anew.
  private func known(
    _ edit: HandedEdits.Object, _ adopted: inout [ManagedObject]
  ) -> ManagedObject {
    let object = object(edit.id.entity, edit.id.row)
    if parent != nil {
      if object.isFault { fire(object) }
    } else if object.isFault, let base = edit.base, object.adopt(base.values, base.version) {
      adopted.append(object)
      object.flags.insert(.awakening)
      awake([object])
    }
    return object
  }

  private func setDestinations(of object: ManagedObject, _ edit: HandedEdits.Object) {
    for (slot, value) in edit.values {
      guard case .toOne(let ordinal) = object.home.shape.kinds[slot] else { continue }
      var target: ManagedObject?
      if case .int(let row) = value {
        target = resolve(object.home.shape.relationships[ordinal], row, of: nil)
      }
      object.setDestination(ordinal, target?.isKnownDeleted == true ? nil : target)
    }
  }

  private func setMembers(of object: ManagedObject, _ edit: HandedEdits.Object) {
    for list in edit.lists where !(list.added.isEmpty && list.removed.isEmpty) {
      // A member that nothing held here is an object again once the list is loaded.
      _ = object.members(list.ordinal)
      for id in list.removed {
        if let member = identities.object(root: id.entity.rootIndex, row: id.row) {
          object.removeMember(list.ordinal, member)
        }
      }
      for id in list.added {
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
