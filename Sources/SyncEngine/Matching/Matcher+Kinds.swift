import SyncCore
import SyncStore

/// Objects that are of another subentity than the stored object of their key.
extension Matcher {
  /// Notes which stored objects go because a new one of another kind takes their place: it has
  /// their key, and their owner where it stands in a list that its members have to themselves.
  func noteChangedKinds() throws {
    for batch in batches
    where batch.staged.ofSubentities.bareCount > 0 && batch.node.identity.count == 1 {
      let slot = batch.node.identity[0]
      let kinds = Set(batch.staged.ofSubentities.objects.values.map(\.batch)).sorted().map {
        batches[$0]
      }
      .filter { $0.node.identity == [slot] }
      var keys: [Cell] = []
      for kind in kinds {
        for (index, object) in kind.matches.enumerated()
        where object.flags.contains(.inserted)
          && !object.traits.contains(.keyless) && !object.flags.contains(.folded)
        {
          keys.append(kind.cells(index)[slot])
        }
      }
      guard !keys.isEmpty else { continue }
      var replaced:
        [(row: Int64, entity: EntityDescription, key: Value, by: MatchedBatch, isTop: Bool)] =
          []
      try transaction.scan(batch.entity, .keys(slot: slot, keys)) { cursor in
        guard cursor.row < matches.firstNewRows[batch.entity.rootIndex] ?? .max else { return }
        for kind in kinds where !cursor.entity.isKind(of: kind.entity) {
          guard let object = newObject(of: cursor, slot, in: kind) else { continue }
          replaced.append(
            (
              cursor.row, cursor.entity, cursor.value(slot), kind,
              isTop: kind.matches[object].traits.contains(.root)
            ))
          return
        }
      }
      for old in replaced where !claims.isMentioned(old.row, old.entity) {
        let goes = operations.contains(old.isTop ? .delete : .deleteRelationships)
        report.note(
          .changedKind, old.entity, key: old.key.description,
          message: """
            \(old.entity.name) \(old.key) is of the entity \(old.by.entity.name) now: a new object takes its place\
            \(goes ? "" : ", and the old one stays, because this sync may not delete it").
            """)
        guard goes else { continue }
        claims.update(.nested(old.entity.index)) { $0.insert(old.row) }
        // It comes back as another one: the deletion guard has nothing to say.
        claims.state.memberCount += 2
      }
    }
  }

  /// The new object that has the key of a stored one of another kind, and its owner where it
  /// belongs to one.
  private func newObject(of cursor: RowCursor, _ slot: Int, in kind: MatchedBatch) -> Int32? {
    var candidate = kind.occurrence { cursor.cell($0) }
    while candidate >= 0 {
      let object = kind.matches[candidate]
      let inverse =
        object.isOwned
        ? matches.rule(of: object).relationship.inverseSlot : nil
      if object.flags.contains(.inserted),
        inverse.map({ cursor.integer($0) == ownerRow(object) }) ?? true
      {
        return candidate
      }
      candidate = object.next
    }
    return nil
  }
}

extension MatchedBatch {
  /// The batches of objects of subentities.
  func deeperBatches(among batches: [MatchedBatch]) -> [MatchedBatch] {
    entity.subentities.isEmpty ? [] : batches.filter { $0.node.isSubentity(of: node) }
  }

  /// Whether no object of the entity and its subentities has a key.
  func isKeyless(among batches: [MatchedBatch]) -> Bool {
    node.identity.isEmpty && deeperBatches(among: batches).allSatisfy(\.node.identity.isEmpty)
  }

  /// The batches of objects of subentities that are told apart by the same key.
  func subentityBatches(among batches: [MatchedBatch]) -> [MatchedBatch] {
    guard !node.identity.isEmpty else { return [] }
    return deeperBatches(among: batches).filter { $0.node.identity == node.identity }
  }
}
