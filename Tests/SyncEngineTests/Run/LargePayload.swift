import TestSupport

/// Users with all that belongs to them, as a complete payload says it: the expected store
/// afterwards.
struct LargePayload {
  struct User: Equatable {
    var name: String
    var company: Int?
    var tags: Set<Int>
    var notes: Set<Int>
    /// In their order.
    var tasks: [Int]
  }

  private(set) var users: [Int: User] = [:]
  private(set) var notes: [Int: String] = [:]
  private(set) var tags: [Int: String] = [:]
  private var order: [Int] = []
  private var random: SeededGenerator
  private var lastKey = 0
  /// The user that names all tags as objects; the others name them by their keys.
  private var bringer = 0

  init(seed: UInt64, userCount: Int) {
    random = SeededGenerator(seed: seed)
    for tag in 1...40 { tags[tag] = "tag" }
    for _ in 0..<userCount { addUser() }
    // One with more members than any piece of work takes at once.
    for _ in 0..<600 { addNote(to: order[1]) }
    for _ in 0..<600 { addTask(to: order[2]) }
    bringer = order[3]
    users[bringer]?.tags = Set(tags.keys)
  }

  private mutating func nextKey() -> Int {
    lastKey += 1
    return lastKey
  }

  private mutating func addUser() {
    let key = nextKey()
    order.append(key)
    users[key] = User(
      name: name(), company: random.chance(70) ? Int.random(in: 1...60, using: &random) : nil,
      tags: Set((0..<4).map { _ in Int.random(in: 1...40, using: &random) }), notes: [], tasks: [])
    for _ in 0..<Int.random(in: 0...3, using: &random) { addNote(to: key) }
    for _ in 0..<Int.random(in: 0...3, using: &random) { addTask(to: key) }
  }

  private mutating func addNote(to user: Int) {
    let key = nextKey()
    notes[key] = name()
    users[user]?.notes.insert(key)
  }

  private mutating func addTask(to user: Int) {
    let key = nextKey()
    users[user]?.tasks.append(key)
  }

  private mutating func name() -> String { random.pick(["a", "b", "c", "d", "e"]) }

  // MARK: - Changing

  /// Changes something of everything: a tenth of the users goes or comes, of the others some
  /// change, lose members to others, or get them in another order.
  mutating func change() {
    for key in order where key != bringer && random.chance(8) {
      for note in users[key]?.notes.sorted() ?? [] where random.chance(50) { notes[note] = nil }
      let left = users.removeValue(forKey: key)
      order.removeAll { $0 == key }
      // Some members of a user that goes are another one's now.
      let heir = random.pick(order)
      users[heir]?.notes.formUnion((left?.notes ?? []).filter { notes[$0] != nil })
      if random.chance(50) { users[heir]?.tasks += left?.tasks ?? [] }
    }
    for _ in 0..<(order.count / 12) { addUser() }
    for key in order {
      if random.chance(10) {
        let name = name()
        users[key]?.name = name
      }
      if random.chance(10) {
        let company = Int.random(in: 1...60, using: &random)
        users[key]?.company = company
      }
      if random.chance(10) {
        let tasks = users[key]?.tasks.shuffled(using: &random) ?? []
        users[key]?.tasks = tasks
      }
      if random.chance(10) { addNote(to: key) }
      if random.chance(10), let note = users[key]?.notes.min() { move(note, from: key) }
      if random.chance(10), let task = users[key]?.tasks.first {
        users[key]?.tasks.removeFirst()
        let heir = random.pick(order)
        users[heir]?.tasks.insert(task, at: 0)
      }
      if key != bringer, random.chance(20) {
        let tag = Int.random(in: 1...40, using: &random)
        users[key]?.tags.formSymmetricDifference([tag])
      }
    }
    for note in notes.keys.sorted() where random.chance(10) { notes[note] = name() }
    for tag in tags.keys.sorted() where random.chance(10) { tags[tag] = name() }
    if random.chance(50) { order.shuffle(using: &random) }
  }

  private mutating func move(_ note: Int, from user: Int) {
    users[user]?.notes.remove(note)
    let heir = random.pick(order)
    users[heir]?.notes.insert(note)
  }

  // MARK: - Text

  /// The payload as JSON: relationships as objects or as keys, from user to user.
  var json: String {
    "[" + order.compactMap { key in users[key].map { text($0, key) } }.joined(separator: ",\n")
      + "]"
  }

  private func text(_ user: User, _ key: Int) -> String {
    let notes = user.notes.sorted().map { #"{"id": \#($0), "text": "\#(self.notes[$0] ?? "")"}"# }
    let tags = user.tags.sorted().map {
      key == bringer ? #"{"id": \#($0), "name": "\#(self.tags[$0] ?? "")"}"# : "\($0)"
    }
    let company = user.company.map {
      key % 2 == 0
        ? #""company": {"id": \#($0), "name": "c\#($0)"}"# : #""company": {"id": \#($0)}"#
    }
    return """
      {"id": \(key), "name": "\(user.name)", \(company ?? #""company": null"#), \
      "\(key == bringer ? "tags" : "tags_ids")": [\(tags.joined(separator: ", "))], \
      "notes": [\(notes.joined(separator: ", "))], \
      "tasks": [\(user.tasks.map { #"{"id": \#($0)}"# }.joined(separator: ", "))]}
      """
  }
}
