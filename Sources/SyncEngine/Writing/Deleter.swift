import SyncCore
import SyncStore

/// Deletes the objects that the payload does not mention, at the very end, when every owner and
/// every item has been seen.
struct Deleter: PartPhase {
  let work: PartWork
  /// Reads the items at the top.
  let node: PlanNode
  let scope: Scope
  let limits: DeletionGuard

  /// Every row of the root entity, when it was read anyway.
  let knownRows: PlainArray<Int64>?

  /// Whether omitted members go now: once, after all lists of the sync.
  let endsLists: Bool

  /// Whether other transactions may have written since the first part.
  let spansTransactions: Bool

  /// Adds advice to a sentence that says that nothing of the payload can be used.
  let advising: (String) -> String

  var entity: EntityDescription { node.entity }

  /// Finds the objects that go: those at the top that are in scope and that no part mentions, and
  /// members that their owners' lists omit.
  ///
  /// - Throws: ``SyncError`` with ``SyncError/Code/deletionRefused`` when the payload cannot be
  ///   meant.
  func unmentioned() throws -> Unmentioned {
    let keeper = edits.map { Keeper(edits: $0, transaction: transaction) }
    let (roots, scopeCount) = try unmentionedRoots(keeper)
    try checkPayload(scopeCount, unmentioned: roots.count)
    let members = try endsLists ? unlistedMembers(keeper) : []
    return Unmentioned(keeper: keeper, roots: roots, scopeCount: scopeCount, members: members)
  }

  /// The objects that go.
  struct Unmentioned {
    fileprivate let keeper: Keeper?
    fileprivate let roots: [Int64]
    fileprivate let scopeCount: Int
    fileprivate let members: [(entity: EntityDescription, rows: [Int64])]

    var count: Int { members.reduce(roots.count) { $0 + $1.rows.count } }
  }

  /// Deletes objects by the model's delete rules.
  ///
  /// - Throws: ``SyncError`` with ``SyncError/Code/deletionRefused`` when the deletion guard
  ///   objects.
  func delete(_ unmentioned: Unmentioned) throws {
    let total = unmentioned.count
    let roots = unmentioned.roots
    var deleted = 0
    for (entity, rows) in [(entity: entity, rows: roots)] + unmentioned.members
    where !rows.isEmpty {
      deleted += try delete(rows, of: entity, unmentioned.keeper)
      try control.advance(.delete, to: min(deleted, total), of: total)
    }
    try checkGuard(
      deleted, roots: roots.count, of: unmentioned.scopeCount, members: total - roots.count)
    try noteRest(of: scope)
  }

  private func delete(
    _ rows: [Int64], of entity: EntityDescription, _ keeper: Keeper?
  ) throws -> Int {
    try keeper?.prepare()
    let summary = try transaction.delete(rows, of: entity) { [claims] row, entity in
      claims.isMentioned(row, entity) || keeper?.survives(row, entity) ?? false
    }
    return summary.deleted.reduce(0) { $0 + $1.rows.count }
  }

  // MARK: - Deleting

  /// Objects in the root scope that the payload does not mention, and how many the scope holds.
  private func unmentionedRoots(_ keeper: Keeper?) throws -> (rows: [Int64], scopeCount: Int) {
    guard operations.contains(.delete) else { return ([], 0) }
    let scoped: [Int64]
    switch scope.kind {
    case .members: return ([], claims.rootScope?.count ?? 0)
    case .sharedMembers: return ([], 0)
    case .all:
      if knownRows == nil, let count = try countOfMentioned() { return ([], count) }
      scoped = try knownRows.map(Array.init) ?? allRows()
    case .filter, .children: scoped = claims.rootScope ?? []
    case .roots(let slot): scoped = try trees(above: slot)
    }
    // Looked up once, not for each of the rows.
    let mentioned = claims[.mentioned(entity.rootIndex)] ?? RowSet()
    let distinct = claims[.distinct(entity.rootIndex)]
    var rows = try keyed(
      scoped.filter {
        !mentioned.contains($0) && distinct?.contains($0) != true && !claims.isGone($0, entity)
      }, of: entity)
    guard !claims.state.isRootSuspended || rows.isEmpty else {
      report.note(
        .suspendedDeletion, entity,
        message: """
          Objects of “\(entity.name)” that are not in the payload stay, \(rows.count) of them: \(reasonToKeep).
          """)
      return ([], count(scoped))
    }
    if let keeper { rows = try keeper.deletable(rows, of: entity) }
    let surplus = rows.filter { claims.isSurplus($0, entity) }
    if !surplus.isEmpty {
      report.note(
        .foldedDuplicates, entity,
        message: """
          \(surplus.count) objects of “\(entity.name)” had the key of another one with the same \
          owners; the first of each key stays.
          """)
    }
    return (rows, count(scoped))
  }

  /// Why the list does not say which objects there are.
  private var reasonToKeep: String {
    guard let count = claims.state.otherCount else {
      return "the key of an item could not be read, so its object is unknown"
    }
    let said = count < 0 ? "different numbers of items" : "\(count) items"
    return
      "the list has changed while it was read, as its pages say \(said) and \(claims.state.itemCount) came"
  }

  /// The roots of trees, and below roots that the payload does not mention all objects that it does
  /// not mention either: without their roots they would be the roots of the next sync, and go then.
  private func trees(above slot: Int) throws -> [Int64] {
    let roots = claims.rootScope ?? []
    var all = RowSet(roots)
    var level = roots.filter { !claims.isMentioned($0, entity) }
    while !level.isEmpty, !claims.state.isRootSuspended {
      try control.checkpoint()
      var next: [Int64] = []
      try transaction.scan(entity, .references(slot: slot, level), slots: []) {
        next.append($0.row)
      }
      level = next.filter { !claims.isMentioned($0, entity) && all.insert($0) }
    }
    return all.rows
  }

  /// Tells how many objects stay that the payload does not mention, because it is a tree and they
  /// are below the roots.
  private func noteRest(of scope: Scope) throws {
    guard case .roots = scope.kind, operations.contains(.delete) else { return }
    let mentioned = claims[.mentioned(entity.rootIndex)] ?? RowSet()
    let rest = try transaction.rowCount(of: entity) - mentioned.count
    guard rest > 0 else { return }
    report.note(
      .suspendedDeletion, entity,
      message: """
        \(rest) \(rest == 1 ? "object" : "objects") of “\(entity.name)” that the payload does not mention stay: it nests \
        its items, so it says nothing of objects below its roots that it does not nest.
        """)
  }

  /// How many of some objects were there before the payload.
  private func count(_ rows: [Int64]) -> Int {
    guard case .all = scope.kind, knownRows == nil else { return rows.count }
    return rows.count { $0 < claims.state.firstNewRow }
  }

  /// How many objects there are, when the payload mentions them all; nil when it does not, or when
  /// only looking at each can tell.
  private func countOfMentioned() throws -> Int? {
    guard entity.superentity == nil, entity.subentities.isEmpty, !claims.state.hasTombstones,
      !spansTransactions
    else { return nil }
    let count = try transaction.rowCount(of: entity)
    return count == claims[.mentioned(entity.rootIndex)]?.count ?? 0 ? count : nil
  }

  private func allRows() throws -> [Int64] {
    var rows: [Int64] = []
    try transaction.rowNumbers(of: entity) { row in
      rows.append(row)
      if rows.count % SyncControl.stride == 0 { try control.checkpoint() }
    }
    return rows
  }

  /// Members that their owners' lists do not mention. One that the payload mentions elsewhere is
  /// not deleted; it only leaves its owner.
  private func unlistedMembers(
    _ keeper: Keeper?
  ) throws -> [(entity: EntityDescription, rows: [Int64])] {
    var rows: [EntityDescription: [Int64]] = [:]
    var seen: [Int: RowSet] = [:]
    for (step, member) in claims.unlisted.enumerated() {
      if step % SyncControl.stride == 0 { try control.checkpoint() }
      if claims.isMentioned(member.row, member.entity) {
        try release(member)
      } else if try isStillMember(member),
        seen[member.entity.rootIndex, default: RowSet()].insert(member.row)
      {
        rows[member.entity, default: []].append(member.row)
      }
    }
    for member in claims.hasNested ? entity.model.entities : [] {
      guard let group = claims[.nested(member.index)] else { continue }
      for row in group.rows
      where !claims.isMentioned(row, member)
        && seen[member.rootIndex, default: RowSet()].insert(row)
      {
        rows[member, default: []].append(row)
      }
    }
    return try rows.sorted(on: \.key.index).map { entity, rows in
      let rows = try keyed(rows, of: entity)
      return (entity, try keeper?.deletable(rows, of: entity) ?? rows)
    }
  }

  /// Whether no other transaction has given a member to another owner since a list omitted it.
  private func isStillMember(_ member: Claims.UnlistedMember) throws -> Bool {
    guard spansTransactions else { return true }
    var owner: Int64?
    try transaction.scan(member.entity, .rows([member.row])) { owner = $0.integer(member.slot) }
    return owner == member.owner
  }

  /// Without the objects whose key is empty: no payload can mention them, so that their absence
  /// says nothing.
  private func keyed(_ rows: [Int64], of entity: EntityDescription) throws -> [Int64] {
    guard !rows.isEmpty, !node.deletesKeyless, let key = entity.primaryKey else { return rows }
    var keyless = Set<Int64>()
    try transaction.scan(entity, .empty(slot: key.slot), slots: []) { keyless.insert($0.row) }
    return keyless.isEmpty ? rows : rows.filter { !keyless.contains($0) }
  }

  private func release(_ member: Claims.UnlistedMember) throws {
    var entity: EntityDescription?
    let key = member.entity.primaryKey?.slot
    try transaction.scan(member.entity, .rows([member.row])) { cursor in
      // No list can name an object without key, so none omits it.
      if let key, cursor.cell(key).isEmpty { return }
      if cursor.integer(member.slot) == member.owner { entity = cursor.entity }
    }
    guard let entity else { return }
    if let edits, edits.writable([member.slot], of: member.row, entity).isEmpty { return }
    try transaction.write([(member.slot, .null)], to: [member.row], of: entity)
  }
}

/// The deletion guard.
extension Deleter {
  /// Refuses more deletions than the guard allows, from any cause, that are too large a share of
  /// the scope: of the objects at the top, or of the members of the lists in the payload.
  func checkGuard(_ deleted: Int, roots: Int, of scopeCount: Int, members: Int) throws {
    guard limits.isOn, deleted > limits.count else { return }
    let isMostOfRoots = roots > 0 && Double(roots) > limits.share * Double(scopeCount)
    var memberCount = claims.state.memberCount
    if case .members = scope.kind { memberCount += scopeCount }
    let isMostOfMembers = members > 0 && Double(members) > limits.share * Double(memberCount)
    guard isMostOfRoots || isMostOfMembers else { return }
    let share = limits.share == 0.5 ? "half" : "\(limits.share * 100) %"
    throw refusal(deleted, "that is more than \(share) of what is stored")
  }

  /// Refuses payloads that cannot be meant: nothing at all, or items of which none can be used.
  func checkPayload(_ scopeCount: Int, unmentioned: Int) throws {
    guard limits.isOn, scopeCount > 0 else { return }
    if claims.state.itemCount == 0, scopeCount > limits.emptyPayload {
      throw refusal(scopeCount, "the payload is empty")
    }
    if claims.state.hasNothingUsable,
      claims.state.isRootSuspended && !node.skipsUnidentified || unmentioned > 0
    {
      let count = claims.state.itemCount
      let items =
        count == 1
        ? "the only item of the payload cannot" : "none of the \(count) items of the payload can"
      throw refusal(
        scopeCount, "\(items) be used\(firstReason)", advising: advising)
    }
  }

  /// Why the first item was left out.
  private var firstReason: String {
    guard let finding = report.report.findings.first(where: { $0.kind == .skippedItem }) else {
      return
        ": beside their keys they say nothing that “\(entity.name)” knows, as an error document does"
    }
    return " (\(finding.path ?? "$"): \(finding.message))"
  }

  private func refusal(
    _ count: Int, _ reason: String, advising: (String) -> String = { $0 }
  ) -> SyncError {
    let sentence = advising(
      "The sync would delete \(count) \(count == 1 ? "object" : "objects"): \(reason). Nothing was changed."
    )
    return SyncError(
      .deletionRefused, entity: entity.name, message: "\(sentence) \(SyncError.deletionAdvice)")
  }
}
