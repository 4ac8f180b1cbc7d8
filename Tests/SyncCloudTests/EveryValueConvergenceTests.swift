import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Three machines give objects values of every type, arrange and move members of ordered lists, and
/// pair objects of a family one to one, with wrong clocks and a bad connection.
/// `SYNCSTACK_CLOUD_RUNS` is how many runs there are, `…_EDITS` makes them longer, and
/// `SYNCSTACK_CLOUD_SEED` repeats one.
@Suite(.timeLimit(.minutes(60))) struct EveryValueConvergenceTests {
  /// Things with an attribute of every type and ordered parts, and a family whose members are
  /// paired: any two of them, and a worker with a desk or a standing desk.
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Thing",
        AttributeType.allCases.map { .attribute(CloudModels.name(of: $0), $0) } + [
          .toMany("parts", to: "Part", inverse: "thing", isOrdered: true, deleteRule: .cascade),
          .toMany("labels", to: "Label", inverse: "things", isOrdered: true),
        ]),
      "Part: name, thing -> Thing.parts",
      "Label: name, things ->> Thing.labels ordered",
      "Person: name, partner -> Person.partner, desk -> Desk.user",
      "Worker < Person: boss -> Boss.assistant",
      EntityDraft(
        "Boss",
        [.attribute("rank", .decimal, defaultValue: .decimal(1)), "assistant -> Worker.boss"],
        superentity: "Person"),
      "Desk: user -> Person.desk",
      "StandingDesk < Desk: height float",
    ])
  }

  private struct Run {
    var random: SeededGenerator
    let clients: [Client]

    private static let entities = [
      "Thing", "Part", "Label", "Person", "Worker", "Boss", "Desk", "StandingDesk",
    ]

    mutating func value(_ type: AttributeType) -> Any? {
      if random.chance(15) { return nil }
      let number = Int64.random(in: -1000...1000, using: &random)
      switch type {
      case .integer16, .integer32, .integer64: return number
      case .boolean: return number > 0
      case .double: return Double(number) / 7
      case .float: return Float(number) / 8
      case .decimal: return Decimal(number) / 1000
      case .string: return random.pick(["", "a", "é \u{0} e\u{301}", "\(number)"])
      case .date:
        return Date(timeIntervalSinceReferenceDate: Double(number) + 0.001 * Double(number))
      case .uuid:
        return UUID(uuidString: "00000000-0000-4000-8000-\(String(format: "%012d", abs(number)))")
      case .uri: return URL(string: "https://example.com/a%20b?\(number)")
      case .binary: return Data([UInt8(truncatingIfNeeded: number), 0, 255])
      case .transformable:
        return random.pick([
          "\(number)" as any Sendable, number, Data([UInt8(truncatingIfNeeded: number)]),
        ])
      }
    }

    /// Makes, changes or deletes an object on a machine.
    mutating func edit() throws {
      let client = random.pick(clients)
      let context = client.stack.newBackgroundContext()
      random = try context.performAndWait { [self] in
        var run = self
        try run.edit(in: context)
        try context.save()
        return run.random
      }
    }

    private mutating func edit(in context: ManagedObjectContext) throws {
      let entity = random.pick(Self.entities)
      guard let object = try any(entity, context), !random.chance(12) else {
        _ = try context.insert(entityNamed: entity)
        return
      }
      if random.chance(6) { return context.delete(object) }
      let property = random.pick(object.entity.properties)
      guard let relationship = property.relationship else {
        let type = try #require(property.attribute?.type)
        object[property.name] = value(type)
        return
      }
      let destination = object.entity.destination(of: relationship).name
      if relationship.isToMany {
        var members = (object[property.name] as? [ManagedObject]) ?? []
        if random.chance(40) {
          members.shuffle(using: &random)
        } else if let other = try any(destination, context), !members.contains(other) {
          members.insert(other, at: Int.random(in: 0...members.count, using: &random))
        } else if !members.isEmpty {
          members.remove(at: Int.random(in: 0..<members.count, using: &random))
        }
        object[property.name] = members
      } else {
        object[property.name] = random.chance(20) ? nil : try any(destination, context)
      }
    }

    private mutating func any(
      _ entity: String, _ context: ManagedObjectContext
    ) throws -> ManagedObject? {
      try context.fetch(Fetch<ManagedObject>(entityNamed: entity))
        .sorted { $0.objectID < $1.objectID }.randomElement(using: &random)
    }
  }

  private static let seeds: [UInt64] =
    if let seed = setting("SEED") {
      [UInt64(seed)]
    } else if let runs = setting("RUNS") {
      (0..<runs).map { _ in UInt64.random(in: 0...UInt64(Int.max)) }
    } else {
      [0, 1, 2]
    }

  @Test(arguments: seeds)
  func machinesEndEqualWhateverTheyHold(_ seed: UInt64) async throws {
    let server = MemoryTransport(limits: CloudLimits(batch: 25, page: seed % 2 == 0 ? 5 : 50))
    let model = try Self.model()
    let lines = (0..<3).map { FaultyTransport(server, seed: seed &+ UInt64($0), lossRate: 0.04) }
    let clients = try zip(lines, [0.0, -300, 180]).map { try Client($0, model: model, clock: $1) }
    var run = Run(random: SeededGenerator(seed: seed), clients: clients)
    for _ in 0..<(setting("EDITS") ?? 150) {
      try run.edit()
      if run.random.chance(12) { try await run.random.pick(clients).syncWithLosses() }
    }
    for line in lines { line.lossRate = 0 }
    try await settle(clients, fresh: server)
    for client in clients {
      let report = try await client.stack.checkConsistency()
      #expect(report.isConsistent, "seed \(seed): \(report)")
    }
  }
}
