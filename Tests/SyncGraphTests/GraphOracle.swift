/// The expected relationships, written down without objects: those of `TestModels.relationships()`,
/// by numbers of its A and B.
struct GraphOracle: Equatable {
  var partner: [Int: Int] = [:]  // A -> B
  var items: [Int: [Int]] = [:]  // A -> B, ordered
  var links: [Int: [Int]] = [:]  // A -> B, ordered
  var linked: [Int: [Int]] = [:]  // B -> A, ordered
  var other: [Int: Int] = [:]  // A -> B
  var others: [Int: Set<Int>] = [:]  // A -> B
  var friends: [Int: Set<Int>] = [:]  // A -> A

  mutating func pair(_ a: Int, _ b: Int?) {
    if let b { partner = partner.filter { $0.value != b } }
    partner[a] = b
  }

  mutating func unpair(b: Int) {
    partner = partner.filter { $0.value != b }
  }

  func owner(of b: Int) -> Int? { items.first { $0.value.contains(b) }?.key }

  mutating func own(_ a: Int?, _ b: Int) {
    if let old = owner(of: b) {
      guard old != a else { return }
      items[old]?.removeAll { $0 == b }
    }
    if let a { items[a, default: []].append(b) }
  }

  mutating func setItems(_ a: Int, _ list: [Int]) {
    for b in list { own(a, b) }
    items[a] = list
  }

  mutating func setLinks(_ a: Int, _ list: [Int]) {
    for b in links[a] ?? [] where !list.contains(b) { linked[b]?.removeAll { $0 == a } }
    for b in list where links[a]?.contains(b) != true { linked[b, default: []].append(a) }
    links[a] = list
  }

  mutating func setLinked(_ b: Int, _ list: [Int]) {
    for a in linked[b] ?? [] where !list.contains(a) { links[a]?.removeAll { $0 == b } }
    for a in list where linked[b]?.contains(a) != true { links[a, default: []].append(b) }
    linked[b] = list
  }

  mutating func setFriends(_ a: Int, _ set: Set<Int>) {
    for old in friends[a] ?? [] where !set.contains(old) { friends[old]?.remove(a) }
    for new in set { friends[new, default: []].insert(a) }
    friends[a] = set
  }

  /// The objects are gone; cascade takes the items of an A along.
  mutating func delete(a: Int) {
    for b in items[a] ?? [] { delete(b: b) }
    partner[a] = nil
    items[a] = nil
    setLinks(a, [])
    links[a] = nil
    other[a] = nil
    others[a] = nil
    setFriends(a, [])
    friends[a] = nil
  }

  mutating func delete(b: Int) {
    unpair(b: b)
    own(nil, b)
    setLinked(b, [])
    linked[b] = nil
    other = other.filter { $0.value != b }
    for a in others.keys { others[a]?.remove(b) }
  }
}
