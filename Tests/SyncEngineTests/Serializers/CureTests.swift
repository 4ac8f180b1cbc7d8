import Foundation
import SyncStack
import TestSupport
import Testing

/// Faults of earlier libraries of serializers, one by one.
@Suite struct CureTests {
  private let bench: SerializerBench

  init() throws { bench = try SerializerBench() }

  @Test func costDoesNotGrowWithTheItems() throws {
    func statements(_ count: Int64) throws -> Int {
      let bench = try SerializerBench()
      func items(_ ids: Range<Int64>) -> JSONValue {
        .array(ids.map { ["id": .integer($0), "info": ["name": .string("n\($0)")]] })
      }
      try bench.sync(items(0..<count), with: SerializerBench.batches())
      var notices = 0
      let statements = try bench.stack.store.recorder.record {
        let report = try bench.sync(
          items(count / 2..<count + count / 2), with: SerializerBench.batches())
        #expect(report.inserted == Int(count / 2) && report.deleted == Int(count / 2))
        notices = report.changes.isEmpty ? 0 : 1
      }
      #expect(notices == 1)
      #expect(statements.count { $0.hasPrefix("COMMIT") } == 1)
      return statements.count { $0.hasPrefix("SELECT") }
    }
    let few = try statements(100)
    #expect(try statements(1_000) <= few && few <= 32)
  }

  @Test(arguments: ["in", "and", "SELECT", "any", "group"])
  func namesAreNeverTextInAPredicate(name: String) throws {
    let stack = try DataStack.inMemory([
      EntityDraft("Order", [.attribute(name, .integer64), "note"])
    ])
    let serializer = EntitySerializer(entityNamed: "Order").with {
      $0.identifiers = [name]
      $0.mapping = [name: .int("k"), "note": .string("n")]
    }
    try stack.sync([["k": 1, "n": "a"], ["k": 2]] as JSONValue, with: serializer)
    try stack.sync([["k": 1, "n": "b"]] as JSONValue, with: serializer)
    #expect(try SerializerBench(stack).objects("Order", name, "note") == ["1 b"])
  }

  @Test(arguments: ["{\"id\": 1, \"a\": \"x\", \"b\": 2}", "{\"b\": 2, \"a\": \"x\", \"id\": 1}"])
  func theOrderOfKeysMeansNothing(item: String) throws {
    let serializer = SerializerBench.batches([
      "batchID": .int("id"), "branch": .int("b"), "name": .string("a"),
    ]).with {
      $0.didFill = { object, _ in
        let name = object.value(forKey: "name", as: String.self) ?? ""
        let branch = object.value(forKey: "branch", as: Int.self) ?? 0
        try object.setValue("\(name)\(branch)", forKey: "name")
      }
    }
    try bench.sync("[\(item)]", with: serializer)
    #expect(try bench.objects("Batch", "batchID", "name") == ["1 x2"])
  }

  private final class Calls: Sendable {
    let count = Locked(0)
  }

  private struct ClockSerializer: Serializer {
    typealias Object = ManagedObject
    let calls: Calls
    var entityName: String { "Batch" }
    var identifiers: [String] { ["batchID"] }
    var mapping: Mapping { ["batchID": .int("id")] }
    var groupers: [Filter] {
      calls.count.withLock { $0 += 1 }
      return [Filter("batchID < 1000")]
    }
  }

  @Test func groupersAreAskedForAPassNotForAnItem() throws {
    func calls(_ count: Int64) throws -> Int {
      let serializer = ClockSerializer(calls: Calls())
      let items = (0..<count).map { ["id": .integer($0)] as JSONValue }
      try bench.sync(.array(items), with: serializer)
      return serializer.calls.count.withLock { $0 }
    }
    #expect(try calls(2) == calls(50))
  }

  @Test(arguments: [(SyncPolicy.IdentityScope.group, ["2"], 3), (.entity, [], 2)])
  func newObjectsThatDoNotMeetTheGroupersAreReported(
    scope: SyncPolicy.IdentityScope, keys: [String], count: Int
  ) throws {
    let serializer = SerializerBench.batches().with {
      $0.mapping["branch"] = .int("branch")
      $0.groupers = [Filter("branch == 1")]
      $0.policy.identityScope = scope
      $0.deleteMissing = false
    }
    let json: JSONValue = [["id": 1, "branch": 1], ["id": 2, "branch": 2]]
    let report = try bench.sync(json, with: serializer)
    #expect(report.findings(of: .outsideGroup).compactMap(\.key) == keys)
    #expect(report.findings(of: .outsideGroup).allSatisfy { $0.entity == "Batch" })
    try bench.sync(json, with: serializer)
    #expect(try bench.objects("Batch", "batchID").count == count)
  }

  @Test func nestedOutsidersAreReportedToo() throws {
    let serializer = SerializerBench.batchesWithClicks { $0.groupers = [Filter("batch == nil")] }
    let report = try bench.sync([["id": 1, "clicks": [["id": 5], ["id": 6]]]], with: serializer)
    #expect(report.findings(of: .outsideGroup).map(\.key) == ["5", "6"])
  }

  @Test func aSerializerOfAnEntityMeansItsSubentitiesToo() throws {
    let stack = try DataStack(model: TestModels.animals(), store: .inMemory)
    func serializer(_ entity: String) -> EntitySerializer<ManagedObject> {
      EntitySerializer(entityNamed: entity).by("id", ["id": .int("id"), "name": .string("name")])
    }
    try stack.sync([["id": 1], ["id": 2]] as JSONValue, with: serializer("Dog"))
    let report = try stack.sync(
      [["id": 1, "name": "Rex"], ["id": 3]] as JSONValue, with: serializer("Animal"))
    #expect(report["Dog"].updated == 1 && report["Dog"].deleted == 1)
    #expect(report["Animal"].inserted == 1)
    #expect(try SerializerBench(stack).objects("Dog", "id", "name") == ["1 Rex"])
  }
}
