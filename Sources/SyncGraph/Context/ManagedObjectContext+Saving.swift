import SyncCore
import SyncStore

extension ManagedObjectContext {
  /// Writes all unsaved changes in one transaction: completely, or not at all.
  ///
  /// In this order: ``ManagedObject/willSave()`` is called, objects are validated, deny rules are
  /// checked, rows are written under ``mergePolicy``, and only then observers hear of it. A commit
  /// of others since an object was read is a conflict, whether it was merged meanwhile or not. No
  /// reference to an object that was deleted elsewhere meanwhile is stored: a policy that lets the
  /// store win empties the relationship, under the others it is a conflict.
  ///
  /// ```swift
  /// for conflict in try context.save().overruled {
  ///   print("Changed elsewhere:", conflict.edited.keys, "of", conflict.objectID)
  /// }
  /// ```
  ///
  /// In a child context the changes become unsaved changes of the ``parent`` instead, where new
  /// objects keep their temporary identifiers; the parent's save writes them.
  ///
  /// ``ManagedObject/didSave()`` and observers of the save may save again.
  ///
  /// - Returns: which edits were not stored, because the merge policy let the store win.
  /// - Throws: ``GraphError`` for broken rules, denied deletions, values that may occur once only,
  ///   and conflicts; `StoreError` when the store cannot write. The changes are still unsaved then.
  ///   `StoreError` with the code `damaged` also when a list or an object of this context could not
  ///   be read and seemed empty, until ``reset()``.
  /// - Precondition: It is not called from ``ManagedObject/willSave()`` or a validation.
  @discardableResult
  public func save() throws -> SaveResult {
    enter()
    guard !discardsOnSave else {
      reset()
      return SaveResult()
    }
    require(
      !isSaving,
      """
      save() was called from inside a save: from willSave(), a validation, or an observer of changes. Do \
      that in didSave(), or when the context has told of its save.
      """)
    require(
      savesToTell < 100,
      """
      save() was called from didSave(), or from an observer, of a hundred saves inside each other. Save \
      only what really changed, or use saveIfChanged().
      """)
    isSaving = true
    defer { isSaving = false }
    let (saved, result) = try saveChanges()
    isSaving = false
    savesToTell += 1
    defer { savesToTell -= 1 }
    for object in saved { object.didSave() }
    postOutgoing()
    parent?.queue.sync(isReading: true) {
      // A block of the parent tells at its end.
      if let parent, parent.depth == 0 { parent.announceChanges() }
    }
    return result
  }

  /// Saves if there is anything to save.
  ///
  /// - Returns: whether there was.
  @discardableResult
  public func saveIfChanged() throws -> Bool {
    enter()
    guard !pending.isEmpty || !vanished.isEmpty || !unsavedMetadata.isEmpty else { return false }
    try save()
    return true
  }

  /// - Returns: the objects that were saved, to be told so.
  private func saveChanges() throws -> (saved: [ManagedObject], SaveResult) {
    if let damage { throw damage }
    var result = SaveResult()
    if parent != nil { giveUpLost(&result) }
    callWillSave()
    lookForVanished()
    if !vanished.isEmpty { try giveUp(LostReferences(owners: vanished), &result) }
    while !pending.isEmpty {
      // Observers may change something, which is validated too.
      announceChanges()
      loadChangedOrders()
      try validate()
      try checkDenyRules()
      if let parent {
        let saved = try withSource { try handOver(to: parent, &result) }
        handOverMetadata()
        return (saved, result)
      }
      let (saved, lost) = try writeChanges(&result)
      if lost.isEmpty {
        unsavedMetadata = StoreMetadata()
        return (saved, result)
      }
      try giveUp(lost, &result)
    }
    try saveMetadataAlone()
    return ([], result)
  }

  /// Writes the unsaved changes to the store, unless a reference of them leads to rows that are
  /// gone there.
  ///
  /// - Returns: the objects that were saved, or else the references to rows that are gone.
  private func writeChanges(
    _ result: inout SaveResult
  ) throws -> (saved: [ManagedObject], LostReferences) {
    let inserted = pending.inserted
    let updated = pending.updated
    let deleted = pending.deleted
    let info = TransactionInfo(author: author, contextName: name, origin: origin)
    let policy = savingPolicy
    let (outcome, changes): (SaveOutcome, ChangeSet)
    do {
      (outcome, changes) = try core.storeForWriting("A context was saved").write(info) {
        transaction in
        transaction.refusal = core.saveCheck
        let outcome = try SaveWriter(transaction: transaction, policy: policy)
          .write(inserted, updated, deleted)
        if outcome.lost.isEmpty { try transaction.write(unsavedMetadata) }
        return outcome
      }
    } catch let error as StoreError where error.code == .notUnique {
      throw GraphError(.notUnique, entity: error.entity, message: error.message)
    } catch let error as StoreError where error.code == .deletionDenied {
      // By rows that were stored elsewhere since.
      throw GraphError(.deletionDenied, entity: error.entity, message: error.message)
    } catch let error as VanishedRows {
      let ids = Set(error.ids)
      return ([], LostReferences(owners: updated.filter { ids.contains($0.identifier) }))
    }
    guard outcome.lost.isEmpty else { return ([], outcome.lost) }
    let edits = outcome.refreshed.map { ($0.isInserted ? nil : $0.changed, $0.baseAsRead) }
    take(outcome, inserted, updated, deleted)
    let edited = outcome.refreshed.map(\.row)
    let saved = [inserted, updated, deleted].joinedLists
    if !isOnly(outcome, inserted, in: changes) { merge(changes, except: saved) }
    reread(outcome.refreshed)
    var told: Set<ObjectIdentifier> = []
    for (index, object) in outcome.refreshed.enumerated()
    where !object.isFault && told.insert(ObjectIdentifier(object)).inserted {
      let (changed, base) = edits[index]
      if let conflict = SaveConflict(overruled: object, changed, base, edited[index]) {
        result.overruled.append(conflict)
      }
      object.realign(from: edited[index])
    }
    tellChildren(outcome, changes, saved)
    announce(
      .local(inserted: inserted, updated: updated, deleted: deleted, changes),
      as: .managedObjectContextDidSave)
    return (saved, LostReferences())
  }

  /// Whether a commit did nothing but to write the rows of these objects: the rows that it names
  /// are as many, so they are the same.
  private func isOnly(
    _ outcome: SaveOutcome, _ inserted: [ManagedObject], in changes: ChangeSet
  ) -> Bool {
    guard outcome.refreshed.isEmpty,
      changes.entities.allSatisfy(\.deleted.isEmpty)
    else { return false }
    let rows = changes.entities.reduce(0) { $0 + $1.inserted.count + $1.updated.count }
    return rows == inserted.count + outcome.versions.count
  }

  /// Children know the values that were unsaved here. They hear of new identifiers, of further
  /// changes by the store, and of edits that it did not take.
  func tellChildren(_ outcome: SaveOutcome, _ changes: ChangeSet, _ saved: [ManagedObject]) {
    guard children.contains(where: { $0.context != nil }) else { return }
    tellChildren(renamed: outcome.rows)
    tellChildren(changes.without(Set(saved.map(\.identifier))))
    for object in outcome.refreshed {
      for slot in object.home.shape.columns { noteForChildren(object, slot) }
    }
    for object in outcome.vanished { noteForChildren(object) }
    tellChildren()
  }

  /// Hooks may change further objects, which get their turn too, each once.
  ///
  /// - Precondition: They come to an end.
  private func callWillSave() {
    let first = pending.all
    let additions = pending.additions
    for object in first { object.willSave() }
    // Hardly any hook changes other objects.
    if pending.additions == additions { return }
    var all = pending.all
    var called = Set(first.map(ObjectIdentifier.init))
    for _ in 0..<1000 {
      let round = all.filter { called.insert(ObjectIdentifier($0)).inserted }
      if round.isEmpty { return }
      for object in round { object.willSave() }
      all = pending.all
    }
    programmingError(
      """
      willSave() has changed or inserted further objects a thousand times, the last of them \
      \(all.last.map { "\($0)" } ?? "gone"). Change nothing there that makes the next object do the same.
      """)
  }

  /// Checks all objects and throws everything that the model's rules find at once.
  private func validate() throws {
    var failures: [ValidationFailure] = []
    func collect(_ error: any Error) throws {
      guard let error = error as? GraphError, error.code == .validation, !error.failures.isEmpty
      else { throw error }
      failures += error.failures
    }
    for object in [pending.inserted, pending.updated].joinedLists {
      do { try object.validateForSave() } catch { try collect(error) }
    }
    for object in pending.deleted {
      do { try object.validateForDelete() } catch { try collect(error) }
    }
    if !failures.isEmpty { throw GraphError(failures: failures) }
  }

  /// The store has it: unsaved values are now those last read.
  func take(
    _ outcome: SaveOutcome, _ inserted: [ManagedObject], _ updated: [ManagedObject],
    _ deleted: [ManagedObject]
  ) {
    identities.noteReleased(pending.count)
    pending.removeAll()
    overtaken.removeAll()
    for object in inserted {
      identities.remove(root: object.root, row: object.rowNumber)
      if let row = outcome.rows[object.rowNumber] {
        if object.flags.contains(.named) || !children.isEmpty { renamed[object.rowNumber] = row }
        object.rowNumber = row
      }
      object.version = 1
      object.flags.subtract([.new, .told])
      identities.insert(object)
    }
    for (object, version) in outcome.versions { object.version = version }
    for object in inserted { object.commit(outcome.rows) }
    for object in updated { object.commit(outcome.rows) }
    for object in deleted {
      object.commit(outcome.rows)
      object.flags.insert(.gone)
      identities.remove(root: object.root, row: object.rowNumber)
    }
    let families = Dictionary(grouping: inserted) { $0.entity.rootIndex }
    for family in families.values {
      let batch = FaultBatch(rows: family.map(\.rowNumber), firstWindow: 1024)
      for (index, object) in family.enumerated() {
        object.join(batch, at: index)
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
    committed = .none
    changed = SlotSet()
    for relationship in binding.shape.relationships {
      switch binding.shape.kinds[relationship.slot] {
      case .toOne:
        if !row.isNone, case .int(let target) = row[relationship.slot], target < 0,
          let permanent = rows[target]
        {
          row[relationship.slot] = .int(permanent)
        }
        // Held by the other side from now on, or looked up: nothing may be held in a circle.
        if relationship.inverseSlot != nil, !links.isEmpty { links[relationship.ordinal] = nil }
      case .toMany:
        guard let list = link(relationship.ordinal) as? MemberList else { continue }
        list.commit()
        if list.isLoaded {
          owner?.loadedRelationships.insert(PropertyKey(relationship.description))
        }
      case .attribute:
        break
      }
    }
  }
}
