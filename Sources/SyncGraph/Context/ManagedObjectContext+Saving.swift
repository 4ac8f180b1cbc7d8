import SyncCore
import SyncStore

extension ManagedObjectContext {
  /// Writes all unsaved changes in one transaction: completely, or not at all.
  ///
  /// In this order: what others committed is merged, ``ManagedObject/willSave()`` is called, objects
  /// are validated, deny rules are checked, rows are written under ``mergePolicy``, and only then does
  /// anybody hear of it.
  ///
  /// - Throws: ``GraphError`` for broken rules, denied deletions and conflicts; `StoreError` when the
  ///   store cannot write. The changes are still unsaved then.
  public func save() throws {
    enter()
    guard !discardsOnSave else { return reset() }
    precondition(!isSaving, "save() was called from inside a save. Do that in didSave() instead.")
    isSaving = true
    defer { isSaving = false }
    try saveChanges()
  }

  /// Saves if there is anything to save.
  ///
  /// - Returns: whether there was.
  @discardableResult
  public func saveIfChanged() throws -> Bool {
    enter()
    guard !pending.isEmpty else { return false }
    try save()
    return true
  }

  private func saveChanges() throws {
    callWillSave()
    guard !pending.isEmpty else { return }
    try validate()
    try checkDenyRules()
    processPendingChanges()
    let inserted = pending.inserted
    let updated = pending.updated
    let deleted = pending.deleted
    let info = TransactionInfo(author: author, contextName: name, origin: origin)
    let policy = mergePolicy
    let (outcome, changes) = try core.store().write(info) { transaction in
      try SaveWriter(transaction, policy).write(inserted, updated, deleted)
    }
    take(outcome, inserted, updated, deleted)
    let saved = Set((inserted + updated + deleted).map(ObjectIdentifier.init))
    merge(changes, except: saved)
    reread(outcome.refreshed)
    for object in inserted + updated + deleted { object.didSave() }
    outgoing.append(
      saveNotification(.local(inserted: inserted, updated: updated, deleted: deleted, changes)))
    postOutgoing()
  }

  /// Hooks may change further objects, which get their turn too, each once.
  private func callWillSave() {
    var called: Set<ObjectIdentifier> = []
    while true {
      let round = (pending.inserted + pending.updated + pending.deleted).filter {
        called.insert(ObjectIdentifier($0)).inserted
      }
      if round.isEmpty { return }
      for object in round { object.willSave() }
    }
  }

  /// Checks all objects and throws everything that the model's rules find at once.
  private func validate() throws {
    var failures: [ValidationFailure] = []
    for object in pending.inserted + pending.updated {
      do {
        try object.validateForSave()
      } catch let error as GraphError where error.code == .validation && !error.failures.isEmpty {
        failures += error.failures
      }
    }
    guard let first = failures.first else { return }
    let sentences = failures.prefix(10).map(\.message).joined(separator: " ")
    let rest = failures.count > 10 ? " (and \(failures.count - 10) more)" : ""
    throw GraphError(
      .validation, entity: first.objectID.entity.name, key: first.key,
      objects: failures.map(\.objectID), failures: failures, message: sentences + rest)
  }

  /// The store has it: what was unsaved is now what was last read.
  private func take(
    _ outcome: SaveOutcome, _ inserted: [ManagedObject], _ updated: [ManagedObject],
    _ deleted: [ManagedObject]
  ) {
    identities.noteReleased(pending.count)
    pending.removeAll()
    for object in inserted {
      identities.remove(root: object.entity.rootIndex, row: object.identifier.row)
      let row = outcome.rows[object.identifier.row] ?? object.identifier.row
      object.identifier = ManagedObjectID(entity: object.entity, row: row)
      object.version = 1
      object.flags.remove(.new)
      identities.insert(object)
    }
    for object in inserted + updated {
      if let version = outcome.versions[ObjectIdentifier(object)] { object.version = version }
      object.commit(outcome.rows)
    }
    for object in deleted {
      object.commit(outcome.rows)
      object.flags.insert(.gone)
      identities.remove(root: object.entity.rootIndex, row: object.identifier.row)
    }
    let families = Dictionary(grouping: inserted) { $0.entity.rootIndex }
    for family in families.values {
      let batch = FaultBatch(rows: family.map(\.identifier.row), firstWindow: 1024)
      for (index, object) in family.enumerated() {
        object.batch = batch
        object.batchIndex = index
      }
    }
    for object in outcome.vanished { bury(object) }
  }
}

extension ManagedObject {
  /// Takes the current values as the stored ones.
  ///
  /// - Parameter rows: permanent row numbers by temporary ones.
  fileprivate final func commit(_ rows: [Int64: Int64]) {
    committed = nil
    changed = SlotSet()
    for relationship in binding.shape.relationships {
      switch binding.shape.kinds[relationship.slot] {
      case .toOne:
        if !row.isEmpty, case .int(let target) = row[relationship.slot], target < 0,
          let permanent = rows[target]
        {
          row[relationship.slot] = .int(permanent)
        }
        // Held by the other side from now on, or looked up: nothing may be held in a circle.
        if relationship.inverseSlot != nil, !links.isEmpty { links[relationship.ordinal] = nil }
      case .toMany:
        guard let list = link(relationship.ordinal) as? MemberList else { continue }
        list.commit()
        if list.isLoaded { owner?.loadedRelationships.insert(ListKey(relationship.description)) }
      case .attribute:
        break
      }
    }
  }
}
