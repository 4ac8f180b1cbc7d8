import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// The random numbers of a server's answers.
private final class Answers: Sendable {
  private let generator: Locked<SeededGenerator>

  init(seed: UInt64) { generator = Locked(SeededGenerator(seed: seed)) }

  func random(_ range: ClosedRange<Int>) -> Int {
    generator.withLock { Int.random(in: range, using: &$0) }
  }
}

/// A store that is written in all ways, and what it held after each step.
final class WrittenHistory {
  struct State {
    let token: HistoryToken
    let facts: [Fact: String]
  }

  let stack: DataStack
  private let engine: CloudEngine
  private let outbox: Outbox
  private let other: Client
  private let transport = MemoryTransport(limits: CloudLimits(batch: 25, page: 50))
  private let answers: Answers
  private var generator: SeededGenerator
  private(set) var states: [State] = []

  /// Ordered one-to-many, many-to-many, one-to-one, a tree, children without keys, keys that are
  /// unique per owner.
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "User",
        [
          "id", "name", "score double", "notes ->> Note.user ordered cascade",
          "tags ->> Tag.users ordered", "badge -> Badge.owner", "boss -> User.staff",
          "staff ->> User.boss", "lines ->> Line.user cascade",
          "parts ->> Part.user cascade sync.keyScope=owner",
        ]),
      "Note: id, text, user -> User.notes",
      "Tag: id, name, users ->> User.tags",
      "Badge: id, owner -> User.badge",
      "Line: text, user -> User.lines",
      "Part: id, text, user -> User.parts",
    ])
  }

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    answers = Answers(seed: seed + 1_000_000)
    let model = try Self.model()
    stack = try DataStack(model: model, store: .inMemory, history: .values(upTo: 1 << 30))
    engine = try CloudEngine(stack, transport: transport, retry: RetryPolicy(attempts: 3, delay: 0))
    other = try Client(transport, model: model)
    outbox = try Outbox(stack, name: "api")
    outbox.retry = RetryPolicy(attempts: 1, delay: 0)
    outbox.whenGone = .deleteHere
    for entity in model.entities {
      outbox.send(with: Conventional(entity.name)) { [answers] change in
        let chance = answers.random(0...9)
        switch chance {
        case 0: return .retry(reason: "later")
        case 1: return .refused("no")
        case 2 where change.kind == .update: return .gone
        default:
          guard change.kind != .delete else { return .accepted() }
          var object = change.json.objectValue ?? JSONObject()
          if object["id"]?.integerValue == nil, change.entity != "Line" {
            object["id"] = .integer(Int64(answers.random(1000...2000)))
          }
          if chance == 3, change.entity == "User" { object["name"] = "said by the server" }
          return .accepted(.object(object))
        }
      }
    }
    try note()
  }

  func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  /// The number of one of the latest states.
  func randomIndex() -> Int { random(max(0, states.count - 12)...states.count - 1) }

  /// Keeps the present state, unless it is the last one that was kept.
  func note() throws {
    let token = try stack.store.read { try $0.requireHistoryToken() }
    guard states.last?.token != token else { return }
    states.append(State(token: token, facts: try content()))
  }

  // MARK: - Steps

  func step() async throws {
    switch random(0...13) {
    case 0...2: try await sync(users(random(1...6)))
    case 3: try await syncLists()
    case 4: try await syncPages()
    case 5...7: try await edit(stack.newBackgroundContext())
    case 8: try await editInMain()
    case 9: try await outbox.send()
    case 10, 11: try await exchange()
    case 12: try await sync([["id": .integer(Int64(random(1...8))), "name": "one"]])
    default: try await batch()
    }
    try note()
  }

  /// Sends and exchanges what is left, until nothing moves.
  func finish() async throws -> [String] {
    for _ in 0..<4 {
      try await engine.sync()
      try await other.engine.sync()
    }
    let mine = try other.graph().count
    let theirs = try content().keys.count { $0.property.isEmpty }
    return mine == theirs ? [] : ["\(theirs) objects here, \(mine) there"]
  }

  private func sync(_ items: [JSONValue]) async throws {
    let sync = Sync(.array(items) as JSONValue, inEntityNamed: "User", dataStack: stack)
    sync.deletionGuard = .off
    if random(0...2) == 0 {
      sync.operations = [.insert, .update, .insertRelationships, .updateRelationships]
    }
    sync.start()
    _ = try await sync.value
  }

  private func syncLists() async throws {
    let tags: [JSONValue] = (0..<random(0...4)).map { _ in
      ["id": key(1...5), "name": .string("t\(random(0...3))")]
    }
    let sync = Sync(
      lists: [
        .list(.array(tags) as JSONValue, of: "Tag"),
        .list(.array(users(random(1...4))) as JSONValue, of: "User"),
      ], dataStack: stack)
    sync.deletionGuard = .off
    sync.start()
    _ = try await sync.value
  }

  private func syncPages() async throws {
    let session = try SyncSession(entity: "User", dataStack: stack)
    for _ in 0..<random(1...3) { try await session.sync(.array(users(random(1...3))) as JSONValue) }
    try await session.finish()
  }

  private func key(_ range: ClosedRange<Int>) -> JSONValue { .integer(Int64(random(range))) }

  private func users(_ count: Int) -> [JSONValue] {
    (0..<count).map { _ in
      var user: JSONObject = ["id": key(1...9)]
      if random(0...1) == 0 { user["name"] = .string("n\(random(0...5))") }
      if random(0...2) == 0 { user["score"] = .integer(Int64(random(0...3))) }
      if random(0...1) == 0 {
        user["notes"] = .array(
          (0..<random(0...3)).map { _ in
            ["id": key(1...12), "text": .string("x\(random(0...3))")]
          })
      }
      if random(0...1) == 0 {
        user["tags"] = .array((0..<random(0...3)).map { _ in ["id": key(1...5)] })
      }
      if random(0...2) == 0 {
        user["badge"] = random(0...2) == 0 ? .null : ["id": key(1...4)]
      }
      if random(0...2) == 0 { user["boss_id"] = random(0...2) == 0 ? .null : key(1...9) }
      if random(0...3) == 0 {
        user["lines"] = .array(
          (0..<random(0...2)).map { _ in ["text": .string("l\(random(0...2))")] })
      }
      if random(0...3) == 0 {
        user["parts"] = .array(
          (0..<random(0...2)).map { _ in ["id": key(0...2), "text": .string("p\(random(0...2))")] })
      }
      return .object(user)
    }
  }

  private func edit(_ context: ManagedObjectContext) async throws {
    let seed = generator.next()
    try await context.perform { try Self.edit(context, seed) }
  }

  private func editInMain() async throws {
    let seed = generator.next()
    let stack = stack
    try await MainActor.run { try Self.edit(stack.mainContext, seed) }
  }

  private static func edit(_ context: ManagedObjectContext, _ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func objects(_ entity: String) throws -> [ManagedObject] {
      try context.fetch(Fetch<ManagedObject>(entityNamed: entity))
    }
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let (users, tags, notes) = (try objects("User"), try objects("Tag"), try objects("Note"))
      guard let user = users.randomElement(using: &random) else {
        try context.insert(entityNamed: "User")["name"] = "first"
        continue
      }
      switch Int.random(in: 0..<9, using: &random) {
      case 0: user["name"] = "e\(Int.random(in: 0...4, using: &random))"
      case 1: try context.insert(entityNamed: "User")["boss"] = user
      case 2: context.delete(user)
      case 3: user["boss"] = users.randomElement(using: &random)
      case 4: user["tags"] = Array(tags.shuffled(using: &random).prefix(2))
      case 5:
        let note = try context.insert(entityNamed: "Note")
        note["text"] = "made here"
        note["user"] = user
      case 6: notes.randomElement(using: &random)?["user"] = user
      case 7: if let note = notes.randomElement(using: &random) { context.delete(note) }
      default: user["badge"] = try objects("Badge").randomElement(using: &random)
      }
    }
    try context.save()
  }

  private func batch() async throws {
    let context = stack.newBackgroundContext()
    let name = "b\(random(0...3))"
    try await context.perform {
      try context.batchUpdate(
        Fetch<ManagedObject>(entityNamed: "Note", Filter("id < %@", 6)), ["text": name])
    }
  }

  /// The other machine edits, and both exchange what they have, or this one pulls.
  private func exchange() async throws {
    try await engine.sync()
    try await other.engine.pull()
    let users = try other.rows("User")
    if let user = users.randomElement(using: &generator) {
      if random(0...3) == 0 {
        try other.delete("User", user.row)
      } else {
        try other.update("User", user.row, ["name": .string("far \(random(0...3))")])
      }
    }
    try other.insert("Note", ["id": .int(Int64(random(100...200))), "text": "far"])
    try await other.engine.push()
    try await engine.pull()
  }

  // MARK: - State

  func content() throws -> [Fact: String] {
    try stack.store.read { reader in
      var facts: [Fact: String] = [:]
      for entity in reader.model.entities {
        var rows: [Int64] = []
        try reader.scan(entity, .all) { cursor in
          let object = "\(entity.name) \(cursor.row)"
          rows.append(cursor.row)
          facts[Fact(object: object, property: "")] = "there"
          for property in entity.properties where property.relationship?.isToMany != true {
            let value =
              property.attribute == nil
              ? cursor.integer(property.slot).map { "\($0)" } ?? "-"
              : "\(cursor.value(property.slot))"
            facts[Fact(object: object, property: property.name)] = value
          }
        }
        for list in entity.relationships where list.isToMany {
          let members = try reader.members(of: list, in: entity, owners: rows)
          for (owner, members) in Dictionary(grouping: members, by: \.owner) {
            let object = "\(entity.name) \(owner)"
            if list.isOrdered {
              facts[Fact(object: object, property: list.name, isOrder: true)] =
                "\(members.map(\.row))"
            }
            guard list.kind == .manyToMany else { continue }
            for member in members {
              let other = "\(member.entity.name) \(member.row)"
              facts[Fact(object: object, property: list.name, member: other)] = "there"
            }
          }
        }
      }
      return facts
    }
  }
}
