import Foundation
import SyncStack
import TestSupport
import Testing

/// A program that ends at any point of a run leaves behind the files as they are at that moment,
/// and a server that has carried out the requests until then.
@Suite struct KillTests {
  /// So many kills; with `SYNCSTACK_KILLS` so many as it says, and a line about them.
  private static let soak = Proof.number("KILLS")
  private static let kills = soak ?? 12

  /// Where the program ends.
  enum Moment: CaseIterable {
    /// With a request that the server never sees.
    case beforeRequest
    /// With a request that the server has carried out, before its answer is taken in.
    case afterRequest
  }

  @Test(arguments: Moment.allCases)
  func nothingIsLostOrMadeTwice(_ moment: Moment) async throws {
    var random = SeededGenerator(seed: moment == .beforeRequest ? 1 : 2)
    let folder = try TemporaryFolder()
    let server = FakeServer()
    var file = folder.file("0.sqlite")
    for round in 1...KillTests.kills {
      let dead = folder.file("\(round).sqlite")
      try await run(file, copiedTo: dead, server, &random, moment, round: round)
      file = dead
    }
    Proof.tried("programs with an outbox that end at any request", KillTests.kills)
    let shop = try Shop(server: server, store: .sqlite(file))
    let report = try await shop.outbox.send()
    #expect(report.waiting == 0 && report.refused == 0)
    #expect(try shop.outbox.pending.isEmpty)
    #expect(try shop.differences(from: await server.objects) == [])
    #expect(await server.objects["Order"]?.count ?? 0 > 0)
    // Without the keys of changes so much would have been done twice.
    let repeats = await server.repeats
    #expect(moment == .beforeRequest ? repeats == 0 : repeats > 0)
    #expect(try await shop.stack.checkConsistency().problems.isEmpty)
    if let soak = KillTests.soak { print("\(soak) kills \(moment): \(await server.summary)") }
  }

  /// Edits and sends until a request at which the files are copied; nothing that comes later
  /// counts.
  private func run(
    _ file: URL, copiedTo dead: URL, _ server: FakeServer, _ random: inout SeededGenerator,
    _ moment: Moment, round: Int
  ) async throws {
    let shop = try Shop(server: server, store: .sqlite(file))
    shop.outbox.retry = RetryPolicy(attempts: 0, delay: 0)
    shop.outbox.concurrency = 1
    let count = Int.random(in: 2..<6, using: &random)
    try await shop.edit { context in
      for number in 0..<count {
        let order = Order(context: context)
        order.status = "\(round).\(number)"
        if number % 2 == 0 { Line(context: context).order = order }
        let customer = Customer(context: context)
        customer.name = "\(round).\(number)"
        order.customer = customer
      }
      let orders = try context.fetch(Fetch<Order>().sorted(by: "status"))
      orders.first.map(context.delete)
      orders.last?.status = "\(round)"
    }
    let last = Int.random(in: 1...count * 2, using: &random)
    let counter = Locked(0)
    for name in ["Customer", "Order", "Line", "Label"] {
      shop.outbox.send(with: Conventional(name)) { change in
        let number = counter.withLock { number in
          number += 1
          return number
        }
        guard number <= last else { throw FakeDesk.Lost() }
        if number < last { return try await server.answer(change) }
        if moment == .afterRequest { _ = try await server.answer(change) }
        try copyFiles(file, to: dead)
        throw FakeDesk.Lost()
      }
    }
    try await shop.outbox.send()
    try shop.stack.close()
  }

  /// The files of a store as they lie there, the log among them.
  private func copyFiles(_ file: URL, to copy: URL) throws {
    for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: file.path + ending) {
      try FileManager.default.copyItem(atPath: file.path + ending, toPath: copy.path + ending)
    }
  }
}
