import Foundation
import SyncStack
import TestSupport
import Testing

/// The main context, two background contexts, a child of the main one and a child of that edit,
/// save, roll back and sync at random, all of them with unsaved changes at the same time, under
/// every merge policy. Before each step a background context commits, and in the midst of a block
/// of a child the contexts above it go on too. After each step both sides of every relationship say
/// the same in each of them, and in the end all say the same as the store.
///
/// A program suspends while a context works, or its main thread waits, and nothing drains the main
/// queue meanwhile.
///
/// A long run (``Proof``) has sequences of 500 steps.
@Suite struct ContextAgreementTests {
  private static let seeds = Proof.seeds(usual: 1...5)

  @Test(arguments: seeds)
  func everyContextAgreesWithItselfAndInTheEndWithTheStore(seed: UInt64) async throws {
    try await run(seed, isWaiting: false)
  }

  @Test(arguments: seeds) @MainActor
  func everyContextAgreesWithItselfWhereTheMainThreadWaits(seed: UInt64) async throws {
    try await run(seed, isWaiting: true)
  }

  private func run(_ seed: UInt64, isWaiting: Bool) async throws {
    let folder = try TemporaryFolder()
    let stack = try DataStack(
      model: AgreementRun.model(),
      store: seed % 2 == 0 ? .inMemory : .sqlite(folder.file("contexts.sqlite")))
    var run = AgreementRun(stack, seed: seed, isWaiting: isWaiting)
    for step in 1...(Proof.isLong ? 500 : 120) { try await run.step(step) }
    try await run.finish()
    Proof.tried("sequences of contexts, children and commits of others")
  }
}

/// One sequence of random steps.
struct AgreementRun {
  private struct Disagreement: Error, CustomStringConvertible {
    let description: String
  }

  /// Objects that a program holds from step to step, so that changes of others have to reach them.
  /// Used on the queue of their context only.
  private final class Held: @unchecked Sendable {
    var objects: [ManagedObject] = []
  }

  private let stack: DataStack
  private let contexts: [ManagedObjectContext]
  private let held: [Held]

  /// Whether the calling thread waits for contexts instead of suspending.
  private let isWaiting: Bool
  private var random: SeededGenerator
  private var next = 100

  init(_ stack: DataStack, seed: UInt64, isWaiting: Bool) {
    self.stack = stack
    self.isWaiting = isWaiting
    let main = stack.mainContext
    let child = main.newChildContext(.privateQueue)
    contexts = [
      main, stack.newBackgroundContext(), stack.newBackgroundContext(), child,
      child.newChildContext(.privateQueue),
    ]
    held = contexts.map { _ in Held() }
    random = SeededGenerator(seed: seed)
    for (index, context) in contexts.enumerated() {
      context.name = ["main", "first", "second", "child", "grandchild"][index]
      context.mergePolicy = random.pick(MergePolicy.allCases)
    }
  }

  /// Every kind of relationship: one-to-one (`passport`), also of an entity with itself (`mentor`),
  /// one-to-many (`notes`) and ordered (`tasks`), a tree (`boss`), many-to-many (`tags`), also with
  /// itself (`friends`).
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      """
      User: id, name, passport -> Passport.user, mentor -> User.pupil, pupil -> User.mentor,
      notes ->> Note.user cascade, tasks ->> Task.user ordered, boss -> User.team,
      team ->> User.boss, tags ->> Tag.users, friends ->> User.friends
      """,
      "Passport: id, name, user -> User.passport", "Note: id, name, user -> User.notes",
      "Task: id, name, user -> User.tasks", "Tag: id, name, users ->> User.tags",
    ])
  }

  private static let entities = ["User", "Passport", "Note", "Task", "Tag"]

  // MARK: - Steps

  /// Runs a body on the queue of a context.
  private func inside<Result: Sendable>(
    _ context: ManagedObjectContext, _ body: @Sendable () throws -> Result
  ) async rethrows -> Result {
    isWaiting ? try context.performAndWait(body) : try await context.perform(body)
  }

  mutating func step(_ number: Int) async throws {
    try await commit()
    let level = Int.random(in: contexts.indices, using: &random)
    let context = contexts[level]
    let seed = random.next()
    switch Int.random(in: 0..<20, using: &random) {
    case _ where number < 6, 0..<10:
      next += 10
      let first = next
      let above = level > 2 ? contexts[..<level] : []
      try await inside(context) {
        var edits = BlockEdits(context: context, random: SeededGenerator(seed: seed), next: first)
        for _ in 0..<Int.random(in: 1...4, using: &edits.random) {
          try edits.edit()
          if edits.random.chance(30), !above.isEmpty {
            try edits.interrupt(edits.random.pick(Array(above)))
          }
        }
      }
      try await check("edited", number, level)
    case 10..<15:
      try await save(level)
      try await check("saved", number, level)
    case 15:
      await inside(context) { context.rollback() }
      try await check("rolled back", number, level)
    case 16:
      await inside(context) { context.refreshAllObjects() }
      try await check("refreshed", number, level)
    case 17:
      held[level].objects = []
      try await check("let go", number, level)
    default:
      let payload = Self.payload(&random)
      try await stack.sync(payload, inEntityNamed: random.pick(["User", "Note", "Tag"]))
      try await check("synced", number, level)
    }
  }

  /// A background context commits between two steps.
  private mutating func commit() async throws {
    let context = contexts[Int.random(in: 1...2, using: &random)]
    next += 10
    let (first, seed) = (next, random.next())
    try await inside(context) {
      var edits = BlockEdits(context: context, random: SeededGenerator(seed: seed), next: first)
      for _ in 0..<2 { try edits.edit() }
      edits.save()
    }
  }

  /// Saves, and goes on as a program does when it may not.
  private mutating func save(_ level: Int) async throws {
    let context = contexts[level]
    let isRefreshed = random.chance(50)
    try await inside(context) {
      do {
        try context.save()
      } catch let error as GraphError where error.code == .conflict {
        guard !error.conflicts.isEmpty else {
          throw Disagreement(description: "A conflict names nothing: \(error)")
        }
        guard isRefreshed else { return context.rollback() }
        for conflict in error.conflicts { context.refresh(context.object(with: conflict.objectID)) }
        do { try context.save() } catch { context.rollback() }
      }
    }
  }

  /// Some objects with their relationships, some of them unknown.
  static func payload(_ random: inout SeededGenerator) -> Data {
    func ids(_ random: inout SeededGenerator, _ count: ClosedRange<Int>) -> [Int] {
      Array((1...12).shuffled(using: &random).prefix(Int.random(in: count, using: &random)))
    }
    var items: [String] = []
    for id in ids(&random, 1...8) {
      var item = ["\"id\": \(id)", "\"name\": \"s\(Int.random(in: 0..<5, using: &random))\""]
      for key in ["user_id", "boss_id"] where random.chance(30) {
        item.append("\"\(key)\": \(ids(&random, 1...1)[0])")
      }
      for key in ["notes", "tasks", "tags", "friends"] where random.chance(30) {
        let members = ids(&random, 0...3).map { "{\"id\": \($0)}" }
        item.append("\"\(key)\": [\(members.joined(separator: ", "))]")
      }
      if random.chance(30) { item.append("\"passport\": {\"id\": \(ids(&random, 1...1)[0])}") }
      items.append("{\(item.joined(separator: ", "))}")
    }
    return Data("[\(items.joined(separator: ", "))]".utf8)
  }

  // MARK: - Looking

  /// Asks both sides of every relationship, in every context, in any order: a child hears of a
  /// commit before its parent has a block of its own, or after.
  private mutating func check(_ what: String, _ step: Int, _ level: Int) async throws {
    for index in contexts.indices.shuffled(using: &random) {
      if random.chance(30), step > 0 { try await commit() }
      let context = contexts[index]
      let held = held[index]
      let moment =
        "\(context.name ?? "") after step \(step): \(contexts[level].name ?? "") \(what)"
      try await inside(context) {
        try RelationshipSides.check(context, moment)
        for object in held.objects where !object.isDeleted {
          try RelationshipSides.check(object, moment)
        }
        held.objects = Array(context.registeredObjects)
      }
    }
  }

  /// Saves everything from the grandchild up, and compares all contexts with the store.
  mutating func finish() async throws {
    for level in contexts.indices.reversed() { try await save(level) }
    for level in contexts.indices.reversed() {
      let context = contexts[level]
      await inside(context) { context.rollback() }
    }
    try await check("finished", 0, 0)
    let reader = stack.newBackgroundContext()
    let stored = try await inside(reader) { try Self.contents(reader) }
    for context in contexts {
      let found = try await inside(context) { try Self.contents(context) }
      for (key, value) in stored.merging(found, uniquingKeysWith: { first, _ in first })
      where stored[key] != found[key] {
        throw Disagreement(
          description: """
            \(context.name ?? "") in the end: \(key) is \(found[key] ?? "nothing"), not \
            \(stored[key] ?? "nothing"), of \(value)
            """)
      }
    }
    let report = try await stack.checkConsistency()
    guard report.problems.isEmpty else { throw Disagreement(description: "\(report)") }
  }

  /// All properties of all objects, by identifier and name.
  private static func contents(_ context: ManagedObjectContext) throws -> [String: String] {
    var result: [String: String] = [:]
    for name in entities {
      for object in try context.fetch(Fetch<ManagedObject>(entityNamed: name)) {
        for property in object.entity.properties {
          let value =
            property.attribute == nil
            ? "\(RelationshipSides.targets(object, property.name).map { "\($0.objectID)" })"
            : "\(object.storedValue(forKey: property.name))"
          result["\(object.objectID).\(property.name)"] = value
        }
      }
    }
    return result
  }
}

/// Random edits inside one block.
struct BlockEdits {
  let context: ManagedObjectContext
  var random: SeededGenerator
  var next: Int

  private mutating func any(_ entity: String) throws -> ManagedObject {
    let all = try context.fetch(Fetch<ManagedObject>(entityNamed: entity))
    if all.isEmpty || (all.count < 8 && random.chance(15)) {
      let object = try context.insert(entityNamed: entity)
      next += 1
      object["id"] = random.chance(50) ? Int.random(in: 1...12, using: &random) : next
      return object
    }
    return random.pick(all)
  }

  private mutating func some(_ entity: String) throws -> [ManagedObject] {
    var result: [ManagedObject] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let object = try any(entity)
      if !result.contains(object) { result.append(object) }
    }
    return result
  }

  mutating func save() {
    do { try context.save() } catch { context.rollback() }
  }

  /// Has another context go on in the midst of the block.
  mutating func interrupt(_ other: ManagedObjectContext) throws {
    next += 5
    var edits = BlockEdits(context: other, random: SeededGenerator(seed: random.next()), next: next)
    next += 5
    try other.performAndWait {
      try edits.edit()
      switch Int.random(in: 0..<6, using: &edits.random) {
      case 0: other.rollback()
      case 1: other.refreshAllObjects()
      case 2: break
      default: edits.save()
      }
    }
  }

  mutating func edit() throws {
    // With the objects that its delete rules take along, and mostly unsaved for long.
    if context.parent != nil, random.chance(20) {
      let entity = random.pick(["User", "User", "Note", "Passport", "Tag"])
      return context.delete(try any(entity))
    }
    let isNil = random.chance(25)
    switch Int.random(in: 0..<16, using: &random) {
    case 0: try any("User")["name"] = "n\(Int.random(in: 0..<5, using: &random))"
    case 1: try any("Note")["name"] = "n\(Int.random(in: 0..<5, using: &random))"
    case 2, 3: try any("User")["passport"] = isNil ? nil : any("Passport")
    case 4: try any("Passport")["user"] = isNil ? nil : any("User")
    case 5: try any("User")["mentor"] = isNil ? nil : any("User")
    case 6, 7: try any("Note")["user"] = isNil ? nil : any("User")
    case 8: try any("User")["notes"] = some("Note")
    case 9, 10: try any("User")["tasks"] = some("Task")
    case 11: try any("Task")["user"] = isNil ? nil : any("User")
    case 12: try any("User")["boss"] = isNil ? nil : any("User")
    case 13: try any("User")["tags"] = some("Tag")
    case 14: try any("User")["friends"] = some("User")
    default:
      let entity = random.pick(["User", "Passport", "Note", "Task", "Tag"])
      let all = try context.fetch(Fetch<ManagedObject>(entityNamed: entity))
      if all.count > 5 { context.delete(random.pick(all)) }
    }
  }
}
