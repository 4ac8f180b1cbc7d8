import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Every fault at every kind of request, once and for as long as it takes, before a real server:
/// nothing hangs or stops the program, and once the fault is over two syncs leave nothing waiting,
/// no problem, and equal stores.
@Suite(.timeLimit(.minutes(5))) struct FaultMatrixTests {
  private static let retry = RetryPolicy(attempts: 2, delay: 0)

  /// Each kind of request meets every sixth fault, each another sixth; all of them with
  /// `SYNCSTACK_CLOUD_ALL_FAULTS=1`, which `Tests/prove` sets.
  private static func faults(from first: Int) -> [(offset: Int, element: Fault)] {
    let all = Array(Fault.all.enumerated())
    if setting("ALL_FAULTS") != nil { return all }
    return all.filter { $0.offset % 6 == first % 6 }
  }

  /// One machine begins anew for each fault that only a first sync can meet.
  @Test(.server(.memory), arguments: Fault.Kind.allCases)
  func afterEveryFaultTwoSyncsLeaveEverythingEqual(_ kind: Fault.Kind) async throws {
    let proxy = try await TestProxy()
    let there = try Client(try proxy.plain())
    try there.insert("Note", ["title": "there"])
    try await there.engine.sync()
    // Short where the fault is silence.
    let (short, long) = (try proxy.transport(timeout: 0.4), try proxy.transport())
    let transport = SwitchedTransport(long)
    var here = try Client(transport, retry: Self.retry)
    try await here.engine.sync()
    let first = Fault.Kind.allCases.firstIndex(of: kind) ?? 0
    for (index, fault) in Self.faults(from: first) {
      for times in [1, nil] {
        let place: Comment = "\(fault.name) at \(kind.rawValue), \(times.map(String.init) ?? "all")"
        if kind != .changes && kind != .batch {
          here = try Client(transport, retry: Self.retry)
        }
        try here.insert("Note", ["title": "here", "stars": .int(Int64(index))])
        if let row = try here.rows("Note").first?.row {
          try here.update("Note", row, ["text": .string(fault.name)])
        }
        let rows = try there.rows("Note")
        for row in rows.dropFirst().prefix(2) { try there.update("Note", row.row, ["stars": 1]) }
        if let last = rows.last, rows.count > 3 { try there.delete("Note", last.row) }
        try await there.engine.sync()
        try await proxy.set(fault, of: kind, times: times)
        // One that has heard nothing of the server yet.
        let fresh = try proxy.transport(timeout: 0.4)
        transport.inner = kind == .changes || kind == .batch ? short : fresh
        var failure: CloudError?
        do {
          try await here.engine.sync()
        } catch {
          failure = try #require(error as? CloudError, place)
        }
        // A record that is too large is named, and is tried again all the same.
        let isNamed = failure?.code == .tooLarge
        #expect(isNamed || here.engine.status.problems.isEmpty, place)
        try await proxy.clear()
        transport.inner = long
        try await sync(here, here)
        #expect(here.engine.status.waiting == 0, place)
        #expect(here.engine.status.problems.isEmpty, place)
        try await there.engine.sync()
        #expect(try here.graph() == there.graph(), place)
        Proof.tried("faults of a server of remote sync")
      }
    }
  }

  /// Reads work, and nothing that is sent arrives: it waits, and the push says so after as many
  /// tries as were promised.
  @Test(.server(.memory)) func anOutageOfWritingIsNoProblemOfTheRecords() async throws {
    let proxy = try await TestProxy()
    let here = try Client(try proxy.transport(), retry: RetryPolicy(attempts: 5, delay: 0))
    try here.stack.store.write { transaction in
      _ = try transaction.insert("Note", (0..<60).map { ["title": .string("\($0)")] })
    }
    try await here.engine.sync()
    let arriving: Set<JSONValue> = ["after", "lost", "cut", "stall", "hang", "edit"]
    for (_, fault) in Self.faults(from: 1) where !arriving.contains(fault.form["mode"] ?? nil) {
      for row in try here.rows("Note") {
        try here.update("Note", row.row, ["text": .string(fault.name)])
      }
      try await proxy.set(fault, of: .batch)
      _ = try await proxy.log()
      await #expect(throws: CloudError.self) { try await here.engine.push() }
      #expect(here.engine.status.waiting == 60, "\(fault.name)")
      let problems = here.engine.status.problems
      #expect(fault.name.contains("413") || problems.isEmpty, "\(fault.name)")
      #expect(try await proxy.log().filter { $0.kind == "batch" }.count <= 12, "\(fault.name)")
      try await proxy.clear()
      #expect(try await here.engine.push().sent == 60, "\(fault.name)")
    }
    try await settle([here], fresh: try proxy.plain())
  }
}
