import SyncCore

/// Which members of many-to-many lists came and which went first in the parts of a payload, for the lists that are asked
/// for: each part reads of the log only what came since.
///
/// Confined to its sync.
final class PairIndex {
  private struct List: Hashable {
    var relationship: PartMemory.Relationship
    var inverse: PartMemory.Relationship?
  }

  private struct Pairs {
    var place = StatementLog.Place()
    /// By owner and member, whether the member came first.
    var areAdded: [Int64: [Int64: Bool]] = [:]
  }

  private var pairs: [List: Pairs] = [:]

  /// Turns the members of stored owners into those of before the first part of the payload.
  ///
  /// - Complexity: O(*n*) expected in what changed for the owners, besides what the parts said since the list was
  ///   asked for last.
  func undo(
    _ relationship: RelationshipDescription, of entity: EntityDescription, _ owners: Set<Int64>,
    _ parts: PartMemory, in members: inout [Int64: Set<Int64>], _ checkpoint: () throws -> Void
  ) rethrows {
    let list = List(
      relationship: .init(relationship),
      inverse: entity.inverse(of: relationship).map { .init($0) })
    guard let changed = parts.paired[list.relationship], owners.contains(where: changed.contains)
    else { return }
    // Taken out, so that it is changed in place.
    var pairs = pairs.removeValue(forKey: list) ?? Pairs()
    try read(parts.log, list, &pairs, checkpoint)
    for owner in owners {
      // What came first was not there before, what went first was.
      for (member, isAdded) in pairs.areAdded[owner] ?? [:] {
        if isAdded {
          members[owner]?.remove(member)
        } else {
          members[owner, default: []].insert(member)
        }
      }
    }
    self.pairs[list] = pairs
  }

  private func read(
    _ log: StatementLog, _ list: List, _ pairs: inout Pairs, _ checkpoint: () throws -> Void
  ) rethrows {
    func note(_ owner: Int64, _ member: Int64, _ isAdded: Bool) {
      if pairs.areAdded[owner]?[member] == nil {
        pairs.areAdded[owner, default: [:]][member] = isAdded
      }
    }
    // Apart, because the place is written while the log is read.
    var place = pairs.place
    try log.forEachStatement(after: &place, checkpoint) { _, statement in
      guard statement.kind == .pair else { return }
      let isAdded = statement.flags.contains(.isAdded)
      if statement.relationship == list.relationship {
        note(statement.row, statement.members[0], isAdded)
      }
      if statement.relationship == list.inverse {
        note(statement.members[0], statement.row, isAdded)
      }
    }
    pairs.place = place
  }
}

@available(*, unavailable, message: "An index is confined to its sync.")
extension PairIndex: Sendable {}
