/// The changes of the lists of one relationship.
struct MemberChanges {
  let isOrdered: Bool

  /// Pairs that the other side lists, so that they stay.
  let fromOtherSide: Set<LinkPlanner.Pair>

  /// Owners that keep members that they do not list.
  let keeping: Set<Int64>

  /// Pairs of which a list says that they are none any more.
  let leaving: Set<LinkPlanner.Pair>
  /// The member that every owner keeps.
  var keptMember: Int64 = 0
  /// Pairs that come without a place in the order.
  var appended: [(owner: Int64, member: Int64)] = []
  var added: [(owner: Int64, member: Int64)] = []
  var addedPositions: [Int64] = []
  var removed: [(owner: Int64, member: Int64)] = []
  var positions: [(owner: Int64, member: Int64, position: Int64)] = []

  func keeps(_ member: Int64, of owner: Int64) -> Bool {
    let pair = LinkPlanner.Pair(owner: owner, member: member)
    return member == keptMember || fromOtherSide.contains(pair)
      || keeping.contains(owner) && !leaving.contains(pair)
  }

  /// Compares the stored members of an owner, in order, with its list in the payload.
  mutating func compare(
    _ current: [Int64], with list: UnsafeBufferPointer<Int64>, of owner: Int64
  ) {
    if isOrdered { return compareOrdered(current, with: list, of: owner) }
    var position = 0
    for member in current {
      while position < list.count, list[position] < member {
        added.append((owner, list[position]))
        position += 1
      }
      if position < list.count, list[position] == member {
        position += 1
      } else if !keeps(member, of: owner) {
        removed.append((owner, member))
      }
    }
    for member in list[position...] { added.append((owner, member)) }
  }

  private mutating func compareOrdered(
    _ current: [Int64], with list: UnsafeBufferPointer<Int64>, of owner: Int64
  ) {
    let present = Set(current)
    let listed = Set(list)
    if list.allSatisfy(present.contains) {
      // Omitted members that stay stand behind the list; when that is so already, nothing moves.
      let staying = current.filter { listed.contains($0) || keeps($0, of: owner) }
      let wanted = list + current.filter { !listed.contains($0) && keeps($0, of: owner) }
      for member in current where !listed.contains(member) && !keeps(member, of: owner) {
        removed.append((owner, member))
      }
      guard staying != wanted else { return }
      for (position, member) in wanted.enumerated() {
        positions.append((owner, member, Int64(position)))
      }
      return
    }
    var position: Int64 = 0
    for member in list {
      if present.contains(member) {
        positions.append((owner, member, position))
      } else {
        added.append((owner, member))
        addedPositions.append(position)
      }
      position += 1
    }
    for member in current where !listed.contains(member) {
      if keeps(member, of: owner) {
        positions.append((owner, member, position))
        position += 1
      } else {
        removed.append((owner, member))
      }
    }
  }
}

/// Lists that were edited here, as far as a sync may still change them.
extension MemberChanges {
  /// Compares the stored members of an owner whose list was edited here with its list in the
  /// payload: pairs that were not edited come and go, the order stays.
  ///
  /// - Returns: Whether anything was left alone.
  mutating func compareEdited(
    _ current: [Int64], with list: UnsafeBufferPointer<Int64>, of owner: Int64,
    protects: (_ member: Int64, _ isThere: Bool) -> Bool
  ) -> Bool {
    let present = Set(current)
    let listed = Set(list)
    var isWithheld = false
    var result: [Int64] = []
    for member in current {
      if listed.contains(member) || keeps(member, of: owner) {
        result.append(member)
      } else if protects(member, true) {
        isWithheld = true
        result.append(member)
      } else {
        removed.append((owner, member))
      }
    }
    for member in list where !present.contains(member) {
      if protects(member, false) {
        isWithheld = true
      } else {
        appended.append((owner, member))
        result.append(member)
      }
    }
    guard isOrdered else { return isWithheld }
    let wanted = list + current.filter { !listed.contains($0) && keeps($0, of: owner) }
    return isWithheld || result != wanted
  }
}
