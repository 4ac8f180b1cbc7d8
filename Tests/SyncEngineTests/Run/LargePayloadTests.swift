import Foundation
import SyncStack
import TestSupport
import Testing

/// Payloads larger than a part that is read, compared and written at a time: whichever way they are
/// worked off, the store holds their objects, and one that stays is the object that it was.
@Suite struct LargePayloadTests {
  struct Way: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var pageSize: Int?
    var isKept = false
    var change: @Sendable (inout SyncRequest) -> Void = { _ in }
  }

  static let ways = [
    Way(testDescription: "whole"),
    Way(testDescription: "keys looked up") { $0.tuning.scannedRowsPerKey = 0 },
    Way(testDescription: "without fingerprints") { $0.setup.usesFingerprints = false },
    Way(testDescription: "keys looked up, without fingerprints") {
      $0.setup.usesFingerprints = false
      $0.tuning.scannedRowsPerKey = 0
    },
    Way(testDescription: "parts of 50") { $0.tuning.partItems = 50 },
    Way(testDescription: "parts of 50, keys looked up") {
      $0.tuning.partItems = 50
      $0.tuning.scannedRowsPerKey = 0
    },
    Way(testDescription: "batches of 75") { $0.setup.transaction = .perBatch(75) },
    Way(testDescription: "pages of 100", pageSize: 100),
    Way(testDescription: "kept pages of 100", pageSize: 100, isKept: true),
  ]

  @Test(arguments: ways) func aCompletePayloadIsTheStoreAfterwards(_ way: Way) throws {
    for seed in Proof.seeds(usual: 1...1) {
      defer { Proof.tried("sequences of large payloads") }
      let bench = try SyncBench(TestModels.social())
      var payload = LargePayload(seed: seed, userCount: 160)
      var rows: [String: [Value: Int64]] = [:]
      for step in 0..<4 {
        // The second one is the first one again.
        if step > 1 { payload.change() }
        if let size = way.pageSize {
          try bench.syncPages(payload.json, "User", size: size, isKept: way.isKept)
        } else {
          let report = try bench.sync(payload.json, "User", way.change)
          #expect(report.isUnchanged == (step == 1), "seed \(seed), step \(step): \(report)")
        }
        let graph = try OracleGraph(bench.store)
        try check(graph, payload, "seed \(seed), step \(step)")
        let now = keys(graph)
        for (entity, rows) in rows {
          let moved = rows.filter { key, row in now[entity]?[key].map { $0 != row } ?? false }
          #expect(moved.isEmpty, "seed \(seed), step \(step): \(entity) \(moved) is another object")
        }
        rows = now
      }
    }
  }

  @Test func aLargeFirstImportIsReadInPartsAndIsTheSame() throws {
    let items = (0..<16_000).map { id in
      #"{"id": \#(id), "name": "\#(String(repeating: "name ", count: 20))", "company_id": \#(15_999 - id)}"#
    }
    let json = "[\(items.joined(separator: ","))]"
    var reports: [SyncReport] = []
    for threshold in [1 << 20, Int.max] {
      let folder = try TemporaryFolder()
      let store = try Store(model: TestModels.social(), configuration: .init(.file(folder.file())))
      defer { try? store.close() }
      let bench = try SyncBench(store: store)
      for isFirst in [true, false] {
        let phases = Locked<[SyncPhase]>([])
        let control = SyncControl { step in
          phases.withLock { if $0.last != step.phase { $0.append(step.phase) } }
        }
        let report = try bench.syncWithChanges(
          json, "User", { $0.tuning.firstImportThreshold = threshold }, control: control
        ).report
        let isInParts = phases.withLock { $0.filter { $0 == .insert }.count } > 1
        #expect(isInParts == (isFirst && threshold < .max))
        #expect(report.entities["User"]?.inserted == (isFirst ? 16_000 : 0))
        if isFirst { reports.append(report) }
      }
    }
    #expect(reports[0].entities == reports[1].entities)
    #expect(reports[0].findingCounts == reports[1].findingCounts)
    #expect(reports[0].findings.map(\.message) == reports[1].findings.map(\.message))
  }

  private func check(_ graph: OracleGraph, _ payload: LargePayload, _ place: String) throws {
    var users: [Int: LargePayload.User] = [:]
    var names: [String: [Int: String]] = [:]
    func key(_ id: OracleID) -> Int { Int(graph[id].key.description) ?? -1 }
    for (id, object) in graph.objects {
      let text = object.attributes["name"] ?? object.attributes["text"]
      #expect(
        names[object.entity.name, default: [:]][key(id)] == nil, "\(place): \(id) comes twice")
      names[object.entity.name, default: [:]][key(id)] = text?.description ?? ""
      guard object.entity.name == "User" else { continue }
      users[key(id)] = LargePayload.User(
        name: text?.description ?? "", company: object.links["company"]?.first.map(key),
        tags: Set((object.links["tags"] ?? []).map(key)),
        notes: Set((object.links["notes"] ?? []).map(key)),
        tasks: (object.links["tasks"] ?? []).map(key))
    }
    for (user, wanted) in payload.users where users[user] != wanted {
      Issue.record("\(place): user \(user) is \(String(describing: users[user])), not \(wanted)")
      return
    }
    #expect(users.count == payload.users.count, "\(place)")
    #expect(names["Note"] == payload.notes, "\(place)")
    #expect(names["Tag"] == payload.tags, "\(place)")
    #expect(names["Task"]?.count == payload.users.values.reduce(0) { $0 + $1.tasks.count })
    #expect(graph.inconsistencies.isEmpty, "\(place)")
  }

  /// The rows of keys, by entity.
  private func keys(_ graph: OracleGraph) -> [String: [Value: Int64]] {
    var result: [String: [Value: Int64]] = [:]
    for (id, object) in graph.objects {
      result[object.entity.name, default: [:]][object.key] = id.row
    }
    return result
  }
}
