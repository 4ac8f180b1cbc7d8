import SyncCore

/// What the payload says about one relationship of one batch, owner after owner, in payload order.
///
/// ```
/// owners   kinds      starts  counts
/// │ 0    │ objects  │ 0     │ 2     │──▶ targets │ 5 │ 6 │        occurrences of the destination
/// │ 1    │ objects  │ 2     │ 0     │
/// │ 3    │ keys     │ 2     │ 1     │──▶ targets │ ~0 │           ones' complement: a reference
/// ```
struct LinkMentions {
  enum Kind: UInt8 {
    /// Nested objects (or none, by an empty list or null under the objects key): members that are
    /// not listed go, by the rules of the relationship.
    case objects
    /// Keys only (or none, by an empty list or null under the keys' name): members that are not
    /// listed are unlinked, never deleted.
    case keys
  }

  private(set) var owners: [Int32] = []
  private(set) var kinds: [Kind] = []
  private(set) var starts: [Int32] = []
  private(set) var counts: [Int32] = []

  /// Destinations: an occurrence, or the ones' complement of a reference.
  private(set) var targets: [Int32] = []

  var count: Int { owners.count }

  mutating func append(owner: Int32, kind: Kind, targets list: some Collection<Int32>) {
    owners.append(owner)
    kinds.append(kind)
    starts.append(Int32(targets.count))
    counts.append(Int32(list.count))
    targets.append(contentsOf: list)
  }

  func targets(of mention: Int) -> ArraySlice<Int32> {
    let start = Int(starts[mention])
    return targets[start..<start + Int(counts[mention])]
  }
}
