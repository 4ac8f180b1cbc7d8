import SyncCore

/// Lists that were edited here, as far as a sync may still change them.
extension MemberChanges {
  /// Compares the stored members of an owner whose list was edited here with its list in the payload:
  /// pairs that were not edited come and go, the order stays.
  ///
  /// - Returns: Whether anything was left alone.
  mutating func compareEdited(
    _ current: [Int64], with list: UnsafeBufferPointer<Int64>, of owner: Int64,
    protects: (_ member: Int64) -> Bool
  ) -> Bool {
    let present = Set(current)
    let listed = Set(list)
    var isWithheld = false
    var result: [Int64] = []
    for member in current {
      if listed.contains(member) || keeps(member, of: owner) {
        result.append(member)
      } else if protects(member) {
        isWithheld = true
        result.append(member)
      } else {
        removed.append((owner, member))
      }
    }
    for member in list where !present.contains(member) {
      if protects(member) {
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
