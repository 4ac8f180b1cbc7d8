import Foundation
import Measuring
import SyncCloud
import SyncStack

/// A push and a pull with PostgreSQL, beside psql that inserts and reads the same rows by plain
/// statements: into a table with the same columns and indexes, a statement for each batch and each
/// page.
struct PostgreSQLTrial {
  let address: String
  let records: Int

  func run() async throws {
    try await withFolder { folder in
      let script = folder.appending(path: "plain.sql")
      let sender = KeepingTransport(try PostgreSQLTransport(address, app: "benchmark"))
      let here = try Machine(folder, "here", sender)
      try await here.fill(records)
      let push = try await measure { try await here.cloud.push() }
      try Self.table.write(to: script, atomically: true, encoding: .utf8)
      try psql(script)
      let batches = await sender.batches
      try batches.map(Self.insertion).joined().write(to: script, atomically: true, encoding: .utf8)
      let inserted = try await measure { try psql(script) }
      tell("push", "INSERT … SELECT", push.elapsed, await sender.elapsed, inserted.elapsed)
      // So that no trial meets the first reading of new rows, or a vacuum that begins by itself.
      try "vacuum analyze syncstack.record; vacuum analyze plain; checkpoint;\n".write(
        to: script, atomically: true, encoding: .utf8)
      try psql(script)
      let reader = KeepingTransport(try PostgreSQLTransport(address, app: "benchmark"))
      let there = try Machine(folder, "there", reader)
      let pull = try await measure { try await there.cloud.pull() }
      try stride(from: 0, to: records, by: 5000).map(Self.selection).joined()
        .write(to: script, atomically: true, encoding: .utf8)
      let read = try await measure { try psql(script) }
      tell("pull", "SELECT", pull.elapsed, await reader.elapsed, read.elapsed)
    }
  }

  private func tell(
    _ name: String, _ other: String, _ whole: Double, _ calls: Double, _ plain: Double
  ) {
    say(
      "\(name) of \(records) with PostgreSQL: \(rounded(whole, 2)) s, \(rounded(calls, 2)) s of it in calls; \(other) of the same "
        + "rows \(rounded(plain, 2)) s: \(rounded(calls / plain, 2)) times as long, with the engine \(rounded(whole / plain, 2))"
    )
  }

  private static let table = """
    drop table if exists plain;
    create table plain (zone bigint, name text, change bigserial, time bigint, owner text, content jsonb, primary key (zone, name));
    create unique index on plain (zone, change);

    """

  private static func insertion(_ saves: [CloudSave]) -> String {
    let rows = saves.map {
      ["name": .string($0.name), "content": .object($0.content)] as JSONValue
    }
    let text = String(decoding: JSONValue.array(rows).data(), as: UTF8.self)
    return """
      insert into plain (zone, name, time, owner, content) select 1, e ->> 'name', 1, 'x', e -> 'content'
      from jsonb_array_elements('\(text.replacing("'", with: "''"))') as x (e);

      """
  }

  private static func selection(_ start: Int) -> String {
    """
    copy (select name, change, time, content from plain where zone = 1 and change > \(start) order by change limit 5000) to stdout;

    """
  }

  private func psql(_ script: URL) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-f", script.path, address]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw MeasuringError("psql failed.") }
  }
}

/// Keeps the saved records, and the times of the calls.
private actor KeepingTransport: CloudTransport {
  private(set) var batches: [[CloudSave]] = []
  private(set) var elapsed = 0.0
  private let inner: any CloudTransport

  init(_ inner: any CloudTransport) { self.inner = inner }

  private func timed<Result: Sendable>(
    _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let start = ContinuousClock.now
    defer { elapsed += (ContinuousClock.now - start) / .seconds(1) }
    return try await body()
  }

  func account() async throws -> String { try await inner.account() }
  func limits() async throws -> CloudLimits { try await inner.limits() }
  func open(_ zone: CloudZone, create: Bool) async throws -> CloudZoneState {
    try await inner.open(zone, create: create)
  }
  func changes(in zone: CloudZone, after token: CloudToken?, limit: Int) async throws -> CloudPage {
    try await timed { [inner] in try await inner.changes(in: zone, after: token, limit: limit) }
  }
  func save(_ saves: [CloudSave], in zone: CloudZone) async throws -> [CloudSaveResult] {
    batches.append(saves)
    return try await timed { [inner] in try await inner.save(saves, in: zone) }
  }
  func remove(_ zone: CloudZone) async throws { try await inner.remove(zone) }
}
