import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStore

/// Items that come again in a sync of several lists.
@Suite struct KnownListTests {
  private let bench: KnownItemBench

  init() throws { bench = try KnownItemBench() }

  /// The lists of one day: users with their notes, companies, and tasks.
  struct Day: Sendable {
    var users = (1...20).map { KnownListTests.user($0) }
    var companies = (1...5).map { #"{"id": \#($0), "name": "company \#($0)"}"# }
    var tasks = (1...10).map { #"{"id": \#($0), "user_id": \#($0)}"# }

    func lists(predicate: Filter? = nil) -> [SyncList] {
      [
        .list(KnownListTests.array(companies), of: "Company"),
        .list(KnownListTests.array(users), of: "User", predicate: predicate),
        .list(KnownListTests.array(tasks), of: "Task"),
      ]
    }
  }

  static func array(_ items: some Sequence<String>) -> Data { KnownItemBench.array(items) }

  static func user(_ id: Int, _ name: String = "a") -> String {
    KnownItemBench.user(id, name, company: id % 5 + 1)
  }

  private func sync(
    _ bench: KnownItemBench, _ lists: [SyncList], _ change: (Sync) -> Void = { _ in }
  ) throws -> (report: SyncReport, readCount: Int) {
    var report = SyncReport()
    let count = try bench.readCount {
      report = try Sync(lists: lists, dataStack: bench.stack).run(change)
    }
    return (report, count)
  }

  // MARK: - Passing over

  @Test func listsThatComeAgainAreNotRead() throws {
    let bench = try KnownItemBench(in: TemporaryFolder())
    #expect(try sync(bench, Day().lists()).readCount == 20)
    for _ in 1...2 {
      let (report, readCount) = try sync(bench, Day().lists())
      #expect(readCount == 0)
      #expect(report.isUnchanged)
      #expect(report.itemCount == 35)
      let unchanged = report.entities.mapValues(\.unchanged)
      #expect(unchanged == ["User": 20, "Note": 20, "Company": 5, "Task": 10])
    }
  }

  @Test func theNextDayOnlyNewAndChangedItemsAreRead() throws {
    var day = Day()
    _ = try sync(bench, day.lists())
    day.users[3] = Self.user(4, "b")
    day.users.removeLast()
    day.users.append(Self.user(30))
    day.companies.removeLast()
    let (report, readCount) = try sync(bench, day.lists())
    #expect(readCount == 2)
    #expect(report.entities["User"]?.updated == 1)
    #expect(report.entities["User"]?.inserted == 1)
    #expect(report.entities["User"]?.deleted == 1)
    #expect(report.entities["Company"]?.deleted == 0, "users mention it")
    #expect(try sync(bench, day.lists()).readCount == 0)
  }

  @Test func aListAloneAndAmongOthersKnowsTheSameItems() throws {
    let bench = try KnownItemBench(in: TemporaryFolder())
    let day = Day()
    _ = try sync(bench, day.lists())
    let count = try bench.readCount {
      try bench.stack.sync(Self.array(day.users), inEntityNamed: "User")
    }
    #expect(count == 0)
    #expect(try sync(bench, day.lists()).readCount == 0)
  }

  @Test func twoListsThatAreReadAlikeKnowTheItemsOfEachOther() throws {
    let day = Day()
    let users = day.users
    func lists(_ cut: Int) -> [SyncList] {
      [
        .list(Self.array(day.companies), of: "Company"),
        .list(Self.array(users[..<cut]), of: "User"),
        .list(Self.array(users[cut...]), of: "User"),
      ]
    }
    #expect(try sync(bench, lists(12)).readCount == 20)
    #expect(try sync(bench, lists(12)).readCount == 0)
    let (report, readCount) = try sync(bench, lists(5))
    #expect(readCount == 0)
    #expect(report.entities["User"]?.unchanged == 20)
    #expect(try bench.bench.count("User") == 20)
  }

  @Test func manyListsKeepTheirFingerprints() throws {
    let lists =
      [.list(Self.array(Day().companies), of: "Company")]
      + (1...40).map {
        SyncList.list(Self.array([Self.user($0)]), of: "User", predicate: Filter("id == \($0)"))
      }
    #expect(try sync(bench, lists).readCount == 40)
    #expect(try sync(bench, lists).readCount == 0)
    #expect(try bench.bench.count("User") == 40)
  }

  @Test(arguments: [
    "UPDATE _syncstack_print_sets SET head = x'05'",
    "UPDATE _syncstack_print_sets SET generation = generation - 1",
    "DELETE FROM _syncstack_fingerprints",
  ])
  func setsThatDoNotCountAnyMoreAreMadeAnew(_ damage: String) throws {
    let folder = try TemporaryFolder()
    for (day, expected) in [20, 20, 0].enumerated() {
      let bench = try KnownItemBench(in: folder)
      #expect(try sync(bench, Day().lists()).readCount == expected, "Day \(day)")
      try bench.stack.close()
      guard day == 0 else { continue }
      let connection = try Connection(
        path: folder.file().path, options: .init(), recorder: StatementRecorder())
      defer { connection.close() }
      try connection.execute(damage)
    }
  }

  // MARK: - Reading after all

  @Test func anItemIsReadWhereAnotherListChangedItsObject() throws {
    var day = Day()
    _ = try sync(bench, day.lists())
    // A company is described below a user, too.
    day.users[0] =
      #"{"id": 1, "name": "a 1", "company": {"id": 2, "name": "of the user"}, "notes": [{"id": 10, "text": "note 10"}]}"#
    for _ in 1...3 {
      _ = try sync(bench, day.lists())
      #expect(try bench.name(of: 2, "Company") == "of the user")
    }
    day.users[0] = Self.user(1)
    _ = try sync(bench, day.lists())
    #expect(try bench.name(of: 2, "Company") == "company 2", "its own item is read again")
  }

  @Test func anUnsentEditHasItsOwnItemReadAlone() throws {
    _ = try sync(bench, Day().lists())
    try bench.rename(7, "mine")
    for _ in 1...2 {
      let (report, readCount) = try sync(bench, Day().lists())
      #expect(readCount == 1)
      #expect(report.entities["User"]?.protected == 1)
    }
  }

  @Test func listsBesideOneWithoutFingerprintsAreRead() throws {
    let day = Day()
    let withDeletions =
      day.lists() + [.list(Self.array([]), of: "Tag", deletes: { $0["deleted"] == true })]
    for _ in 1...2 { #expect(try sync(bench, withDeletions).readCount == 20) }
    #expect(try sync(bench, day.lists()).readCount == 20)
    #expect(try sync(bench, day.lists()).readCount == 0)
  }

  @Test func aDryRunAndAnErrorLeaveNothing() throws {
    var day = Day()
    #expect(try sync(bench, day.lists()) { $0.isDryRun = true }.readCount == 20)
    _ = try sync(bench, day.lists())
    let before = try bench.dump()
    day.tasks[5] = #"{"id": }"#
    day.users[3] = Self.user(4, "b")
    #expect(throws: JSONError.self) { try sync(bench, day.lists()) }
    #expect(try bench.dump() == before)
    #expect(try sync(bench, Day().lists()).readCount == 0)
  }
}
