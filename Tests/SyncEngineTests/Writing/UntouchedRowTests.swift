import Foundation
import SyncStack
import TestSupport
import Testing

/// Rows that are neither in scope, nor named by the payload, nor reached by an inverse or a delete
/// rule are the same afterwards, version and all.
@Suite struct UntouchedRowTests {
  /// Every row of a store with everything that is stored of it.
  private func rows(_ store: Store) throws -> [OracleID: String] {
    var result: [OracleID: String] = [:]
    try store.read { reader in
      for entity in store.model.entities where entity.superentity == nil {
        try reader.scan(entity, .all) { cursor in
          let row = try cursor.storedRow()
          result[OracleID(root: entity.rootIndex, row: row.row)] =
            "\(row.entity.name) v\(row.version) \(row.values)"
        }
      }
    }
    return result
  }

  /// Two islands that nothing connects: whatever is synced into one under a predicate or a parent
  /// leaves the other alone.
  @Test(arguments: UInt64(1)...40)
  func randomSyncsIntoOneIslandLeaveTheOtherAsItIs(seed: UInt64) throws {
    let bench = try SyncBench(TestModels.social())
    // The other island: keys from 100 on, which no random payload names.
    try bench.sync(
      #"""
      [{"id": 100, "name": "far", "notes": [{"id": 100}, {"id": 101}], "company": {"id": 100},
        "tags": [{"id": 100}, {"id": 101}], "tasks": [{"id": 101}, {"id": 100}]},
       {"id": 101, "name": "far", "company": {"id": 100}, "tags": [{"id": 101}]}]
      """#, "User")
    let island = try rows(bench.store)
    let graph = try OracleGraph(bench.store)
    var payloads = OraclePayloads(generator: SeededGenerator(seed: seed), model: bench.model)
    for payload in try payloads.sequence(of: ["User"], length: 4) {
      var request = try bench.request("User", .json(.array(payload.items)))
      request.settings.operations = payload.operations
      request.settings.filter = Filter(#"name != "far""#)
      _ = try SyncRun(request, store: bench.store, control: SyncControl()).run()
    }
    let after = try rows(bench.store)
    for (id, row) in island { #expect(after[id] == row, "seed \(seed)") }
    let graphAfter = try OracleGraph(bench.store)
    for id in island.keys {
      #expect(graphAfter.objects[id]?.links == graph.objects[id]?.links, "seed \(seed)")
    }
  }

  @Test(arguments: [1, 50]) func aRowThatThePayloadRepeatsAsItIsKeepsItsVersion(count: Int) throws {
    let bench = try SyncBench(TestModels.social())
    let json =
      "["
      + (1...count).map {
        #"{"id": \#($0), "name": "n", "notes": [{"id": \#($0)}], "tags": [{"id": 1}]}"#
      }.joined(separator: ",") + "]"
    try bench.sync(json, "User")
    let before = try rows(bench.store)
    try bench.sync(json, "User")
    #expect(try rows(bench.store) == before)
  }
}
