/// The members of many owners, by row number: ascending by owner.
///
/// ```
/// owners   starts
/// │ 7 │    │ 0 │──▶ members │ 41 │ 40 │
/// │ 9 │    │ 2 │──▶         │ 12 │
/// ```
///
/// Nearly as large as the lists of the payload: they are made in the order of the owners' row
/// numbers, so that no entry has to be moved.
struct MemberLists {
  private(set) var owners: [Int64] = []
  private var starts: [Int32] = []
  let members = PlainArray<Int64>()

  /// The members of one owner in their order, each once.
  @inline(__always)
  func members(of index: Int) -> UnsafeBufferPointer<Int64> {
    let start = Int(starts[index])
    let end = index + 1 < starts.count ? Int(starts[index + 1]) : members.count
    return UnsafeBufferPointer(start: members.start + start, count: end - start)
  }

  /// Where the list of an owner stands; nil when it has none.
  ///
  /// - Parameter hint: Where it is looked for first. Becomes the one behind it, so that owners
  ///   asked for in their order are found at once.
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

  /// How many owners have row numbers below one.
  func ownerCount(before row: Int64) -> Int {
    guard let last = owners.last, last >= row else { return owners.count }
    var index = 0
    _ = self.index(ofOwner: row, hint: &index)
    return owners[..<index].last == row ? index - 1 : index
  }

  /// How many members the lists from an index on have.
  func memberCount(from index: Int) -> Int {
    index < starts.count ? members.count - Int(starts[index]) : 0
  }

  // MARK: - Making

  mutating func reserve(_ ownerCount: Int, _ memberCount: Int) {
    owners.reserveCapacity(ownerCount)
    starts.reserveCapacity(ownerCount)
    members.reserve(memberCount)
  }

  /// Begins the list of an owner, whose row number is not less than that of the one before.
  @inline(__always)
  mutating func begin(_ owner: Int64) {
    assert(owners.last.map { $0 <= owner } ?? true, "Owners come in the order of their numbers.")
    owners.append(owner)
    starts.append(Int32(members.count))
  }

  /// Adds a member to the last list.
  @inline(__always)
  mutating func append(_ member: Int64) {
    members.append(member)
  }

  /// Adds a member to the last list that does not have it, which is short.
  @inline(__always)
  mutating func appendOnce(_ member: Int64) {
    for index in Int(starts[starts.count - 1])..<members.count
    where members[index] == member { return }
    append(member)
  }

  /// Adds a member of an owner; those of one owner come one after the other.
  @inline(__always)
  mutating func append(_ member: Int64, of owner: Int64) {
    if owners.last != owner { begin(owner) }
    append(member)
  }

  /// Puts the members of the last list into the order of their row numbers.
  mutating func sortLast() {
    guard let start = starts.last, members.count - Int(start) > 1 else { return }
    var list = UnsafeMutableBufferPointer(
      start: members.start + Int(start), count: members.count - Int(start))
    for index in list.indices.dropFirst() where list[index - 1] > list[index] { return list.sort() }
  }

  /// Takes a list out.
  ///
  /// - Complexity: O(*n*) in the entries behind it.
  mutating func remove(at index: Int) {
    let count = members(of: index).count
    members.remove(from: Int(starts[index]), count: count)
    owners.remove(at: index)
    starts.remove(at: index)
    for later in index..<starts.count { starts[later] -= Int32(count) }
  }
}

/// Compares lists with their members as the store gives them, one by one and in their order.
/// Nothing is copied of lists that are the same.
struct ListComparison {
  private let wanted: MemberLists
  private let end: Int
  private var different = MemberLists()
  private var index: Int
  /// The list at the index: its owner, its members, how many of them came in its order, and whether
  /// another member did.
  private var owner: Int64 = 0
  private var list = UnsafeBufferPointer<Int64>(start: nil, count: 0)
  private var agreed = 0
  private var isDifferent = false

  /// - Parameter count: How many of the lists to compare, the first ones.
  init(_ wanted: MemberLists, count: Int) {
    self.wanted = wanted
    index = 0
    end = count
    open()
  }

  /// Takes the next stored member.
  ///
  /// - Parameter owner: one of those whose lists are compared, none before the last one.
  @inline(__always)
  mutating func see(_ member: Int64, of owner: Int64) {
    while self.owner != owner {
      guard index < end else { return }
      close()
    }
    if !isDifferent, agreed < list.count, list[agreed] == member {
      agreed += 1
    } else {
      if !isDifferent { copyAgreed() }
      different.append(member)
    }
  }

  /// The stored members of the lists that are not the same, each under the index of the list.
  mutating func finish() -> MemberLists {
    while index < end { close() }
    return different
  }

  private mutating func close() {
    if !isDifferent, agreed < list.count { copyAgreed() }
    index += 1
    open()
  }

  private mutating func open() {
    agreed = 0
    isDifferent = false
    guard index < end else { return }
    owner = wanted.owners[index]
    list = wanted.members(of: index)
  }

  private mutating func copyAgreed() {
    isDifferent = true
    different.begin(Int64(index))
    for member in list.prefix(agreed) { different.append(member) }
  }
}
