import SyncCore

/// The keys of objects that a part of a payload says are deleted. The later mention of a key
/// counts, be it a gone item or the object. Confined to its batch.
final class GoneItems {
  private let keys: StagedKeys
  /// In whose lists the gone items of each key stand, nil for none; empty where the object came
  /// again.
  private var owners: [[Owner?]] = []

  init(_ node: PlanNode) { keys = StagedKeys(node) }

  func add(_ cells: UnsafePointer<Cell>, of owner: Owner?) {
    let number = Int(keys.number(ofKeyIn: cells))
    if number == owners.count { owners.append([]) }
    owners[number].append(owner)
  }

  /// Takes back the gone item of the object of a key.
  func revoke(_ cells: UnsafePointer<Cell>) {
    let known = keys.index.find(identityOf: cells)
    if known >= 0 { owners[Int(known)] = [] }
  }

  /// The values of the objects in a slot of their identity.
  func keys(in slot: Int) -> [Cell] {
    owners.indices.filter { !owners[$0].isEmpty }.map { keys[$0][slot] }
  }

  /// In whose lists the gone items of a key stand.
  func owners(of cell: (Int) -> Cell) -> [Owner?] {
    let known = keys.index.find(cell)
    return known < 0 ? [] : owners[Int(known)]
  }
}

@available(*, unavailable, message: "Gone items are confined to their batch.")
extension GoneItems: Sendable {}

/// Items that say that their objects are deleted.
extension Stager {
  /// Notes that an object is deleted, if its item says so. Of the item nothing counts then but its
  /// identity.
  ///
  /// - Returns: Whether it says so.
  func stageGone(
    _ token: Int, of source: ItemSource, node: StagingNode, role: Role, key: MemberKey?
  ) throws -> Bool {
    guard try isGone(token, of: source, node: node, role: role) else { return false }
    guard isAllowed(role) else { return true }
    let batch = node.batch
    let row = batch.block.append()
    defer { batch.block.removeLast() }
    let first = candidates.count
    defer { candidates.removeAll(from: first) }
    let cells = batch.block[row]
    try fillPresent(cells, from: token, of: source, node: node)
    if let key { try fill(cells, from: key, node: node) }
    guard node.hasIdentity, !batch.node.identity.contains(where: { cells[$0].isEmpty }) else {
      if case .toOne = role { return true }
      noteUnreadable(role)
      try skip(
        batch, .missingKey,
        """
        The item says that its object is deleted, and has no readable \(batch.node.identityText) that tells \
        which one.
        """)
      return true
    }
    switch role {
    case .root where !item.isRejected: part.items.usable += 1
    case .member(let owner):
      if owner == part.rootOwner, !item.isRejected { part.items.usable += 1 }
      batch.addGone(cells, of: owner)
      return true
    default: break
    }
    batch.addGone(cells, of: nil)
    return true
  }

  /// Notes that an element of a list is no member of it any more, if it says so. It stays a member
  /// elsewhere, and counts as named.
  ///
  /// - Returns: Whether it says so.
  func stageRemoval(
    _ token: Int, of source: ItemSource, _ link: StagingLink, _ node: StagingNode, owner: Owner,
    _ key: MemberKey?
  ) throws -> Bool {
    guard let mark = link.rule.removal, let value = source.tape.value(at: mark, from: token),
      source.tape.isMark(value)
    else { return false }
    let batch = node.batch
    let row = batch.block.append()
    defer { batch.block.removeLast() }
    let first = candidates.count
    defer { candidates.removeAll(from: first) }
    let cells = batch.block[row]
    try fillPresent(cells, from: token, of: source, node: node)
    if let key { try fill(cells, from: key, node: node) }
    let destination = batches[link.rule.node]
    guard node.hasIdentity, destination.node.identity == batch.node.identity,
      !batch.node.identity.contains(where: { cells[$0].isEmpty })
    else {
      try skip(
        batch, .missingKey,
        """
        The element of “\(link.rule.name)” says that it is no member any more, and has no readable \
        \(node.hasIdentity ? batch.node.identityText : "key") that tells which one.
        """)
      return true
    }
    part.removed[owner, default: []].insert(destination.references.number(ofKeyIn: cells))
    return true
  }

  private func isGone(
    _ token: Int, of source: ItemSource, node: StagingNode, role: Role
  ) throws -> Bool {
    if let mark = node.plan.tombstone, let value = source.tape.value(at: mark, from: token),
      source.tape.isMark(value)
    {
      return true
    }
    guard node.plan.deletes != nil || (request.deletes != nil && path.isAtTop) else { return false }
    let item = source.tape.value(token)
    do {
      if try node.plan.deletes?(item) == true { return true }
      return try path.isAtTop && request.deletes?(item) == true
    } catch {
      let refusal = SyncError(
        .invalidItem, entity: node.batch.entity.name, path: path.description,
        message: """
          Whether the item of “\(node.batch.entity.name)” is deleted cannot be told: \(error).
          """)
      try refuse(refusal)
      return false
    }
  }

  /// Whether the sync may change stored objects.
  private func isAllowed(_ role: Role) -> Bool {
    let isAtTop =
      switch role {
      case .beside: false
      default: role.owner == nil || role.owner == part.rootOwner
      }
    return !request.operations.isDisjoint(
      with: isAtTop ? [.update, .delete] : [.updateRelationships, .deleteRelationships])
  }
}

extension JSONTape {
  /// Whether a value says yes: `true`, a number but 0, a text such as a date, an object. `null`,
  /// `false`, 0 and texts that are empty or mean these do not.
  fileprivate func isMark(_ index: Int) -> Bool {
    switch tokens[index].kind {
    case .null, .false: false
    case .true, .object, .array: true
    case .integer: tokens[index].integer != 0
    case .number: (value(index).doubleValue ?? 0) != 0
    case .string, .escapedString:
      !["", "0", "false", "no", "null"].contains(string(index).lowercased())
    }
  }
}
