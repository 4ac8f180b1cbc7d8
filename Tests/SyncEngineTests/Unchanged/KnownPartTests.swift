import Foundation
import SyncStack
import TestSupport
import Testing

/// Items that come again in a payload that is worked off in parts.
@Suite(.timeLimit(.minutes(5))) struct KnownPartTests {
  private let bench: KnownItemBench

  init() throws { bench = try KnownItemBench() }

  private static let users = 1..<51
  private static let partItems = 7

  private static var items: [String] { users.map { KnownItemBench.user($0) } }

  private func request(
    _ bench: KnownItemBench, _ json: Data, _ entity: String = "User"
  ) throws -> SyncRequest {
    let plan = bench.stack.mappingPlans.plan(
      for: try bench.stack.model.requireEntity(named: entity))
    var request = SyncRequest(plan: plan, payload: .data(json))
    request.tuning.readsAhead = false
    return request
  }

  private func run(
    _ request: SyncRequest, _ bench: KnownItemBench
  ) throws -> (report: SyncReport, readCount: Int) {
    var report = SyncReport()
    let count = try bench.readCount {
      report = try SyncRun(request, store: bench.bench.store, control: SyncControl()).run().report
    }
    return (report, count)
  }

  private func sync(
    _ bench: KnownItemBench, _ items: [String], partItems: Int? = Self.partItems,
    _ change: (inout SyncRequest) -> Void = { _ in }
  ) throws -> (report: SyncReport, readCount: Int) {
    var request = try request(bench, KnownItemBench.array(items))
    request.tuning.partItems = partItems
    change(&request)
    return try run(request, bench)
  }

  // MARK: - Passing over

  @Test(arguments: [1, 7, 49, 50, 60]) func partsThatComeAgainAreNotRead(_ partItems: Int) throws {
    #expect(try sync(bench, Self.items, partItems: partItems).readCount == 50)
    let before = try bench.dump()
    for _ in 1...2 {
      let (report, readCount) = try sync(bench, Self.items, partItems: partItems)
      #expect(readCount == 0)
      #expect(report.isUnchanged)
      #expect(report.itemCount == 50)
      #expect(report.entities["User"]?.unchanged == 50)
      #expect(report.entities["Note"]?.unchanged == 50)
    }
    #expect(try bench.dump() == before)
  }

  @Test func linesThatComeAgainAreNotRead() throws {
    for expected in [50, 0] {
      let lines = Self.items.joined(separator: "\n")
      var request = try request(bench, Data(lines.utf8))
      request.tuning.partItems = Self.partItems
      request.settings.reading.format = .lines
      let (report, readCount) = try run(request, bench)
      #expect(readCount == expected)
      #expect(report.itemCount == 50)
    }
  }

  @Test(arguments: [3, 25, 50]) func aChangedItemIsReadAloneWhereverItStands(_ user: Int) throws {
    var items = Self.items
    _ = try sync(bench, items)
    items[user - 1] = KnownItemBench.user(user, "b")
    let (report, readCount) = try sync(bench, items)
    #expect(readCount == 1)
    #expect(report.entities["User"]?.updated == 1)
    #expect(report.entities["User"]?.unchanged == 49)
    #expect(try sync(bench, items).readCount == 0)
  }

  @Test func aPayloadInPartsAndAWholeOneKnowTheSameItems() throws {
    let bench = try KnownItemBench(in: TemporaryFolder())
    var items = Self.items
    for (number, partItems) in [nil, 7, 11, nil, 7].enumerated() {
      items[number * 9] = KnownItemBench.user(number * 9 + 1, "b")
      let readCount = try sync(bench, items, partItems: partItems).readCount
      #expect(readCount == (number == 0 ? 50 : 1))
    }
  }

  @Test func theNextDayOnlyNewItemsAreReadAndThoseThatAreGoneAreDeleted() throws {
    _ = try sync(bench, Self.items)
    let items =
      Self.items.enumerated().filter { $0.offset % 10 != 4 }.map(\.element)
      + (51..<56).map { KnownItemBench.user($0) }
    let (report, readCount) = try sync(bench, items)
    #expect(readCount == 5)
    #expect(report.entities["User"]?.deleted == 5)
    #expect(report.entities["User"]?.inserted == 5)
    #expect(report.entities["User"]?.unchanged == 45)
    #expect(try bench.bench.count("User") == 50)
    #expect(try sync(bench, items).readCount == 0)
  }

  @Test func anItemThatRefersToALaterPartIsKnownOnceThatIsThere() throws {
    let bench = try KnownItemBench(OracleTests.staff())
    let items = (1...20).map { #"{"id": \#($0), "name": "\#($0)", "manager_id": \#(21 - $0)}"# }
    for expected in [20, 10, 0] {
      var request = try request(bench, KnownItemBench.array(items), "Person")
      request.tuning.partItems = 5
      let (report, readCount) = try run(request, bench)
      #expect(readCount == expected)
      #expect(report.count(of: .unresolvedReference) == 0)
    }
  }

  // MARK: - The same as without

  struct Day: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let items: [String]

    init(_ name: String, _ change: (inout [String]) -> Void) {
      testDescription = name
      var items = KnownPartTests.items
      change(&items)
      self.items = items
    }
  }

  static let days = [
    Day("a child of a later part moves to an earlier one") {
      $0[0] = KnownItemBench.user(1, notes: [10, 400])
    },
    Day("a child of an earlier part is nested again") {
      $0[39] = KnownItemBench.user(40, notes: [400, 10])
    },
    Day("a child moves") {
      $0[0] = KnownItemBench.user(1, notes: [10, 400])
      $0[39] = KnownItemBench.user(40, notes: [])
    },
    Day("a child moves to a later part") {
      $0[0] = KnownItemBench.user(1, notes: [])
      $0[39] = KnownItemBench.user(40, notes: [400, 10])
    },
    Day("an item comes twice") { $0.append(KnownItemBench.user(2)) },
    Day("an item comes twice in one part") { $0.insert(KnownItemBench.user(2), at: 0) },
    Day("an item comes again with another value") { $0.append(KnownItemBench.user(2, "later")) },
    Day("an item comes before with another value") {
      $0.insert(KnownItemBench.user(40, "earlier"), at: 0)
    },
    Day("the order is another one") { $0.reverse() },
    Day("a list is empty") { $0[20] = KnownItemBench.user(21, notes: []) },
    Day("half is gone") { $0.removeFirst(25) },
    Day("a list by keys takes a child") {
      $0[0] = #"{"id": 1, "name": "a", "notes_ids": [10, 400, 30]}"#
    },
    Day("children say whose they are") {
      $0[30] = #"{"id": 31, "name": "a", "notes": [{"id": 20, "user_id": 2}]}"#
    },
    Day("all of it changed") { $0 = $0.map { $0.replacing(#""name": "a"#, with: #""name": "z"#) } },
  ]

  @Test(arguments: days, [1, 7])
  func aDayIsTheSameAsWithoutFingerprints(_ day: Day, _ partItems: Int) throws {
    let (with, without) = try (KnownItemBench(), KnownItemBench())
    let days = [Self.items, Self.items, day.items, day.items, Self.items, day.items]
    for (number, items) in days.enumerated() {
      let report = try sync(with, items, partItems: partItems).report
      let expected = try sync(without, items, partItems: partItems) {
        $0.setup.usesFingerprints = false
      }.report
      #expect(report.entities == expected.entities, "Day \(number)")
      #expect(report.findingCounts == expected.findingCounts, "Day \(number)")
      for entity in ["User", "Note"] {
        let objects = try without.bench.objects(entity)
        let difference = try with.bench.objects(entity).difference(from: objects)
        #expect(difference.isEmpty, "Day \(number)")
      }
    }
  }

  // MARK: - Edits, errors, cancellation

  @Test func anUnsentEditHasItsOwnItemReadAlone() throws {
    let bench = try KnownItemBench(in: TemporaryFolder())
    _ = try sync(bench, Self.items)
    try bench.rename(33, "mine")
    for _ in 1...2 {
      let (report, readCount) = try sync(bench, Self.items)
      #expect(readCount == 1)
      #expect(report.entities["User"]?.protected == 1)
      #expect(report.isUnchanged)
    }
    try bench.acknowledge()
    #expect(try sync(bench, Self.items).report.entities["User"]?.updated == 1)
    #expect(try sync(bench, Self.items).readCount == 0)
  }

  @Test(arguments: [2, 9, 20, 33])
  func aCancelledSyncLeavesWhatIsKnownAsItWas(_ limit: Int) throws {
    _ = try sync(bench, Self.items)
    let before = try bench.dump()
    var items = Self.items
    items[2] = KnownItemBench.user(3, "b")
    items[40] = KnownItemBench.user(41, "b", notes: [30])
    var request = try request(bench, KnownItemBench.array(items))
    request.tuning.partItems = Self.partItems
    let control = SyncControl.cancelled(after: limit)
    #expect(throws: CancellationError.self) {
      _ = try SyncRun(request, store: bench.bench.store, control: control).run()
    }
    #expect(try bench.dump() == before)
    #expect(try sync(bench, Self.items).readCount == 0)
  }

  @Test func anErrorInALaterPartLeavesNothing() throws {
    _ = try sync(bench, Self.items)
    let before = try bench.dump()
    var items = Self.items
    items[2] = KnownItemBench.user(3, "b")
    items[40] = #"{"id": 41, "name": }"#
    var messages: [String] = []
    for usesFingerprints in [true, false] {
      let error = #expect(throws: (any Error).self) {
        try sync(bench, items) { $0.setup.usesFingerprints = usesFingerprints }
      }
      messages.append(error.map { "\($0)" } ?? "")
    }
    #expect(messages[0] == messages[1])
    #expect(try bench.dump() == before)
    #expect(try sync(bench, Self.items).readCount == 0)
  }

  @Test func aDryRunInPartsLeavesNothing() throws {
    _ = try sync(bench, Self.items) { $0.setup.isDryRun = true }
    #expect(try sync(bench, Self.items).readCount == 50)
    var items = Self.items
    items[40] = KnownItemBench.user(41, "b")
    for _ in 1...2 {
      let (report, readCount) = try sync(bench, items) { $0.setup.isDryRun = true }
      #expect(readCount == 1)
      #expect(report.entities["User"]?.updated == 1)
    }
    #expect(try sync(bench, Self.items).readCount == 0)
  }
}
