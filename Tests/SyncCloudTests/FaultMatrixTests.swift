import Foundation
import SyncCore
import SyncStore
import TestSupport
import Testing

@testable import SyncCloud

/// Every fault at every kind of request, once and for as long as it takes, before a real server: nothing hangs or stops
/// the program, and once the fault is over two syncs leave nothing waiting, no problem, and equal stores.
@Suite(.timeLimit(.minutes(10)), .serialized) struct FaultMatrixTests {
  private static let retry = CloudRetry(attempts: 2, delay: 0)

  /// What a first sync of a machine goes through.
  @Test(.server(.memory), arguments: Fault.Kind.allCases)
  func afterEveryFaultTwoSyncsLeaveEverythingEqual(_ kind: Fault.Kind) async throws {
    let proxy = try await TestProxy()
    // One machine that stays and one that begins anew for each fault.
    let there = try Client(try proxy.plain())
    try there.insert("Note", ["title": "there"])
    try await there.engine.sync()
    let transport = try proxy.transport(timeout: 0.4)
    var here = try Client(transport, retry: Self.retry)
    try await here.engine.sync()
    for (index, fault) in Fault.all.enumerated() {
      for times in [1, nil] {
        let place: Comment = "\(fault.name) at \(kind.rawValue), \(times.map(String.init) ?? "all")"
        if kind != .changes && kind != .batch {
          // Only whoever begins asks for these.
          here = try Client(try proxy.transport(timeout: 0.4), retry: Self.retry)
        }
        try here.insert("Note", ["title": .string("\(index)")])
        if let row = try here.rows("Note").first?.row {
          try here.update("Note", row, ["stars": .int(Int64(index)), "text": .string(fault.name)])
        }
        try there.insert("Note", ["title": .string("there \(index)"), "stars": .double(809.0 / 7)])
        try await there.engine.sync()
        try await proxy.set(fault, of: kind, times: times)
        do {
          try await here.engine.sync()
        } catch {
          #expect(error is CloudError, place)
        }
        #expect(try here.engine.status.problems.isEmpty, place)
        try await proxy.clear()
        try await here.engine.sync()
        try await here.engine.sync()
        #expect(try here.engine.status.waiting == 0, place)
        #expect(try here.engine.status.problems.isEmpty, place)
        try await there.engine.sync()
        #expect(try here.graph() == there.graph(), place)
      }
    }
  }

  /// Reads work, and everything that is sent fails: it waits, the push says so, in the time that was promised.
  @Test(
    .server(.memory),
    arguments: Fault.all.filter { !["stall", "hang", "marks of the end of time"].contains($0.name) })
  func anOutageOfWritingIsNoProblemOfTheRecords(_ fault: Fault) async throws {
    let proxy = try await TestProxy()
    let here = try Client(try proxy.transport(timeout: 5), retry: CloudRetry(attempts: 5, delay: 0))
    try await here.engine.sync()
    for index in 0..<60 { try here.insert("Note", ["title": .string("\(index)")]) }
    try await proxy.set(fault, of: .batch)
    await #expect(throws: CloudError.self) { try await here.engine.push() }
    #expect(try here.engine.status.waiting == 60)
    #expect(try here.engine.status.problems.isEmpty)
    #expect(try await proxy.log().filter { $0.kind == "batch" }.count <= 12)
    try await proxy.clear()
    try await settle([here], fresh: try proxy.plain())
    #expect(try here.rows("Note").count == 60)
  }
}
