import SyncCore

/// Leaving out of unusable items.
extension Stager {
  /// An item that stops the sync, as the policy says: nothing behind it is read.
  struct Stop: Error {
    let item: Int
    let error: SyncError
  }

  /// Leaves an object out that has no readable identity, or stops, as the policy says.
  func skip(_ batch: Batch, _ code: SyncError.Code, _ reason: String) throws {
    let error = SyncError(
      code, entity: batch.entity.name,
      property: code == .missingKey ? batch.node.identityName : nil, path: path.description,
      message: reason)
    if request.onItemError == .fail { throw Stop(item: part.items.end - 1, error: error) }
    noteRejected(error, in: batch)
  }

  /// Reports an object that is left out.
  func noteRejected(_ error: SyncError, in batch: Batch) {
    report[batch.entity].skipped += 1
    report.note(.skippedItem, batch.entity, path: path.description, message: error.message)
    guard path.isAtTop else { return }
    if report.content.firstRejected == nil {
      report.content.firstRejected = request.version.rejected[part.items.end - 1] ?? error
    }
    note(batch.entity, key: .null, error)
  }

  /// Counts an item that a validator dropped: as if it had not come.
  func noteDropped(_ node: StagingNode) {
    report[node.batch.entity].skipped += 1
    if path.isAtTop { part.items.dropped += 1 }
  }

  /// Reports that the item is left out, of which everything is staged but nothing counts.
  func reject(_ occurrence: Int32, of batch: Batch) throws {
    guard let error = request.version.rejected[part.items.end - 1] else { return }
    let key = batch.key(batch.block[occurrence])
    report[batch.entity].skipped += 1
    report.note(
      .skippedItem, batch.entity, property: error.property, key: key.description,
      path: path.description, message: error.message)
    note(batch.entity, key: key, error)
  }

  /// Whether an item says something that its entity knows beside the key, or has nothing but the
  /// key. One of which neither is true is hardly one of the objects that are wanted: `{"id": 401,
  /// "message": "unauthorised"}`.
  func saysSomething(_ source: ItemSource) -> Bool {
    let source = part.version.replacements?[source.address(source.root)] ?? source
    let node = plan.rootNode
    let knowsMore = node.attributes.count + node.relationships.count > node.identity.count
    guard knowsMore, node.members.itself.isEmpty, case .object = source.tokens[source.root].kind
    else { return true }
    var knowsAll = true
    var position = source.root + 1
    for _ in 0..<Int(truncatingIfNeeded: source.tokens[source.root].word) {
      let number = node.members.find(source.tape.text(position, arena: arena))
      if number < 0 {
        knowsAll = false
      } else if !node.isKey(node.members.entries[number]) {
        return true
      }
      position = Int(source.tokens[position + 1].next)
    }
    return knowsAll
  }

  /// Notes that the object of an element of a list is unknown: the list then adds, but takes
  /// nothing away.
  func noteUnreadable(_ role: Role) {
    switch role {
    case .toOne, .beside: return
    default: break
    }
    if let owner = role.owner, owner != part.rootOwner {
      noteUnreadable(listOf: owner)
    } else {
      part.unreadable.hasRootKey = true
    }
  }

  func noteUnreadable(listOf owner: Owner) { part.unreadable.lists.insert(owner) }

  private func note(_ entity: EntityDescription, key: Value, _ error: SyncError) {
    part.refusals.rejected.append(
      RejectedItem(
        index: part.items.end - 1, path: path.description, entity: entity, key: key,
        json: item.text,
        reason: error))
  }

  /// A rule of the plan refuses something in the item: it is left out when the payload is staged
  /// again, or the sync stops, as the policy says.
  func refuse(_ error: SyncError) throws {
    if request.onItemError == .fail { throw Stop(item: part.items.end - 1, error: error) }
    if !item.isRejected, part.refusals.offenders[part.items.end - 1] == nil {
      part.refusals.offenders[part.items.end - 1] = error
    }
  }
}

extension PlanNode {
  /// Whether a key of JSON fills nothing but attributes of the identity.
  fileprivate func isKey(_ entry: MemberEntry) -> Bool {
    entry.child == nil
      && entry.targets.allSatisfy { $0.kind == .attribute && attributes[$0.rule].isIdentity }
  }
}
