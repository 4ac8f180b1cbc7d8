import SyncGraph
import TestSupport
import Testing

/// Random changes in a context, its child and its grandchild, all of which have unsaved changes at
/// the same time. Whatever wins: both sides of every relationship agree everywhere, nothing leads
/// to an object that is not there, a save makes the parent say the same as the child, and a
/// rollback the child the same as the parent.
@Suite struct FamilyClashTests {
  @Test(
    arguments: Proof.seeds(usual: [0, 1, 2, 3, 172, 224, 368]),
    [nil, ManagedObjectContext.Concurrency.privateQueue])
  func everyContextAgreesWithItself(
    seed: UInt64, concurrency: ManagedObjectContext.Concurrency?
  ) throws {
    let stack = try DataStack(model: TestModels.relationships(), store: .inMemory)
    defer { Proof.tried("sequences of a context, its child and grandchild") }
    let root = stack.newBackgroundContext()
    let child = root.newChildContext(concurrency)
    let contexts = [root, child, child.newChildContext(concurrency)]
    for context in contexts { context.mergePolicy = seed % 2 == 0 ? .error : .storeWins }
    var run = ClashRun(contexts, seed: seed)
    for round in 0..<30 { try run.round(round) }
    for level in contexts.indices.reversed() { try run.save(level, "at the end") }
    let reader = stack.newBackgroundContext()
    let stored = try reader.performAndWait { try ClashRun.state(reader) }
    #expect(try root.performAndWait { try ClashRun.state(root) } == stored)
  }

  @Test func anObjectDeletedAboveAParentThatKeepsItForAnUnsavedValueIsInNoListOfTheChild() throws {
    let stack = try DataStack(model: TestModels.relationships(), store: .inMemory)
    let root = stack.newBackgroundContext()
    let child = root.newChildContext(.privateQueue)
    let grandchild = child.newChildContext(.privateQueue)
    func members(_ context: ManagedObjectContext) throws -> Int {
      try context.performAndWait {
        let owner = try context.fetch(Fetch<ManagedObject>(entityNamed: "A")).first
        return (owner?["others"] as? Set<ManagedObject>)?.count ?? -1
      }
    }
    func member(_ context: ManagedObjectContext, _ body: (ManagedObject) -> Void) throws {
      try context.performAndWait {
        for object in try context.fetch(Fetch<ManagedObject>(entityNamed: "B")) { body(object) }
      }
    }
    try stack.edit { other in
      try other.make("A", ["others": Set([try other.insert(entityNamed: "B")])])
    }
    try member(child) { $0["id"] = "edited" }
    #expect(try members(grandchild) == 1)
    try member(root) { root.delete($0) }
    #expect(try [members(grandchild), members(child), members(root)] == [0, 0, 0])
    root.performAndWait { root.rollback() }
    #expect(try [members(root), members(child), members(grandchild)] == [1, 1, 1])
  }
}

/// One sequence of random changes in the contexts of a family.
private struct ClashRun {
  struct State: Equatable {
    var oracle: GraphOracle
    var a: [Int]
    var b: [Int]

    /// The parts that another state does not have.
    func differences(from other: State) -> [String] {
      let (mine, theirs) = (oracle, other.oracle)
      var result: [String] = []
      func compare<Target: Equatable>(
        _ name: String, _ mine: [Int: Target], _ theirs: [Int: Target]
      ) {
        for (key, target) in mine.sorted(by: { $0.key < $1.key }) where theirs[key] != target {
          result.append("\(key).\(name) = \(target)")
        }
      }
      compare("partner", mine.partner, theirs.partner)
      compare("items", mine.items, theirs.items)
      compare("links", mine.links, theirs.links)
      compare("linked", mine.linked, theirs.linked)
      compare("other", mine.other, theirs.other)
      compare("others", mine.others, theirs.others)
      compare("friends", mine.friends, theirs.friends)
      if a != other.a { result.append("A = \(a)") }
      if b != other.b { result.append("B = \(b)") }
      return result
    }
  }

  private let contexts: [ManagedObjectContext]
  private var run: GraphRun

  init(_ contexts: [ManagedObjectContext], seed: UInt64) {
    self.contexts = contexts
    run = GraphRun(context: contexts[0], seed: seed)
  }

  /// Works in one of the contexts for a while, whatever the others have not saved yet.
  mutating func round(_ round: Int) throws {
    let level = round == 0 ? 0 : Int.random(in: contexts.indices, using: &run.random)
    let moment = "by \(level) in round \(round)"
    try contexts[level].performAndWait {
      run.context = contexts[level]
      (run.a, run.b) = try FamilyRun.objects(contexts[level])
      run.oracle = GraphOracle(run.a, run.b)
      if round == 0 { try run.addObjects() }
      for _ in 0..<5 { try run.step() }
      run.compare(step: round)
    }
    try check("changed \(moment)")
    switch Int.random(in: 0..<4, using: &run.random) {
    case 0, 1: try save(level, moment)
    case 2 where round > 4: try rollBack(level, moment)
    default: break
    }
  }

  /// Saves a context into its parent, which has to say the same then.
  func save(_ level: Int, _ moment: String) throws {
    let context = contexts[level]
    let before = try state(level)
    do {
      try context.performAndWait { try context.save() }
    } catch let error as GraphError where error.code == .conflict && level > 0 {
      // An object that was edited here was deleted there.
      #expect(!error.conflicts.isEmpty && error.conflicts.allSatisfy { $0.stored == nil })
      return try rollBack(level, moment)
    }
    let isWhole = context.mergePolicy == .error
    if isWhole { try same(state(level), before, "\(level) itself, saved \(moment)") }
    #expect(context.performAndWait { !context.hasChanges })
    if level > 0 {
      try same(state(level - 1), state(level), "above \(level), saved \(moment)")
    }
    try check("saved \(moment)")
  }

  private func rollBack(_ level: Int, _ moment: String) throws {
    let context = contexts[level]
    context.performAndWait { context.rollback() }
    #expect(context.performAndWait { !context.hasChanges })
    if level > 0 {
      try same(state(level), state(level - 1), "\(level) rolled back \(moment)")
    }
    try check("rolled back \(moment)")
  }

  private func same(_ found: State, _ expected: State, _ moment: String) throws {
    try #require(
      found == expected,
      "\(moment): \(found.differences(from: expected)), not \(expected.differences(from: found))")
  }

  private func check(_ moment: String) throws {
    for (level, context) in contexts.enumerated() {
      let moment = "in \(level), \(moment)"
      try context.performAndWait {
        _ = try Self.state(context)
        for object in try context.fetch(Fetch<ManagedObject>(entityNamed: "A")) {
          try Self.checkWhole(object, moment)
        }
        for object in try context.fetch(Fetch<ManagedObject>(entityNamed: "B")) {
          try Self.checkWhole(object, moment)
        }
      }
    }
  }

  /// Nothing leads to an object that is not there.
  private static func checkWhole(_ object: ManagedObject, _ moment: String) throws {
    for relationship in object.entity.relationships {
      let value = object[relationship.name]
      let many = (value as? [ManagedObject]) ?? (value as? Set<ManagedObject>).map(Array.init) ?? []
      for target in many + [value as? ManagedObject].compactMap({ $0 }) {
        try #require(
          !target.isDeleted, "\(object).\(relationship.name) leads to \(target), \(moment)")
        guard let inverse = object.entity.inverse(of: relationship) else { continue }
        let back = target[inverse.name]
        try #require(
          back as? ManagedObject === object || (back as? [ManagedObject])?.contains(object) == true
            || (back as? Set<ManagedObject>)?.contains(object) == true,
          "\(target).\(inverse.name) does not lead back to \(object), \(moment)")
      }
    }
  }

  private func state(_ level: Int) throws -> State {
    try contexts[level].performAndWait { try Self.state(contexts[level]) }
  }

  static func state(_ context: ManagedObjectContext) throws -> State {
    let (a, b) = try FamilyRun.objects(context)
    return State(oracle: GraphOracle(a, b), a: a.keys.sorted(), b: b.keys.sorted())
  }
}
