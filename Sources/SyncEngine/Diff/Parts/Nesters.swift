import SyncCore

/// Who nested objects in lists that only one owner has, where the store does not tell: their list was given
/// again, or they moved since.
///
/// Which object a later part of the payload means goes by who nested it, whatever became of the list. Most
/// objects stay where they were nested, so nothing is kept of them.
struct Nesters: Codable, Sendable {
  typealias Relationship = Claims.Relationship

  private var owners: [Relationship: RowNumbers] = [:]

  /// Who nested a row, if that was noted.
  func owner(of row: Int64, under list: Relationship) -> Int64? {
    owners[list]?[row]
  }

  /// Notes an owner. The first one counts: nobody else may have the object in this payload.
  mutating func note(_ owner: Int64, of row: Int64, under list: Relationship) {
    if owners[list]?[row] == nil { owners[list, default: RowNumbers()][row] = owner }
  }

  // MARK: - Keeping

  /// Notes that everything so far is kept.
  mutating func mark() { owners.mark() }

  var growth: [Relationship: RowNumbers.Growth] { owners.compactMapValues(\.growth) }

  mutating func add(_ growth: [Relationship: RowNumbers.Growth]) { owners.add(growth) }

  // MARK: - Collecting

  /// Notes who nested objects in a linked part and does not have them when it is written.
  ///
  /// - Throws: `CancellationError`.
  mutating func note(_ planner: LinkPlanner) throws {
    for batch in planner.batches {
      for (rule, relationship) in batch.node.relationships.enumerated()
      where relationship.relationship.kind == .oneToMany {
        let destination = planner.batches[relationship.node]
        guard let inverse = relationship.relationship.inverseSlot else { continue }
        let mentions = batch.mentions[rule]
        let key = Relationship(relationship.relationship)
        try planner.allMentions(rule, of: batch) { mention, owner, isReplaced in
          if mention % SyncControl.stride == 0 { try planner.control.checkpoint() }
          let row = batch.occurrences[Int(owner)].row
          for target in mentions.targets(of: mention) where target >= 0 {
            let member = destination.representative(target)
            let memberRow = destination.occurrences[Int(member)].row
            guard memberRow > 0 else { continue }
            let cell = destination.block[Int(member)][inverse]
            if isReplaced || cell.holdsNothing || cell.integer != row {
              note(row, of: memberRow, under: key)
            }
          }
        }
      }
    }
  }
}
