import SyncStore

/// The members of many owners, by row number: ascending by owner.
///
/// ```
/// owners   spans: start  count
/// │ 7 │         │ 0     │ 2    │──▶ members │ 41 │ 40 │
/// │ 9 │         │ 2     │ 1    │──▶         │ 12 │
/// ```
struct MemberLists {
  private(set) var owners: [Int64] = []
  private var spans: [(start: Int32, count: Int32)] = []
  let members = PlainArray<Int64>(capacity: 1)

  /// The members of one owner in their order, each once.
  @inline(__always)
  func members(of index: Int) -> UnsafeBufferPointer<Int64> {
    UnsafeBufferPointer(
      start: members.start + Int(spans[index].start), count: Int(spans[index].count))
  }

  /// Where the list of an owner stands; nil when it has none.
  ///
  /// - Parameter hint: Where it is looked for first. Becomes the one behind it, so that who asks for owners in their
  ///   order finds each at once.
  func index(ofOwner row: Int64, hint: inout Int) -> Int? {
    if hint >= owners.count || owners[hint] != row {
      var low = 0
      var high = owners.count
      while low < high {
        let middle = (low + high) / 2
        if owners[middle] < row { low = middle + 1 } else { high = middle }
      }
      hint = low
      guard low < owners.count, owners[low] == row else { return nil }
    }
    hint += 1
    return hint - 1
  }

  // MARK: - Making

  mutating func reserve(_ ownerCount: Int, _ memberCount: Int) {
    owners.reserveCapacity(ownerCount)
    spans.reserveCapacity(ownerCount)
    members.reserve(memberCount)
  }

  /// Begins the list of an owner.
  @inline(__always)
  mutating func begin(_ owner: Int64) {
    owners.append(owner)
    spans.append((Int32(members.count), 0))
  }

  /// Adds a member to the last list.
  @inline(__always)
  mutating func append(_ member: Int64) {
    members.append(member)
    spans[spans.count - 1].count += 1
  }

  /// Adds a member to the last list that does not have it, which is short.
  @inline(__always)
  mutating func appendOnce(_ member: Int64) {
    for index in Int(spans[spans.count - 1].start)..<members.count
    where members[index] == member { return }
    append(member)
  }

  /// Adds a member of an owner; those of one owner come one after the other.
  @inline(__always)
  mutating func append(_ member: Int64, of owner: Int64) {
    if owners.last != owner { begin(owner) }
    append(member)
  }

  /// Adds all lists of others.
  mutating func append(_ others: MemberLists) {
    for (index, owner) in others.owners.enumerated() {
      begin(owner)
      for member in others.members(of: index) { append(member) }
    }
  }

  /// Puts the members of the last list into the order of their row numbers.
  mutating func sortLast() {
    guard let last = spans.last, last.count > 1 else { return }
    var list = UnsafeMutableBufferPointer(
      start: members.start + Int(last.start), count: Int(last.count))
    for index in list.indices.dropFirst() where list[index - 1] > list[index] { return list.sort() }
  }

  /// Puts owners that came in another order into that of their row numbers.
  mutating func sortOwners() {
    guard !owners.indices.dropFirst().allSatisfy({ owners[$0 - 1] < owners[$0] }) else { return }
    let order = RowOrder.ascending(owners)
    owners = order.map { owners[$0] }
    spans = order.map { spans[$0] }
  }

  mutating func remove(at index: Int) {
    owners.remove(at: index)
    spans.remove(at: index)
  }
}
