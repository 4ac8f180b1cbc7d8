import SyncStack
import Testing

/// The hook that sees the values with which an item fills an object.
@Suite struct FillHookTests {
  private let bench: SerializerBench

  init() throws { bench = try SerializerBench() }

  /// Collects the arguments of hooks.
  private final class Calls: Sendable {
    private let texts = Locked<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    func note(_ text: String) { texts.withLock { $0.append(text) } }
  }

  private func batches(_ hook: @escaping FillHook) -> EntitySerializer<ManagedObject> {
    SerializerBench.batches().with { $0.didFill = hook }
  }

  @Test func whatItSetsCountsAsIfTheItemHadSaidIt() throws {
    try bench.insert("Batch", [["batchID": 1, "name": "old", "branch": 5]])
    let serializer = batches { object, item in
      let name = object.value(forKey: "name", as: String.self)
      try object.setValue(name?.uppercased(), forKey: "name")
      try object.setValue(item["info"]?["name"]?.stringValue?.count, forKey: "branch")
    }
    let json: JSONValue = [["id": 1, "info": ["name": "abc"]], ["id": 2, "info": ["name": "de"]]]
    let report = try bench.sync(json, with: serializer)
    #expect(report.updated == 1 && report.inserted == 1)
    #expect(try bench.objects("Batch", "batchID", "name", "branch") == ["1 ABC 3", "2 DE 2"])
    #expect(try bench.sync(json, with: serializer).isUnchanged)
  }

  @Test func itIsCalledOncePerItemInTheirOrderAtEveryLevel() throws {
    let calls = Calls()
    let serializer = SerializerBench.batchesWithClicks {
      $0.didFill = { object, item in
        calls.note("\(object.entityName) \(item["id"] ?? .null) \(object.filledAttributes)")
      }
    }.with {
      $0.didFill = { object, _ in
        calls.note("\(object.entityName) \(object.value(forKey: "batchID", as: Int64.self) ?? 0)")
      }
    }
    let json: JSONValue = [
      ["id": 1, "clicks": [["id": 10, "text": nil], ["id": 11]]], ["id": 2, "clicks": []],
    ]
    for _ in 0..<2 { try bench.sync(json, with: serializer) }
    let once = ["Batch 1", "Click 10 [\"clickID\", \"text\"]", "Click 11 [\"clickID\"]", "Batch 2"]
    #expect(calls.all == once + once)
  }

  @Test func itMaySetTheIdentifierAndEmptyWhatARuleFilled() throws {
    let serializer = batches { object, item in
      try object.setValue(item["id"]?.integerValue.map { $0 * 10 }, forKey: "batchID")
      try object.setValue(nil, forKey: "name")
    }
    try bench.sync([["id": 4, "info": ["name": "x"]]], with: serializer)
    #expect(try bench.objects("Batch", "batchID", "name", "level") == ["40 nil 7"])
  }

  @Test func objectsThatAreOnlyMatchedAreNotShown() throws {
    let calls = Calls()
    let serializer = batches { _, _ in calls.note("called") }.with {
      $0.insertMissing = false
      $0.updateExisting = false
    }
    try bench.sync([["id": 1]], with: serializer)
    #expect(calls.all.isEmpty)
  }

  struct Odd: Error {}

  @Test(
    arguments: [
      (
        SyncError.Code.invalidItem, nil, { @Sendable _, item in if item["id"] == 2 { throw Odd() } }
      ),
      (
        .unknownProperty, "other",
        { @Sendable object, item in if item["id"] == 2 { try object.setValue(1, forKey: "other") } }
      ),
      (
        .typeMismatch, "branch",
        { @Sendable object, item in
          if item["id"] == 2 { try object.setValue("x", forKey: "branch") }
        }
      ),
    ] as [(SyncError.Code, String?, FillHook)])
  func anErrorMakesTheItemUnfit(code: SyncError.Code, property: String?, hook: @escaping FillHook)
    throws
  {
    let json: JSONValue = [["id": 1], ["id": 2], ["id": 3]]
    let error = try thrown(SyncError.self) { try bench.syncStrictly(json, with: batches(hook)) }
    #expect(error?.code == code && error?.property == property)
    #expect(error?.entity == "Batch" && error?.path == "$[1]")
    #expect(try bench.objects("Batch", "batchID").isEmpty)
    let sync = Sync(.json(json), with: batches(hook), dataStack: bench.stack)
    sync.onItemError = .skip
    #expect(try sync.run().skipped == 1)
    #expect(try bench.objects("Batch", "batchID") == ["1", "3"])
  }
}
