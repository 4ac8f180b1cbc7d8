import SyncCore

/// Finds objects that the model does not allow to be stored as the payload describes them, before
/// anything is written, and the items at the top of the payload that are to blame.
struct ItemCheck {
  let planner: LinkPlanner
  private let batches: [MatchedBatch]

  /// The edits that the sync leaves alone, under any payload.
  private let edits: UnsentEdits?

  /// Whether an object that no part of the payload brought so far may still come.
  private let mayCome: (UnresolvedReference.Place) -> Bool

  /// One object, by its number in ``LinkedReferences``, and the property that may not be stored so.
  struct Failure {
    let batch: Int
    let object: Int32
    let slot: Int
    let error: SyncError
  }

  init(
    _ planner: LinkPlanner, edits: UnsentEdits?,
    mayCome: @escaping (UnresolvedReference.Place) -> Bool
  ) {
    self.planner = planner
    batches = planner.batches
    self.edits = edits
    self.mayCome = mayCome
  }

  /// The first object that may not be stored.
  ///
  /// - Throws: `CancellationError`.
  func firstFailure() throws -> Failure? { try failures(isOneEnough: true).first }

  /// The items that cause objects that may not be stored, by their index, with the errors. Needs
  /// batches that know the items.
  ///
  /// - Throws: `CancellationError`.
  func offenders() throws -> [Int: SyncError] {
    var failures: [[Int32: Failure]] = batches.map { _ in [:] }
    for failure in try self.failures() { failures[failure.batch][failure.object] = failure }
    var result: [Int: SyncError] = [:]
    for batch in batches where !failures[batch.number].isEmpty {
      let mentions = Dictionary(
        grouping: batch.matches.indices.lazy.map(Int32.init),
        by: batch.representative
      )
      // In their order, so that of several reasons the first is always told.
      for (object, failure) in failures[batch.number].inKeyOrder {
        for mention in blamed(failure, mentions[object] ?? [], in: batch) {
          if let item = item(of: mention, failure, in: batch), result[item] == nil {
            result[item] = failure.error
          }
        }
      }
    }
    return result
  }

  // MARK: - Failures

  private func failures(isOneEnough: Bool = false) throws -> [Failure] {
    var result: [Failure] = []
    for batch in batches where !batch.node.takesEveryObject {
      for index in batch.matches.indices {
        if index % SyncControl.stride == 0 { try planner.control.checkpoint() }
        guard let failure = failure(Int32(index), in: batch) else { continue }
        result.append(failure)
        if isOneEnough { return result }
      }
      for (object, slots) in try planner.references[batch.number].beside(planner.control) {
        guard let failure = failure(beside: object, slots, in: batch) else { continue }
        result.append(failure)
        if isOneEnough { return result }
      }
      result += try wrongLists(of: batch)
      if isOneEnough, !result.isEmpty { return result }
    }
    return result
  }

  private func failure(_ index: Int32, in batch: MatchedBatch) -> Failure? {
    let match = batch.matches[index]
    guard !match.flags.contains(.folded) else { return nil }
    let cells = batch.cells(index)
    let references = planner.references[batch.number]
    if match.flags.contains(.inserted) {
      for slot in batch.node.required where cells[slot].isEmpty {
        if cells[slot].isAbsent, batch.node.columns.defaulted.contains(slot) { continue }
        return missing(slot, index, in: batch)
      }
      for slot in batch.node.columns.requiredToOne where references[slot, index] <= 0 {
        // It may be given by a key whose object comes with a later part of the payload.
        let place = UnresolvedReference.Place(owner: references.id(of: index), slot: slot)
        if !mayCome(place) { return missing(slot, index, in: batch) }
      }
      return violation(index, in: batch) { !cells[$0].isEmpty }
    }
    guard match.stored >= 0,
      var changed = planner.differences(index, match, in: batch, references)
    else { return nil }
    if let edits { changed.subtract(edits.protected(changed, of: match.row, batch.entity)) }
    for slot in batch.node.required where changed.contains(slot) && cells[slot].isEmpty {
      return missing(slot, index, in: batch)
    }
    for slot in batch.node.columns.requiredToOne
    where changed.contains(slot) && references[slot, index] <= 0 {
      return missing(slot, index, in: batch)
    }
    return violation(index, in: batch) { changed.contains($0) && !cells[$0].isEmpty }
  }

  /// The failure of a stored object that the payload does not describe: it loses an object that it
  /// requires.
  private func failure(
    beside object: Int32, _ slots: SlotSet, in batch: MatchedBatch
  ) -> Failure? {
    let references = planner.references[batch.number]
    var changed = slots
    let row = references.id(of: object).row
    if let edits { changed.subtract(edits.protected(changed, of: row, batch.entity)) }
    let slot = batch.node.columns.requiredToOne.first {
      changed.contains($0) && references[$0, object] == 0
    }
    return slot.map { missing($0, object, in: batch) }
  }

  private func missing(_ slot: Int, _ object: Int32, in batch: MatchedBatch) -> Failure {
    let name = batch.entity.properties[slot].name
    let isDescribed = Int(object) < batch.matches.count
    let key = isDescribed ? batch.key(batch.cells(object)) : .null
    return Failure(
      batch: batch.number, object: object, slot: slot,
      error: SyncError(
        .requiredValueMissing, entity: batch.entity.name, property: name, key: key.description,
        message: """
          “\(name)” of \(batch.entity.name) \(key == .null ? "(no key)" : key.description) is required and would be \
          empty. Send a value, give the model a default, or make “\(name)” optional.
          """))
  }

  private func violation(
    _ index: Int32, in batch: MatchedBatch, where isChecked: (Int) -> Bool
  ) -> Failure? {
    for (slot, type, limits) in batch.node.columns.limited where isChecked(slot) {
      let value = batch.cells(index)[slot].value(as: type)
      guard let violation = limits.violations(of: value).first else { continue }
      let name = batch.entity.properties[slot].name
      let key = batch.key(batch.cells(index)).description
      return Failure(
        batch: batch.number, object: index, slot: slot,
        error: SyncError(
          .invalidValue, entity: batch.entity.name, property: name, key: key,
          message: "“\(name)” of \(batch.entity.name) \(batch.keyText(index)) \(violation.text)"))
    }
    return nil
  }

  // MARK: - Blame

  /// The mentions of an object that cause a failure: those that mention the property; all when none
  /// does.
  private func blamed(_ failure: Failure, _ mentions: [Int32], in batch: MatchedBatch) -> [Int32] {
    let active = mentions.filter { !batch.matches[$0].flags.contains(.ignored) }
    if let relationship = batch.entity.properties[failure.slot].relationship {
      if relationship.isToMany { return active.filter { listing($0, failure.slot, in: batch) } }
      let isSaid = planner.references[batch.number][failure.slot, failure.object] >= 0
      return isSaid ? [failure.object] : active
    }
    func word(_ mention: Int32) -> Cell { batch.staged.cells(mention)[failure.slot] }
    let saying = active.filter {
      Int($0) < batch.staged.occurrences.count && !word($0).isAbsent
    }
    guard let last = saying.last else {
      return batch.cells(failure.object)[failure.slot].isAbsent ? active : [failure.object]
    }
    // The last one had the last word; those before it may have said the same.
    return saying.filter { word($0).isIdentical(to: word(last)) }
  }

  /// The item that a mention stands in; when it stands in none, the item whose list took the object
  /// away.
  private func item(of mention: Int32, _ failure: Failure, in batch: MatchedBatch) -> Int? {
    if let item = batch.staged.item(of: mention) { return item }
    let stored = planner.references[batch.number].stored(mention)
    guard stored >= 0, let owner = batch.destinations(of: failure.slot)?[stored], owner > 0 else {
      return nil
    }
    for other in batches {
      for relationship in other.node.relationships
      where relationship.node == batch.number
        && relationship.relationship.inverseSlot == failure.slot
      {
        guard let index = other.stored.index(ofRow: owner) else { continue }
        let holder = other.stored.occurrences[index]
        if holder >= 0, let item = other.staged.item(of: holder) { return item }
      }
    }
    return nil
  }
}

/// Lists that an item gives with more or fewer objects than the model allows.
extension ItemCheck {
  /// Lists that fail by themselves: one that is too long, and one of a new object that is too
  /// short, when no object itself names the owner.
  ///
  /// - Throws: `CancellationError`.
  func wrongLists(of batch: MatchedBatch) throws -> [Failure] {
    var failures: [Failure] = []
    for (rule, limits) in batch.node.limitedLists where batch.mentions[rule].count > 0 {
      let relationship = batch.node.relationships[rule]
      let destination = planner.batches[relationship.node]
      let mentions = batch.mentions[rule]
      let others =
        relationship.relationship.inverseSlot
        .flatMap { destination.node.relationshipRule(forSlot: $0) }
        .map { destination.mentions[$0].count } ?? 0
      try planner.activeMentions(rule, of: batch) { mention, owner in
        if mention % SyncControl.stride == 0 { try planner.control.checkpoint() }
        var rows = Set<Int64>()
        var isComplete = true
        for target in mentions.targets(of: mention) {
          if let row = planner.row(
            of: target, in: destination,
            isLinked: { planner.isMember($0, of: batch.matches[owner].row, rule, of: batch) })
          {
            rows.insert(row)
          } else {
            isComplete = false
          }
        }
        let isNew = batch.matches[owner].flags.contains(.inserted)
        let isTooLong = rows.count > limits.maximum
        let isTooShort = isNew && isComplete && others == 0 && !limits.allows(rows.count)
        guard isTooLong || isTooShort else { return }
        failures.append(
          Failure(
            batch: batch.number, object: owner, slot: relationship.slot,
            error: MemberCountCheck.error(
              batch.entity, relationship.relationship,
              key: batch.key(batch.cells(owner)).description, count: rows.count, limits)))
      }
    }
    return failures
  }

  /// Whether a mention of an object gives its list.
  func listing(_ mention: Int32, _ slot: Int, in batch: MatchedBatch) -> Bool {
    batch.node.relationshipRule(forSlot: slot)
      .map { batch.mentions[$0].owners.contains(mention) } ?? false
  }
}
