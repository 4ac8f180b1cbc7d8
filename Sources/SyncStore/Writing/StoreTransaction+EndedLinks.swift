package import SyncCore

/// Links that are edits no more. A link is one fact, though both its objects may have something to
/// send: when the edit of one end has been acknowledged, or given up, it has been for the other.
extension StoreTransaction {
  /// Ends at their other ends the edits of links that an entry of an outbox no longer has.
  ///
  /// - Parameters:
  ///   - slots: The lists that the object says when it is sent; nil is all. The links of others are
  ///     still to be sent by their other ends.
  ///   - isGivenUp: Whether the other ends have nothing to send of them either, because the edit
  ///     was given up. After an answer they still send the members of the API.
  /// - Complexity: one statement for each link that ended.
  package func endLinks(
    from before: OutboxEntry, to after: OutboxEntry, slots: SlotSet?, isGivenUp: Bool = false,
    in outbox: String
  ) throws {
    guard let edit = before.edit, edit.kind != .delete, after.edit?.kind != .delete else { return }
    let entity = before.id.entity
    for list in entity.relationships where list.kind == .manyToMany {
      guard let inverse = entity.inverse(of: list), slots?.contains(list.slot) != false,
        edit.kind == .insert || edit.slots.contains(list.slot),
        let left = after.edit.map({ $0.editedLinks(list) }) ?? []
      else { continue }
      let now = try members(of: list, in: entity, owners: [before.id.row]).map(\.row)
      let ended = (edit.editedLinks(list) ?? Set(now)).subtracting(left)
      let destination = entity.destination(of: list)
      for member in ended.sorted() {
        let id = ManagedObjectID(entity: destination, row: member)
        guard let other = try outboxEntry(id, in: outbox) else { continue }
        var entry = other
        entry.endLink(inverse, to: before.id.row, isGivenUp: isGivenUp)
        if entry != other { try setOutboxEntry(entry, before: other, in: outbox) }
      }
    }
  }
}

extension OutboxEntry.Edit {
  /// The members whose links are edits; nil when all may be.
  fileprivate func editedLinks(_ list: RelationshipDescription) -> Set<Int64>? {
    if kind == .insert { return nil }
    return slots.contains(list.slot) ? base[list: list].edited : []
  }

  /// Whether nothing of the list is left.
  fileprivate mutating func endLink(_ list: RelationshipDescription, to row: Int64) -> Bool {
    guard kind == .update, slots.contains(list.slot), base[list.name] != nil else { return false }
    base[list: list].edited?.remove(row)
    return base[list: list].edited?.isEmpty == true
  }
}

extension OutboxEntry {
  fileprivate mutating func endLink(
    _ list: RelationshipDescription, to row: Int64, isGivenUp: Bool
  ) {
    _ = sent?.edit.endLink(list, to: row)
    guard waiting?.endLink(list, to: row) == true, isGivenUp else { return }
    waiting?.slots.subtract([list.slot])
    waiting?.base[list.name] = nil
    if waiting?.slots.isEmpty == true { waiting = nil }
  }
}
