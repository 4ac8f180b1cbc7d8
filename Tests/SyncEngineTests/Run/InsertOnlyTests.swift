import Foundation
import SyncStack
import TestSupport
import Testing

/// "Insert only": the import for an empty table, which updates and deletes nothing.
@Suite struct InsertOnlyTests {
  private static let insertOnly: SyncOperations = [.insert, .insertRelationships]

  private func users(_ ids: some Sequence<Int>, _ name: String) -> String {
    let items = ids.map { id in
      """
      {"id": \(id), "name": "\(name)", "tags": [{"id": \(id % 5)}],
       "notes": [{"id": \(id)}, {"id": \(id + 1_000)}], "company": {"id": \(id % 7)}}
      """
    }
    return "[" + items.joined(separator: ",") + "]"
  }

  @Test(arguments: [nil, 1, 7])
  func intoEmptyTablesItGivesTheSameAsAPlainImport(_ partItems: Int?) throws {
    let (plain, fast) = (try SyncBench(TestModels.social()), try SyncBench(TestModels.social()))
    // A repeated key and a shared one among them.
    let payload = users(Array(1...40) + [7], "a")
    try plain.sync(payload, "User", parts: partItems)
    let report = try fast.sync(payload, "User", operations: Self.insertOnly, parts: partItems)
    for entity in ["User", "Note", "Tag", "Company"] {
      #expect(try fast.objects(entity) == plain.objects(entity))
    }
    #expect(report.inserted == 40 + 80 + 5 + 7)
    #expect(report.updated == 0 && report.deleted == 0)
  }

  @Test(arguments: [nil, 7])
  func whereObjectsAreStoredTheyStayAndTheRestIsInserted(_ partItems: Int?) throws {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(users(1...20, "a"), "User")
    let before = Set(try bench.objects("User"))
    let report = try bench.sync(
      users(11...30, "b"), "User", operations: Self.insertOnly, parts: partItems)
    #expect(report.entities["User"]?.inserted == 10)
    #expect(report.entities["Note"]?.inserted == 20)
    // Tags and companies gain members, and nothing else changes of the objects that were there.
    #expect(report.entities["User"]?.updated == 0 && report.entities["Note"]?.updated == 0)
    #expect(report.deleted == 0)
    let after = try bench.objects("User")
    #expect(before.isSubset(of: after))
    #expect(after.count == 30 && after.count { $0.contains("name=b") } == 10)
    let again = try bench.sync(users(11...30, "b"), "User", operations: Self.insertOnly)
    #expect(again.inserted == 0)
  }
}
