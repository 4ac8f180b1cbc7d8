import SyncCore

/// What matching found out about a part of a payload: which stored rows its objects are, and which are new.
final class Matches {
  let part: StagedPart
  /// By the number of their nodes.
  let batches: [MatchedBatch]

  /// The column of ``StoredRows/references`` that leads to the owner, by the owner's batch and rule;
  /// -1 where none does.
  let memberColumns: [[Int]]

  /// First row number given out by this part, by root entity: rows from there on are new.
  var firstNewRows: [Int: Int64] = [:]

  init(_ part: StagedPart) {
    self.part = part
    batches = part.batches.map { MatchedBatch($0, parent: part.parent) }
    memberColumns = part.batches.map { owners in
      owners.node.relationships.map { rule in
        rule.relationship.inverseSlot
          .flatMap { part.batches[rule.node].node.columns.toOne.firstIndex(of: $0) } ?? -1
      }
    }
    for (occurrence, row) in part.items.targetRows {
      batches[part.root].occurrences[occurrence].row = row
    }
  }

  var rootBatch: MatchedBatch { batches[part.root] }

  /// Occurrences of all batches.
  var count: Int { batches.reduce(0) { $0 + $1.occurrences.count } }

  /// Where the object of an occurrence is described: with a mention under a subentity there.
  func object(
    _ occurrence: Int32, in batch: MatchedBatch
  ) -> (batch: MatchedBatch, occurrence: Int32) {
    guard let other = batch.staged.ofSubentities[occurrence] else { return (batch, occurrence) }
    return (batches[other.batch], other.occurrence)
  }
}

@available(*, unavailable, message: "Matches are confined to the sync that owns them.")
extension Matches: Sendable {}
