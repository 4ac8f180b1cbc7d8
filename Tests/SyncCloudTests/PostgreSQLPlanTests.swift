import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// The reads of statements on a table without statistics: it looks empty to the planner, as it was
/// when the statements were planned.
@Suite(.timeLimit(.minutes(5)), .server(.database)) struct PostgreSQLPlanTests {
  private static let batch = 200

  /// Fills a zone by batches, and updates all records.
  ///
  /// - Returns: How many rows of records each of the calls read.
  private func reads(_ functions: String = PostgreSQLTransport.schema) async throws -> [Int] {
    let name = "d" + UUID().uuidString.lowercased().replacing("-", with: "")
    let owner = try TestServer.install(functions, in: name)
    let connection = PostgreSQLConnection(try PostgreSQLAddress(owner), timeout: 60)
    for statement in [
      "alter table syncstack.record set (autovacuum_enabled = off)", "vacuum syncstack.record",
      "select syncstack.open('tests/private/z', true)", "begin",
    ] {
      _ = try await connection.value(statement, [])
    }
    var tags: [JSONValue] = []
    var total = 0
    var reads: [Int] = []
    func save(_ saves: [JSONValue]) async throws {
      let answer = try await connection.value(
        "select syncstack.save('tests/private/z', $1::jsonb)",
        [JSONValue.array(saves).description], isRepeatable: false)
      let answers = try JSONValue(parsing: try #require(answer)).arrayValue ?? []
      tags += answers.compactMap { $0["saved"]?["tag"] }
      let count = try await connection.value(
        "select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables where relid = 'syncstack.record'::regclass",
        [])
      let now = try #require(count.flatMap { Int($0) })
      reads.append(now - total)
      total = now
    }
    let starts = Array(stride(from: 0, to: 10 * Self.batch, by: Self.batch))
    for start in starts {
      try await save(
        (start..<start + Self.batch).map {
          ["op": "create", "name": .string("r\($0 * 7919 % 100_003)"), "content": ["f_a": "x"]]
        })
    }
    #expect(tags.count == 10 * Self.batch)
    for start in starts {
      try await save(
        (start..<start + Self.batch).map {
          [
            "op": "update", "name": .string("r\($0 * 7919 % 100_003)"), "tag": tags[$0],
            "content": ["f_a": "y"],
          ]
        })
    }
    #expect(tags.count == 20 * Self.batch)
    return reads
  }

  @Test func aCallReadsWhatItWritesAndNotWhatIsThere() async throws {
    let most = try await reads().max() ?? .max
    #expect(most <= 3 * Self.batch)
  }

  /// The rule above notices a look-up that leaves the way to the planner.
  @Test func aPlainJoinReadsEverythingForEachRecord() async throws {
    var functions = PostgreSQLTransport.schema
    let start = try #require(functions.range(of: "left join lateral (")).lowerBound
    let end = try #require(functions[start...].range(of: ") r on ")).upperBound
    functions.replaceSubrange(start..<end, with: "left join record r on ")
    let most = try await reads(functions).max() ?? 0
    #expect(most > 20 * Self.batch)
  }
}
