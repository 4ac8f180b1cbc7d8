import SyncCore
import SyncStore

/// Which stored row an occurrence of explicit mapping is: the one of its key in its group, whoever owns it; else a new
/// object.
extension Matcher {
  func decideByKey(_ occurrence: Int32, in batch: MatchedBatch) throws {
    let mention = batch.occurrences[occurrence]
    guard mention.flags.isDisjoint(with: [.forced, .keyless]) else {
      if mention.flags.contains(.forced) { return fixIdentity(of: occurrence, in: batch) }
      return decideByLink(occurrence, in: batch)
    }
    let head = batch.index.find(identityOf: batch.block[occurrence])
    let group = batch.staged.groups.group(of: occurrence)
    if let known = groups[batch.number].noteObject(occurrence, ofKey: head, in: group) {
      return join(occurrence, batch.representative(known), in: batch)
    }
    var rows = storedRows(of: head, in: batch)
    if group >= 0 {
      rows = try rows.filter {
        try groups[batch.number].contains(batch.stored.rows[$0], in: Int(group))
      }
    }
    guard let first = rows.first else {
      forget(occurrence, in: batch)
      return fixIdentity(of: occurrence, in: batch)
    }
    if rows.count > 1 { try decideDuplicates(rows.dropFirst(), of: occurrence, in: batch) }
    share(first, with: occurrence, in: batch)
  }

  /// Decides about the other stored objects of a key, by the policy.
  private func decideDuplicates(
    _ rows: ArraySlice<Int32>, of occurrence: Int32, in batch: MatchedBatch
  ) throws {
    switch batch.node.policy.storedDuplicates {
    case .keepOne: return
    case .fail:
      let key = batch.key(batch.block[occurrence]).description
      throw SyncError(
        .ambiguousStored, entity: batch.entity.name, property: batch.node.identityName, key: key,
        message: """
          \(rows.count + 1) stored objects of “\(batch.entity.name)” have the key \(key). Delete all but one, or \
          let the policy say what becomes of them.
          """)
    case .updateAll:
      let isAllowed = isAllowed(batch.occurrences[occurrence], isStored: true)
      for index in rows where batch.stored.occurrences[index] < 0 {
        let copy = batch.occurrence(ofStored: index)
        batch.occurrences[copy].flags = [.reached, .decided, .uncompared]
        if isAllowed { batch.occurrences[copy].flags.insert(.active) }
        batch.copies.append((occurrence, index, takesValues: isAllowed))
      }
    }
  }

  /// Notes which stored objects nested lists speak for, before anything is written.
  func noteDeletingGroups() throws {
    for batch in batches {
      for group in batch.staged.groups.deleting.sorted() {
        try claims.update(.nested(batch.entity.index)) { rows in
          if group >= 0 {
            rows.formUnion(try groups[batch.number].rows(of: Int(group)))
          } else {
            try transaction.rowNumbers(of: batch.entity) { rows.insert($0) }
          }
        }
      }
    }
  }
}
