import Dispatch
import Foundation
import SyncStack
import TestSupport
import Testing

/// The next part of a payload is read while the one before it is written, and the outcome is the
/// same.
@Suite(.timeLimit(.minutes(5))) struct ReadingAheadTests {
  private static let patience = DispatchTimeInterval.seconds(60)

  /// Albums that may be unfit, and whose names are watched as they are read.
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      """
      Album: id, title required, name sync.valueTransformer=Watched, released date,
      tracks ->> Track.album cascade, tags ->> Tag.albums
      """,
      "Track: id, name required, album -> Album.tracks",
      "Tag: id, name, albums ->> Album.tags",
    ])
  }

  static let entities = ["Album", "Track", "Tag"]

  static func albums(_ ids: Range<Int>) -> String {
    let items = ids.map {
      #"{"id": \#($0), "title": "t\#($0)", "name": "n", "tracks": [{"id": \#($0), "name": "n"}]}"#
    }
    return "[\(items.joined(separator: ","))]"
  }

  /// Syncs into a store of such albums.
  ///
  /// - Parameter reads: Called for each name as it is read.
  static func sync(
    _ json: String, into bench: SyncBench, control: SyncControl = SyncControl(),
    reads: @escaping @Sendable (JSONValue) -> Void = { _ in },
    change: (inout SyncRequest) -> Void
  ) throws -> (report: SyncReport, changes: ChangeSet) {
    let registry = TransformerRegistry()
    registry.register("Watched") { json in
      reads(json)
      return Value(json: json)
    }
    let plan = MappingPlanCompiler.compile(
      try bench.model.requireEntity(named: "Album"), MappingEnvironment(transformers: registry))
    var request = SyncRequest(plan: plan, payload: .data(Data(json.utf8)))
    change(&request)
    return try SyncRun(request, store: bench.store, control: control).run()
  }

  // MARK: - Outcomes

  /// The outcome of one sync, in words.
  static func outcome(
    _ json: String, _ bench: SyncBench, _ change: (inout SyncRequest) -> Void
  ) throws -> String {
    var outcome: String
    do {
      var (report, changes) = try sync(json, into: bench, change: change)
      report.phaseDurations = [:]
      outcome = "\(report)\n\(report.findings)"
      outcome += "\n\(report.findingCounts.sorted { $0.key < $1.key })"
      outcome += "\n\(report.itemCount) \(report.payloadBytes)"
      for (name, counts) in report.entities.sorted(by: { $0.key < $1.key }) {
        outcome += "\n\(name) \(counts.skipped) \(counts.quarantined)"
        outcome += " \(counts.unusedKeys.sorted { $0.key < $1.key }) \(counts.unfilledAttributes)"
      }
      for entity in changes.entities {
        outcome += "\n\(entity.entity) \(entity.insertedKeys) \(entity.deletedKeys)"
        outcome += " \(entity.updated.map { "\($0.row) \(Array($0.slots))" })"
      }
    } catch {
      outcome = "\(error)"
    }
    for entity in entities { outcome += "\n\(try bench.objects(entity))" }
    return outcome
  }

  @Test(arguments: 0..<8) func reportChangesStoreAndErrorAreTheSame(_ block: Int) throws {
    try Self.expectTheSame(block) { payloads, _ in
      let size = Int.random(in: 1...4, using: &payloads.generator)
      let isPerBatch = payloads.generator.chance(40)
      return { request in
        request.tuning.partItems = size
        if isPerBatch { request.setup.transaction = .perBatch(size) }
      }
    }
  }

  /// Syncs made-up payloads with the help of another thread and without it, and expects the same.
  ///
  /// - Parameter settings: Further settings of a sync of so many bytes.
  static func expectTheSame(
    _ block: Int,
    _ settings: (inout OraclePayloads, _ byteCount: Int) -> (inout SyncRequest) -> Void
  ) throws {
    let model = try model()
    // Each block has sequences of its own.
    for seed in Proof.seeds(usual: 0..<10).map({ $0 * 8 + UInt64(block) }) {
      defer { Proof.tried("sequences read ahead and in turn") }
      var payloads = OraclePayloads(
        generator: SeededGenerator(seed: seed), model: model, keys: 6, depth: 1)
      let first = try SyncBench(model)
      let second = try SyncBench(model)
      for _ in 0..<3 {
        let items = try payloads.sequence(of: ["Album"], length: 4).flatMap(\.items)
        var json = "\(JSONValue.array(items))"
        // Text that is no JSON is found while the items before it are written or staged.
        if payloads.generator.chance(20) {
          json = String(json.prefix(Int.random(in: 0...json.count, using: &payloads.generator)))
        }
        let change = settings(&payloads, json.utf8.count)
        let policy: ItemErrorPolicy? = payloads.generator.pick([nil, .fail, .skip, .quarantine])
        let isDryRun = payloads.generator.chance(15)
        let outcomes = try [(first, true), (second, false)].map { bench, readsAhead in
          try outcome(json, bench) { request in
            change(&request)
            request.settings.onItemError = policy
            request.setup.isDryRun = isDryRun
            request.tuning.readsAhead = readsAhead
          }
        }
        #expect(outcomes[0] == outcomes[1], "seed \(seed)")
      }
    }
  }

  @Test(arguments: [1, 2, 5])
  func attributesThatNoItemFilledAreTheSameInPartsAndAsAWhole(_ size: Int) throws {
    let payload = #"""
      [{"id": 1, "title": "a", "more": 1, "tracks": [{"id": 1}]}, {"id": 2, "name": "x", "title": "b"}, 7,
       {"id": 3, "title": "c", "more": 2, "released": "2024-05-06"}, {"id": 4, "title": "d", "tracks": [{"id": 2, "name": "t", "rest": 1}]}]
      """#
    let reports = try [nil, size].map { size in
      try Self.sync(payload, into: SyncBench(Self.model())) {
        $0.tuning.partItems = size
        $0.setup.isDryRun = true
      }.report
    }
    for entity in ["Album", "Track"] {
      let (whole, parts) = (reports[0].entities[entity], reports[1].entities[entity])
      #expect(whole?.unfilledAttributes == parts?.unfilledAttributes)
      #expect(whole?.unusedKeys == parts?.unusedKeys)
    }
    #expect(reports[1].entities["Album"]?.unfilledAttributes == [])
  }

  // MARK: - When

  @Test func theNextPartIsReadWhileOneIsWritten() throws {
    let isRead = DispatchSemaphore(value: 0)
    _ = try Self.sync(
      #"[{"id": 1, "title": "a"}, {"id": 2, "title": "b", "name": "next"}]"#,
      into: SyncBench(Self.model()), reads: { if $0 == "next" { isRead.signal() } },
      change: { request in
        request.tuning.partItems = 1
        request.hooks.willInsert = { item, _, _ in
          if item["id"] == 1 { #expect(isRead.wait(timeout: .now() + Self.patience) == .success) }
          return item
        }
      })
  }

  @Test func noThreadOfTheGlobalQueuesIsNeeded() throws {
    try withFullGlobalQueues {
      let bench = try SyncBench(Self.model())
      _ = try Self.sync(Self.albums(0..<50), into: bench) { $0.tuning.partItems = 1 }
      #expect(try bench.count("Album") == 50)
    }
  }

  @Test func progressComesFromOneThreadAndOnlyGoesUp() throws {
    let steps = Locked<[(thread: ObjectIdentifier, completed: Int)]>([])
    let control = SyncControl { step in
      guard step.phase == .parse else { return }
      let thread = ObjectIdentifier(Thread.current)
      steps.withLock { $0.append((thread, step.completed)) }
    }
    let payload = Self.albums(0..<50)
    _ = try Self.sync(payload, into: SyncBench(Self.model()), control: control) {
      $0.tuning.partItems = 3
    }
    let told = steps.withLock { $0 }
    #expect(Set(told.map(\.thread)).count == 1)
    #expect(told.map(\.completed) == told.map(\.completed).sorted())
    #expect(told.last?.completed ?? 0 > payload.utf8.count - 50)
  }

  // MARK: - Errors and the end

  @Test func theFaultOfAPartIsToldFirstHoweverEarlyTheNextOneIsKnownToBeWrong() throws {
    let isRead = DispatchSemaphore(value: 0)
    let error = #expect(throws: SyncError.self) {
      _ = try Self.sync(
        #"[{"id": 1}, {"title": "without key", "name": "next"}]"#,
        into: SyncBench(Self.model()), reads: { if $0 == "next" { isRead.signal() } },
        change: { request in
          request.tuning.partItems = 1
          request.settings.onItemError = .fail
          request.hooks.willInsert = { item, _, _ in
            #expect(isRead.wait(timeout: .now() + Self.patience) == .success)
            return item
          }
        })
    }
    #expect(error?.code == .requiredValueMissing && error?.property == "title")
  }

  @Test func aBatchIsStoredBeforeTheErrorOfTheNextOneIsTold() throws {
    let bench = try SyncBench(Self.model())
    #expect(throws: JSONError.self) {
      _ = try Self.sync(Self.albums(1..<3).dropLast() + #", {"id": 3, "#, into: bench) {
        $0.setup.transaction = .perBatch(1)
      }
    }
    #expect(try bench.count("Album") == 2)
  }

  enum End: CaseIterable {
    case failure, cancellation
  }

  @Test(arguments: End.allCases) func nothingIsReadAnyMoreWhenTheSyncHasEnded(_ end: End) throws {
    struct Refusal: Error {}
    let isReading = DispatchSemaphore(value: 0)
    let isFailing = DispatchSemaphore(value: 0)
    let hasRead = Locked(false)
    let control = SyncControl()
    let bench = try SyncBench(Self.model())
    expectError(end == .failure ? "Refusal" : "CancellationError") {
      _ = try Self.sync(
        #"[{"id": 1, "title": "a"}, {"id": 2, "title": "b", "name": "next"}]"#, into: bench,
        control: control,
        reads: { name in
          guard name == "next" else { return }
          isReading.signal()
          #expect(isFailing.wait(timeout: .now() + Self.patience) == .success)
          // Long enough that the sync would be through if it did not wait.
          let sum = (0..<1_000_000).reduce(0, &+)
          hasRead.withLock { $0 = sum > 0 }
        },
        change: { request in
          request.tuning.partItems = 1
          request.hooks.willInsert = { item, _, _ in
            guard item["id"] == 1 else { return item }
            #expect(isReading.wait(timeout: .now() + Self.patience) == .success)
            isFailing.signal()
            guard end == .cancellation else { throw Refusal() }
            control.cancel()
            return item
          }
        })
    }
    #expect(hasRead.withLock { $0 })
    #expect(try bench.count("Album") == 0)
  }

  @Test(arguments: [1, 3]) func cancelledAnywhereItLeavesEveryTableAsItWas(_ size: Int) throws {
    let bench = try SyncBench(Self.model())
    _ = try Self.sync(Self.albums(0..<12), into: bench) { $0.tuning.partItems = size }
    let runs = try bench.cancelAtEveryStep { control in
      _ = try Self.sync(Self.albums(6..<18), into: bench, control: control) {
        $0.tuning.partItems = size
      }
    }
    #expect(runs > 12)
    #expect(try bench.count("Album") == 12)
  }
}
