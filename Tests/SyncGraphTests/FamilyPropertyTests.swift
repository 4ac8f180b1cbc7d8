import SyncGraph
import TestSupport
import Testing

/// Random changes in a context, its child and its grandchild. Whichever makes them, those below it
/// see them at once, those above it and the store when it saves, and no other when it rolls back.
/// Changes in several of them at once are another suite's (``FamilyClashTests``).
@Suite struct FamilyPropertyTests {
  @Test(arguments: 0..<6 as Range<UInt64>, [nil, ManagedObjectContext.Concurrency.privateQueue])
  func everyContextSeesWhatItShould(
    seed: UInt64, concurrency: ManagedObjectContext.Concurrency?
  ) throws {
    let stack = try DataStack(model: TestModels.relationships(), store: .inMemory)
    let root = stack.newBackgroundContext()
    let child = root.newChildContext(concurrency)
    var run = FamilyRun([root, child, child.newChildContext(concurrency)], seed: seed)
    for round in 0..<24 { try run.round(round) }
    try run.compareStore(stack.newBackgroundContext())
  }
}

/// One sequence of random changes in the contexts of a family.
struct FamilyRun {
  /// The objects, and how they hang together.
  struct State: Equatable {
    var oracle = GraphOracle()
    var a: [Int] = []
    var b: [Int] = []
  }

  /// From the root down.
  private let contexts: [ManagedObjectContext]

  /// The state of the store, then that of each context.
  private var states: [State]

  /// Keeps objects from being freed, so that changes have to reach them.
  private var held: [[ManagedObject]]
  private var run: GraphRun

  init(_ contexts: [ManagedObjectContext], seed: UInt64) {
    self.contexts = contexts
    states = Array(repeating: State(), count: contexts.count + 1)
    held = Array(repeating: [], count: contexts.count)
    run = GraphRun(context: contexts[0], seed: seed)
  }

  /// Works in one of the contexts for a while, then saves it or rolls it back. Those below it have
  /// no changes of their own then: which wins when both have some is another question.
  mutating func round(_ round: Int) throws {
    let pending = contexts.lastIndex { context in context.performAndWait { context.hasChanges } }
    let level = Int.random(in: (pending ?? 0)..<contexts.count, using: &run.random)
    try contexts[level].performAndWait {
      try load(level)
      if round == 0 { try run.addObjects() }
      for _ in 0..<12 { try run.step() }
      run.compare(step: round)
    }
    setStates(below: level, state: working)
    try compare("while \(level) works in round \(round)")
    let isSave = Int.random(in: 0..<3, using: &run.random) != 0
    try contexts[level].performAndWait {
      if isSave { try contexts[level].save() } else { contexts[level].rollback() }
      #expect(!contexts[level].hasChanges)
    }
    if isSave { states[level] = states[level + 1] }
    setStates(below: level, state: states[level])
    try compare("after \(level) \(isSave ? "saved" : "rolled back") in round \(round)")
  }

  private var working: State {
    State(oracle: run.oracle.trimmed, a: run.a.keys.sorted(), b: run.b.keys.sorted())
  }

  private mutating func setStates(below level: Int, state: State) {
    for index in (level + 1)..<states.count { states[index] = state }
  }

  private mutating func load(_ level: Int) throws {
    run.context = contexts[level]
    (run.a, run.b) = try Self.objects(contexts[level])
    run.oracle = states[level + 1].oracle
  }

  private mutating func compare(_ moment: String) throws {
    for (level, context) in contexts.enumerated() {
      let expected = states[level + 1]
      held[level] = try context.performAndWait {
        let found = try Self.state(context)
        #expect(found == expected, "in \(level), \(moment)")
        try Self.compareAnswers(context, expected)
        return Held(objects: Array(context.registeredObjects))
      }.objects
    }
  }

  /// A context of its own finds the objects of the store.
  func compareStore(_ reader: ManagedObjectContext) throws {
    let expected = states[0]
    try reader.performAndWait {
      let found = try Self.state(reader)
      #expect(found == expected, "in the store")
    }
  }

  /// Answers of fetches that look across relationships.
  private static func compareAnswers(_ context: ManagedObjectContext, _ state: State) throws {
    func ids(_ format: String) throws -> [Int] {
      try context.fetch(
        Fetch<ManagedObject>(entityNamed: "A", .init(format: format, arguments: []))
      )
      .compactMap { ($0["id"] as? Int64).map { Int($0) } }
    }
    let paired = state.a.filter { state.oracle.partner[$0] != nil }
    #expect(try ids("partner != nil") == paired)
    #expect(
      try context.count(Fetch<ManagedObject>(entityNamed: "B", "partner != nil")) == paired.count)
    let owners = state.a.filter { (state.oracle.items[$0] ?? []).count > 1 }
    #expect(try ids("items.@count > 1") == owners)
    let linked = state.a.filter { !(state.oracle.links[$0] ?? []).isEmpty }
    #expect(try ids("SUBQUERY(links, $b, $b.id != '').@count > 0") == linked)
  }

  private static func state(_ context: ManagedObjectContext) throws -> State {
    let (a, b) = try objects(context)
    return State(
      oracle: GraphOracle(a, b), a: try numbers(context, "A"), b: try numbers(context, "B"))
  }

  /// The numbers of an entity's objects as they are fetched: in the order in which they were
  /// inserted, which is that of the numbers.
  private static func numbers(_ context: ManagedObjectContext, _ name: String) throws -> [Int] {
    try context.fetch(Fetch<ManagedObject>(entityNamed: name)).compactMap(number)
  }

  /// The objects of both entities, by their numbers.
  static func objects(
    _ context: ManagedObjectContext
  ) throws -> (a: [Int: ManagedObject], b: [Int: ManagedObject]) {
    func map(_ name: String) throws -> [Int: ManagedObject] {
      let objects = try context.fetch(Fetch<ManagedObject>(entityNamed: name))
      return Dictionary(
        objects.compactMap { object in number(object).map { ($0, object) } },
        uniquingKeysWith: { first, _ in first })
    }
    return (try map("A"), try map("B"))
  }

  private static func number(_ object: ManagedObject) -> Int? {
    switch object["id"] {
    case let number as Int64: Int(number)
    case let text as String: Int(text)
    default: nil
    }
  }
}
