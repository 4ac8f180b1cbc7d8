import SyncCore
import SyncStore

/// The saves of children come in here.
extension ManagedObjectContext {
  /// Identifiers among others of objects that were deleted here.
  func deleted(among ids: [ManagedObjectID]) -> Set<ManagedObjectID> {
    let ids = ids.filter {
      identities.object(root: $0.entity.rootIndex, row: $0.row)?.isKnownDeleted == true
    }
    return Set(ids)
  }

  /// Makes the edits of a child unsaved changes of this context, completely.
  ///
  /// The order matters: objects are there before something leads to them, members are there before
  /// they are put in order, and whatever was moved away from a deleted object has left it before
  /// its delete rules are applied.
  ///
  /// - Parameter child: is not told, because it knows.
  /// - Returns: what changed here.
  func receive(_ edits: HandedEdits, from child: ManagedObjectContext) -> ChangeSet {
    check()
    // The child may have learnt of classes that were never mentioned here.
    bindings = core.classes.current
    tellChildren()
    let objects = edits.objects.map { ($0.isNew ? makeNew($0.id) : known($0), $0) }
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
    return tellChildren(except: child)
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
  /// is loaded: whether somebody else has changed the row since shows when this context saves.
  private func known(_ edit: HandedEdits.Object) -> ManagedObject {
    let object = object(edit.id.entity, edit.id.row)
    if object.isFault, let base = edit.base, object.adopt(base.values, base.version) {
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
