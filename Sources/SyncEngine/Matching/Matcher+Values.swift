import SyncCore
import SyncStore

/// Which stored member of its owner each object without a key is, in a list that owns its members.
///
/// 1. One that has exactly its values, those that the item does not mention being empty.
/// 2. One that has all that the item mentions. Items that say more choose first.
/// 3. One of the remaining members, one after the other: the item replaces it, and it keeps no
///    value that the item lacks. Not where the list is partial: the members that it omits are
///    unknown.
/// 4. A new object.
///
/// Values are laid together by their hashes. Members that are taken are compared afterwards, so
/// that equal hashes decide nothing else.
extension Matcher {
  func matchValues(_ wave: [Int32], in batch: MatchedBatch) throws {
    var lists: [OwnedList: [Int32]] = [:]
    for occurrence in wave {
      let match = batch.matches[occurrence]
      guard match.traits.contains(.value), !match.traits.contains(.forced), match.owner >= 0
      else { continue }
      let owner = matches.owner(of: match).match
      guard owner.row > 0, !owner.flags.contains(.inserted) else { continue }
      lists[OwnedList(owner: owner.row, list: match.list), default: []].append(occurrence)
    }
    guard !lists.isEmpty else { return }
    let patterns = ValuePatterns(lists.values.joined(), of: batch, part.arena)
    let members = try storedMembers(of: lists, in: batch)
    let rows = members.values.joined().map { batch.stored.rows[$0] }
    var hashes: [Int32: [UInt64]] = [:]
    try transaction.scan(batch.entity, .rows(rows)) { cursor in
      if let index = batch.stored.index(ofRow: cursor.row) {
        hashes[index] = patterns.hashes(cursor)
      }
    }
    var replaced: Set<Int32> = []
    for (place, occurrences) in lists.sorted(on: { $0.value[0] }) {
      try control.checkpoint()
      // Where owners share a member, the first one has it.
      var free = (members[place] ?? []).filter { isFree($0, of: batch) }
      var rest = patterns.takeEqual(occurrences, from: &free, hashes) {
        take($0, for: $1, in: batch)
      }
      let match = batch.matches[occurrences[0]]
      let list = Owner(batch: place.list.batch, owner: match.owner, rule: place.list.rule)
      if part.unreadable.lists.contains(list) { rest = [] }
      // An object inserted here and not sent yet is not replaced.
      let places = free.filter {
        edits?.isInserted(batch.stored.rows[$0], of: batch.entity) != true
      }
      for (occurrence, index) in zip(rest, places) {
        take(index, for: occurrence, in: batch)
        if batch.matches[occurrence].flags.contains(.active) { replaced.insert(occurrence) }
      }
    }
    replace(replaced, in: batch)
  }

  /// The members that the owners have, in order, as indexes of stored rows. Those of other entities
  /// are none of the batch's.
  private func storedMembers(
    of lists: [OwnedList: [Int32]], in batch: MatchedBatch
  ) throws -> [OwnedList: [Int32]] {
    var result: [OwnedList: [Int32]] = [:]
    for (list, places) in Dictionary(grouping: lists.keys, by: \.list) {
      let owners = batches[list.batch]
      let relationship = owners.node.relationships[list.rule].relationship
      let members = try transaction.members(
        of: relationship, in: owners.entity, owners: places.map(\.owner).sorted()
      ).filter { $0.entity == batch.entity }
      try loadRows(members.map(\.row), in: batch)
      for member in members {
        guard let index = batch.stored.index(ofRow: member.row),
          !(hasParts && claims.isParentMember(member.row))
        else { continue }
        result[OwnedList(owner: member.owner, list: list), default: []].append(index)
      }
    }
    return result
  }

  /// Empties attributes and relationships that items lack, of the objects that they replace.
  private func replace(_ occurrences: Set<Int32>, in batch: MatchedBatch) {
    guard !occurrences.isEmpty else { return }
    let defaults = batch.node.defaultCells(in: part.arena)
    for occurrence in occurrences {
      let cells = batch.changeableCells(occurrence)
      for slot in batch.node.columns.attributes where cells[slot].isAbsent {
        cells[slot] = defaults[slot]
      }
    }
    for (rule, relationship) in batch.node.relationships.enumerated() {
      let silent = occurrences.subtracting(batch.mentions[rule].owners).filter { occurrence in
        let way = matches.rule(of: batch.matches[occurrence])
        return way.relationship.inverseSlot != relationship.slot
      }
      batch.empty(rule, of: silent.sorted())
    }
  }
}

/// Which attributes the items of a batch mention, and the hashes of the values they have there.
private struct ValuePatterns {
  private let batch: MatchedBatch
  private let defaults: [Cell]
  /// All attributes, then those that items mention, the largest set first.
  private let patterns: [[Int]]
  private let numbers: [SlotSet: Int]

  /// Patterns that are told apart; items of others are matched by place.
  private static let limit = 16

  init(_ occurrences: some Sequence<Int32>, of batch: MatchedBatch, _ arena: CellArena) {
    self.batch = batch
    defaults = batch.node.defaultCells(in: arena)
    let sets = Set(occurrences.map { ValuePatterns.mentioned(by: $0, in: batch) }).map(Array.init)
    let kept = sets.sorted {
      $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count > $1.count
    }.prefix(ValuePatterns.limit)
    patterns = [batch.node.columns.attributes] + kept
    var numbers: [SlotSet: Int] = [:]
    for (number, slots) in kept.enumerated() {
      var set = SlotSet()
      for slot in slots { set.insert(slot) }
      numbers[set] = number + 1
    }
    self.numbers = numbers
  }

  private static func mentioned(by occurrence: Int32, in batch: MatchedBatch) -> SlotSet {
    let cells = batch.cells(occurrence)
    var result = SlotSet()
    for slot in batch.node.columns.attributes where !cells[slot].isAbsent { result.insert(slot) }
    return result
  }

  /// The hashes of a stored row, one for each pattern.
  func hashes(_ cursor: RowCursor) -> [UInt64] {
    patterns.map { slots in hash(slots) { cursor.cell($0) } }
  }

  private func hash(_ slots: [Int], _ cell: (Int) -> Cell) -> UInt64 {
    var result: UInt64 = 0
    for slot in slots {
      let cell = cell(slot)
      let kind: UInt64 = cell.isEmpty ? 1 : 2
      result = (result ^ KeyIndex.wideHash(cell) ^ kind) &* 0x9E37_79B9_7F4A_7C15
      result ^= result >> 31
    }
    return result
  }

  /// Takes members that have the values of occurrences.
  ///
  /// - Parameters:
  ///   - members: The members that may be taken; becomes the remaining ones.
  ///   - hashes: Of the members.
  /// - Returns: The occurrences of which no member has the values.
  func takeEqual(
    _ occurrences: [Int32], from members: inout [Int32], _ hashes: [Int32: [UInt64]],
    take: (Int32, Int32) -> Void
  ) -> [Int32] {
    var rest = occurrences
    for (number, slots) in patterns.enumerated() {
      let chosen = rest.filter {
        let mentioned = ValuePatterns.mentioned(by: $0, in: batch)
        // Without any value all members would be equal.
        return !mentioned.isEmpty && (number == 0 || numbers[mentioned] == number)
      }
      guard !chosen.isEmpty, !members.isEmpty else { continue }
      // The first of equal ones is taken first.
      var places: [UInt64: [Int32]] = [:]
      for member in members.reversed() {
        if let hashes = hashes[member] { places[hashes[number], default: []].append(member) }
      }
      var taken: Set<Int32> = []
      for occurrence in chosen {
        let cells = batch.cells(occurrence)
        let hash = hash(slots) { cells[$0].isAbsent ? defaults[$0] : cells[$0] }
        guard let member = places[hash]?.popLast() else { continue }
        take(member, occurrence)
        taken.formUnion([member, ~occurrence])
      }
      members.removeAll(where: taken.contains)
      rest.removeAll { taken.contains(~$0) }
    }
    return rest
  }
}

extension PlanNode {
  /// The values of a new object in each slot before an item fills it.
  fileprivate func defaultCells(in arena: CellArena) -> [Cell] {
    var result = Array(repeating: Cell.null, count: entity.properties.count)
    for (slot, value) in columns.defaults {
      result[slot] = arena.cell(value, as: entity.properties[slot].attribute?.type)
    }
    return result
  }
}
