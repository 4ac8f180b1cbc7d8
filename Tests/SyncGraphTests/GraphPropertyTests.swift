import SyncGraph
import SyncStore
import TestSupport
import Testing

/// Random changes to objects and to a plain description of the expected outcome. Whatever is asked
/// in between, both have to say the same, in the context and in the store.
@Suite struct GraphPropertyTests {
  @Test(arguments: 0..<24 as Range<UInt64>)
  func objectsSayWhatTheDescriptionSays(seed: UInt64) throws {
    let stack = try DataStack(model: TestModels.relationships(), store: .inMemory)
    let context = stack.newBackgroundContext()
    let reader = stack.newBackgroundContext()
    try context.performAndWait {
      var run = GraphRun(context: context, seed: seed)
      try run.addObjects()
      for step in 0..<160 {
        try run.step()
        if step % 8 == 7 { run.compare(step: step) }
        if step % 32 == 31 {
          try run.finish(reader: reader, step: step)
        }
      }
    }
  }
}

/// One sequence of random changes.
struct GraphRun {
  var context: ManagedObjectContext
  var random: SeededGenerator
  var a: [Int: ManagedObject] = [:]
  var b: [Int: ManagedObject] = [:]
  var oracle = GraphOracle()
  var saved: (oracle: GraphOracle, a: [Int: ManagedObject], b: [Int: ManagedObject])
  var next = 0

  init(context: ManagedObjectContext, seed: UInt64) {
    self.context = context
    random = SeededGenerator(seed: seed)
    saved = (GraphOracle(), [:], [:])
  }

  mutating func addObjects() throws {
    for _ in 0..<6 { try addA() }
    for _ in 0..<10 { try addB() }
  }

  private mutating func addA() throws {
    let object = try context.make("A", ["id": next])
    a[next] = object
    next += 1
  }

  private mutating func addB() throws {
    let object = try context.make("B", ["id": "\(next)"])
    b[next] = object
    next += 1
  }

  private mutating func anyA() -> Int { a.keys.sorted().randomElement(using: &random) ?? 0 }
  private mutating func anyB() -> Int { b.keys.sorted().randomElement(using: &random) ?? 0 }

  private mutating func some(_ keys: [Int]) -> [Int] {
    Array(keys.sorted().shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random)))
  }

  /// Makes one random change.
  mutating func step() throws {
    let a = anyA()
    let b = anyB()
    guard let first = self.a[a], let second = self.b[b] else { return }
    let isNil = Int.random(in: 0..<5, using: &random) == 0
    switch Int.random(in: 0..<15, using: &random) {
    case 0:
      first["partner"] = isNil ? nil : second
      oracle.pair(a, isNil ? nil : b)
    case 1:
      second["partner"] = isNil ? nil : first
      if isNil { oracle.unpair(b: b) } else { oracle.pair(a, b) }
    case 2, 3:
      second["owner"] = isNil ? nil : first
      oracle.own(isNil ? nil : a, b)
    case 4:
      let list = some(Array(self.b.keys))
      first["items"] = list.compactMap { self.b[$0] }
      oracle.setItems(a, list)
      for dropped in self.b.keys where !list.contains(dropped) && oracle.owner(of: dropped) == a {
        oracle.own(nil, dropped)
      }
    case 5:
      var list = oracle.items[a] ?? []
      list.shuffle(using: &random)
      first["items"] = list.compactMap { self.b[$0] }
      oracle.items[a] = list
    case 6, 7:
      let list = some(Array(self.b.keys))
      first["links"] = list.compactMap { self.b[$0] }
      oracle.setLinks(a, list)
    case 8, 9:
      let list = some(Array(self.a.keys))
      second["linked"] = list.compactMap { self.a[$0] }
      oracle.setLinked(b, list)
    case 10:
      first["other"] = isNil ? nil : second
      oracle.other[a] = isNil ? nil : b
    case 11:
      let list = some(Array(self.b.keys))
      first["others"] = Set(list.compactMap { self.b[$0] })
      oracle.others[a] = Set(list)
    case 12:
      let list = some(Array(self.a.keys))
      first["friends"] = Set(list.compactMap { self.a[$0] })
      oracle.setFriends(a, Set(list))
    case 13:
      context.refreshAllObjects()
    default:
      try addB()
      if self.b.count > 12 { deleteB(b, second) } else if self.a.count > 5 { deleteA(a, first) }
      if self.a.count < 5 { try addA() }
    }
  }

  private mutating func deleteA(_ number: Int, _ object: ManagedObject) {
    for item in oracle.items[number] ?? [] { b[item] = nil }
    context.delete(object)
    a[number] = nil
    oracle.delete(a: number)
  }

  private mutating func deleteB(_ number: Int, _ object: ManagedObject) {
    context.delete(object)
    b[number] = nil
    oracle.delete(b: number)
  }

  /// Saves or rolls back; a saved state has to look the same in another context.
  mutating func finish(reader: ManagedObjectContext, step: Int) throws {
    if Int.random(in: 0..<3, using: &random) == 0 {
      context.rollback()
      (oracle, a, b) = saved
    } else {
      try context.save()
      saved = (oracle, a, b)
    }
    #expect(!context.hasChanges)
    compare(step: step)
    let problems = try #require(context.stack).store.read { try $0.checkConsistency() }
    #expect(problems.isEmpty, "in the store after step \(step)")
    let (oracle, a, b) = (
      oracle, a.mapValues { $0.objectID }, b.mapValues { $0.objectID }
    )
    reader.performAndWait {
      let found = GraphOracle(
        a.mapValues { reader.object(with: $0) }, b.mapValues { reader.object(with: $0) })
      #expect(found == oracle.trimmed, "in the store after step \(step)")
    }
  }

  func compare(step: Int) {
    #expect(GraphOracle(a, b) == oracle.trimmed, "in the context after step \(step)")
  }
}

extension GraphOracle {
  /// The relationships of the objects.
  init(_ a: [Int: ManagedObject], _ b: [Int: ManagedObject]) {
    var numbers: [ManagedObject: Int] = [:]
    for (number, object) in a { numbers[object] = number }
    for (number, object) in b { numbers[object] = number }
    func number(_ value: Any?) -> Int? { (value as? ManagedObject).map { numbers[$0] ?? -1 } }
    func list(_ value: Any?) -> [Int] {
      ((value as? [ManagedObject]) ?? []).map { numbers[$0] ?? -1 }
    }
    func set(_ value: Any?) -> Set<Int> {
      Set(((value as? Set<ManagedObject>) ?? []).map { numbers[$0] ?? -1 })
    }
    self.init()
    for (key, object) in a {
      partner[key] = number(object["partner"])
      items[key] = list(object["items"])
      links[key] = list(object["links"])
      other[key] = number(object["other"])
      others[key] = set(object["others"])
      friends[key] = set(object["friends"])
      if let partner = object["partner"] as? ManagedObject {
        #expect(partner["partner"] as? ManagedObject === object)
      }
    }
    for (key, object) in b {
      linked[key] = list(object["linked"])
      if let owner = object["owner"] as? ManagedObject {
        #expect((owner["items"] as? [ManagedObject])?.contains(object) == true)
      }
    }
    self = trimmed
  }

  /// Without lists that are empty.
  var trimmed: GraphOracle {
    var result = self
    result.items = items.filter { !$0.value.isEmpty }
    result.links = links.filter { !$0.value.isEmpty }
    result.linked = linked.filter { !$0.value.isEmpty }
    result.others = others.filter { !$0.value.isEmpty }
    result.friends = friends.filter { !$0.value.isEmpty }
    return result
  }
}
