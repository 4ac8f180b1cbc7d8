import SyncCore
import SyncStore

/// The children of a given parent, as far as they cannot be told before the whole payload has been
/// seen.
struct ParentChildren: PartPhase {
  let work: PartWork
  private let scope: ParentScope
  /// Reads the children.
  private let node: PlanNode
  private let filter: Filter?

  /// Whether leaving children are decided at the end, because the list goes on in other parts, or
  /// because a predicate limits it.
  let endsList: Bool

  /// - Parameter isOnlyPart: Whether no other part of the sync has children of the parent.
  init(_ scope: ParentScope, _ request: SyncRequest, isOnlyPart: Bool, _ work: PartWork) {
    self.work = work
    self.scope = scope
    node = request.plan.rootNode
    filter = request.settings.filter
    endsList = !isOnlyPart || filter != nil
  }

  private var parent: ManagedObjectID { scope.parent }

  /// The relationship of the items to the parent by a link table, and the parent: their own lists
  /// keep it.
  var keptMember: (relationship: Claims.Relationship, row: Int64)? {
    guard case .links = scope.way, case let link = scope.link,
      let own = link.isParents ? link.entity.inverse(of: link.relationship) : link.relationship
    else { return nil }
    return (Claims.Relationship(own), parent.row)
  }

  // MARK: - A part

  /// Notes the children that a written part has, links those that nothing else links, and reports
  /// children that moved here.
  func note(_ planner: LinkPlanner) throws {
    if endsList, planner.suspendsParent { claims.state.isRootSuspended = true }
    let matches = planner.matches
    let batch = matches.rootBatch
    if case .reference(let rule, _) = scope.way { return noteMoved(rule, batch) }
    var isLinked = true
    if case .links = scope.way { isLinked = false }
    guard endsList || !isLinked else { return }
    let isOrdered = orderedList != nil
    var rows: [Int64] = []
    for index in batch.matches.indices where batch.matches[index].traits.contains(.root) {
      let match = matches.object(Int32(index), in: batch).match
      guard match.row > 0, !claims.isParentMember(match.row) else { continue }
      claims.insert(match.row, .parentMembers(claims.parentList))
      if isOrdered {
        claims.new.parentOrder[claims.parentList, default: []].append(match.row)
      }
      guard !isLinked else { continue }
      if match.flags.contains(.active) { rows.append(match.row) }
    }
    guard !isLinked, let links = scope.links else { return }
    try MemberPairWriter(transaction: transaction, edits: edits)
      .link(pairs(rows, links), links.relationship, of: links.entity)
  }

  private func noteMoved(_ rule: Int, _ batch: MatchedBatch) {
    guard let slot = scope.slot(of: node),
      let column = batch.node.columns.toOne.firstIndex(of: slot)
    else { return }
    for (index, match) in batch.matches.enumerated()
    where match.traits.contains(.root) && match.flags.contains(.active)
      && !match.flags.contains(.folded)
      && match.stored >= 0
    {
      let owner = batch.stored.references[column][match.stored]
      guard owner > 0, owner != parent.row,
        edits?.protects(slot, of: match.row, batch.entity) != true
      else { continue }
      let key = batch.key(batch.cells(index)).description
      report.note(
        .movedObject, batch.entity, property: batch.node.relationships[rule].name, key: key,
        message: "\(batch.entity.name) \(key) moved to \(transaction.name(of: parent)).")
    }
  }

  // MARK: - The end

  /// Takes those out of the parent's list that no part of the payload mentions.
  func releaseUnlisted() throws {
    guard operations.contains(.delete), !claims.state.isRootSuspended else { return }
    if let links = scope.links {
      if case .list = scope.way, !endsList { return }
      let left = try children(by: links).filter(isUnlisted)
      try MemberPairWriter(transaction: transaction, edits: edits)
        .unlink(pairs(left, links), links.relationship, of: links.entity)
    } else if case .list = scope.way, endsList, let slot = scope.slot(of: node) {
      let entity = node.entity
      let selection = RowSelection.references(slot: slot, [parent.row])
      var rows: [Int64] = []
      try transaction.scan(entity, selection, slots: []) { rows.append($0.row) }
      for row in rows.filter(isUnlisted) {
        claims.omit(
          Claims.UnlistedMember(row: row, entity: entity, slot: slot, owner: parent.row))
      }
    }
  }

  /// The parent's list, if the items put it into an order of which no part can tell.
  private var orderedList: ParentScope.Link? {
    guard let list = scope.list, list.isParents, list.relationship.isOrdered else { return nil }
    if case .list = scope.way, !endsList { return nil }
    return list
  }

  /// Puts the list of the parent into the order of the items; children that stay without being one
  /// come last.
  func order() throws {
    guard let links = orderedList else { return }
    let now = try transaction.members(
      of: links.relationship, in: links.entity, owners: [parent.row]
    ).map(\.row)
    let wanted = RowList.ordered(now, by: claims.parentOrder)
    guard wanted != now else { return }
    if let edits, edits.protects(links.relationship.slot, of: parent.row, links.entity) {
      edits.withhold([links.relationship.slot], of: parent.row, links.entity)
      return
    }
    try transaction.arrange(links.relationship, of: links.entity, owner: parent.row, as: wanted)
  }

  /// Asks for each of some children whether the payload leaves it out, though it might have.
  private var isUnlisted: (Int64) -> Bool {
    let scope = filter == nil ? nil : claims.rootScope.map(Set.init)
    return { [claims] row in
      !claims.isParentMember(row) && scope?.contains(row) != false
    }
  }

  /// The stored objects of the synced entity that a link table connects with the parent.
  private func children(by links: ParentScope.Link) throws -> [Int64] {
    let entity = node.entity
    if links.isParents {
      return try transaction.members(of: links.relationship, in: links.entity, owners: [parent.row])
        .filter { $0.entity.isKind(of: entity) }.map(\.row)
    }
    let filter = Filter.compare([links.relationship.name], .contains, object: parent)
    var rows: [Int64] = []
    try transaction.scan(entity, .filter(filter), slots: []) { rows.append($0.row) }
    return rows
  }

  /// The children with the parent, as the link table has them.
  private func pairs(
    _ rows: [Int64], _ links: ParentScope.Link
  ) -> [(owner: Int64, member: Int64)] {
    rows.map {
      links.isParents ? (owner: parent.row, member: $0) : (owner: $0, member: parent.row)
    }
  }
}
