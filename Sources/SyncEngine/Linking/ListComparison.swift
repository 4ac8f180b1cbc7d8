/// Compares lists with their members as the store gives them, one by one and in their order. Nothing is copied of
/// lists that are the same.
struct ListComparison {
  private let wanted: MemberLists
  private let end: Int
  private var different = MemberLists()
  private var index: Int
  /// The list at the index: whose it is, what is in it, how much of it came in its order, and whether something else
  /// did.
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
