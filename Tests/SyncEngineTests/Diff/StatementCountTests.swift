import SyncCore
import SyncEngine
import SyncStore
import TestSupport
import Testing

/// How many statements a sync runs.
@Suite struct StatementCountTests {
  private func payload(_ count: Int, name: String = "n") -> String {
    let items = (1...count).map { id in
      """
      {"id": \(id), "name": "\(name)", "company": {"id": \(id % 7)}, "tags": [{"id": \(id % 5)}],
       "notes": [{"id": \(id * 2)}, {"id": \(id * 2 + 1)}], "tasks": [{"id": \(id)}]}
      """
    }
    return "[\(items.joined(separator: ","))]"
  }

  /// The statements of a sync, by text: lists of values of any length are one shape.
  private func shapes(_ bench: SyncBench, _ json: String) throws -> [String: Int] {
    let statements = try bench.store.recorder.record { try bench.sync(json, "User") }
    return Dictionary(
      statements.map { statement in
        let plain = statement.replacing(#/\(\?(, ?\?)*\)(, ?\(\?(, ?\?)*\))*/#, with: "(?…)")
        return (plain, 1)
      }, uniquingKeysWith: +)
  }

  @Test("the shapes do not grow with the payload: cold, unchanged, changed")
  func shapesAreConstant() throws {
    func counts(_ count: Int) throws -> [Int] {
      let bench = try SyncBench(TestModels.social())
      return [
        try shapes(bench, payload(count)).count, try shapes(bench, payload(count)).count,
        try shapes(bench, payload(count, name: "m")).count,
      ]
    }
    let small = try counts(40)
    let large = try counts(400)
    #expect(zip(small, large).allSatisfy { $1 <= $0 + 2 }, "\(small) and \(large)")
    #expect(large.allSatisfy { $0 < 80 }, "\(large)")
  }

  @Test("no statement per stored object that is unchanged")
  func unchangedObjectsCostNone() throws {
    func executed(_ count: Int) throws -> Int {
      let bench = try SyncBench(TestModels.social())
      try bench.sync(payload(count), "User")
      return try bench.store.recorder.record { try bench.sync(payload(count), "User") }.count
    }
    let small = try executed(20)
    let large = try executed(400)
    // Twenty times the objects: a few more statements for longer lists of keys, not one per object.
    #expect(large < small + 20, "\(small) and \(large)")
  }
}
