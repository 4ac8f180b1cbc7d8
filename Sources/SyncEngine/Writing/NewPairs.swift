/// The pairs of the last of some lists, whose owners are new, ascending.
struct NewPairs {
  private let lists: MemberLists
  private var next: Int

  /// How many pairs there are.
  let count: Int

  init(_ lists: MemberLists, from index: Int) {
    self.lists = lists
    next = index
    count = lists.memberCount(from: index)
  }

  /// Appends the pairs of the next owners, until a portion is full.
  mutating func take(into portion: inout [(owner: Int64, member: Int64)], upTo limit: Int) {
    while next < lists.owners.count, portion.count < limit {
      let owner = lists.owners[next]
      for member in lists.members(of: next) { portion.append((owner, member)) }
      next += 1
    }
  }
}
