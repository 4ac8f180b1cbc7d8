import Foundation
import SyncStore
import TestSupport
import Testing

/// The history lists the changes of every commit, without gaps, for every consumer that still may
/// read it.
@Suite struct ChangeJournalTests {
  private struct Stop: Error {}

  private let folder: TemporaryFolder
  private let model: ManagedObjectModel

  init() throws {
    folder = try TemporaryFolder()
    model = try ManagedObjectModel([
      EntityDraft(
        "User",
        [
          "id", "name",
          .attribute(AttributeDescription("born", .date, preservesValueInHistory: true)),
        ])
    ])
  }

  private func open(
    keepsHistory: Bool = true, now: @escaping @Sendable () -> Date = { Date() }
  ) throws -> Store {
    var configuration = Store.Configuration(.file(folder.file()))
    configuration.keepsHistory = keepsHistory
    configuration.processName = "test"
    configuration.now = now
    return try Store(model: model, configuration: configuration)
  }

  private func insert(_ store: Store, _ id: Int64) throws {
    try store.write { try $0.insert("User", [["id": .int(id), "name": "n"]]) }
  }

  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }

  /// Records in the file, whatever they are about.
  private func records(_ store: Store) throws -> Int {
    try store.read { try $0.dump()["_syncstack_history_changes"]?.count ?? 0 }
  }

  @Test func objectsToWhichTheSameHappenedStandInOneRecord() throws {
    let store = try open()
    let date = Date(timeIntervalSinceReferenceDate: 5)
    let rows = try store.write { transaction in
      try transaction.insert(
        "User", (0..<10_000).map { ["id": .int($0), "born": $0 % 2 == 0 ? .date(date) : .null] })
    }.0
    try store.write { transaction in
      for row in rows { try transaction.update("User", row, ["name": "x"]) }
      for row in rows.suffix(3) { try transaction.update("User", row, ["id": .int(row + 50_000)]) }
    }
    try store.write { _ = try $0.delete("User", rows.filter { $0 % 3 == 0 }) }
    let history = try store.read { try $0.history() }
    #expect(history[0].changes.map(\.row) == rows)
    #expect(history[0].changes.allSatisfy { $0.kind == .insert && $0.tombstone.isEmpty })
    #expect(history[1].changes.map(\.row) == rows)
    #expect(history[1].changes.dropLast(3).allSatisfy { $0.properties == ["name"] })
    #expect(history[1].changes.suffix(3).allSatisfy { $0.properties == ["id", "name"] })
    #expect(try records(store) <= 3 + 4 + 1)
    let gone = history[2].changes
    #expect(gone.map(\.row) == rows.filter { $0 % 3 == 0 })
    for change in gone.prefix(5000) {
      let id = change.row - rows[0]
      let born: [String: Value] = id % 2 == 0 ? ["born": .date(date)] : [:]
      let key = change.row > rows[9996] ? change.row + 50_000 : id
      #expect(change.tombstone == born.merging(["id": .int(key)]) { first, _ in first })
    }
    try store.close()
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func everyRowNumberComesBack(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try open()
    var expected: [[String]] = []
    var rows: [Int64] = []
    for _ in 0..<10 {
      let doomed = rows.filter { _ in random.chance(10) }
      rows.removeAll { doomed.contains($0) }
      let updates = rows.filter { _ in random.chance(60) }
        .map { (row: $0, key: random.chance(70) ? "name" : "id") }
      let count = Int.random(in: 1...300, using: &random)
      let (new, _) = try store.write { transaction in
        for update in updates {
          let value: Value = update.key == "id" ? .int(-update.row) : .string("x")
          try transaction.update("User", update.row, [update.key: value])
        }
        try transaction.delete("User", doomed)
        return try transaction.insert("User", Array(repeating: ["name": "n"], count: count))
      }
      rows += new
      expected.append(
        new.map { "insert \($0) " } + updates.map { "update \($0.row) \($0.key)" }
          + doomed.map { "delete \($0) " })
    }
    let history = try store.read { try $0.history() }
    let told = history.map { transaction in
      transaction.changes.map {
        "\($0.kind) \($0.row) \($0.properties.joined(separator: " "))"
      }
    }
    #expect(told == expected)
    try store.close()
  }

  @Test func everyCommitIsToldWithWhatItChanged() throws {
    let date = Date(timeIntervalSince1970: 1_700_000_000.5)
    let store = try open(now: { date })
    try store.write(TransactionInfo(author: "a", contextName: "c", source: .import)) {
      try $0.insert("User", [["id": 1, "born": .date(date)], ["id": 2]])
    }
    try store.write {
      try $0.update("User", 2, ["name": "x"])
      try $0.insert("User", [["id": 3]])
    }
    try store.write {
      try $0.update("User", 1, ["name": "x"])
      try $0.delete("User", [1])
    }
    try store.write { _ in }
    let history = try store.read { try $0.history() }
    #expect(history.map(\.token.number) == [1, 2, 3])
    #expect(history.map(\.generation) == [1, 2, 3])
    #expect(history.map(\.author) == ["a", nil, nil])
    #expect(history.map(\.source) == [.import, .local, .local])
    #expect(history.allSatisfy { $0.date == date && $0.process == "test" })
    #expect(history[0].changes.map(\.kind) == [.insert, .insert])
    #expect(history[1].changes.map(\.kind) == [.insert, .update])
    #expect(history[1].changes[1].properties == ["name"])
    #expect(history[2].changes.map(\.kind) == [.delete])
    #expect(history[2].changes[0].tombstone == ["id": 1, "born": .date(date)])
    let rest = try store.read { try $0.history(since: HistoryToken(number: 1), limit: 1) }
    #expect(rest.map(\.token.number) == [2])
    try store.close()
  }

  @Test func whatWasRolledBackIsNotTold() throws {
    let store = try open()
    try insert(store, 1)
    _ = code {
      try store.write {
        _ = try $0.insert("User", [["id": 2]])
        throw Stop()
      }
    }
    try store.write(commit: false) { try $0.insert("User", [["id": 3]]) }
    #expect(try store.read { try $0.history().count } == 1)
    try store.close()
  }

  @Test func aFileWithHistoryKeepsItHoweverItIsOpened() throws {
    for (id, keepsHistory) in [(1, false), (2, true), (3, false)] {
      let store = try open(keepsHistory: keepsHistory)
      try insert(store, Int64(id))
      try store.close()
    }
    let store = try open(keepsHistory: false)
    #expect(try store.read { try $0.history().map(\.generation) } == [2, 3])
    try store.close()
  }

  @Test func aDurableConsumerKeepsWhatItHasNotRead() throws {
    let store = try open()
    for id in 1...5 { try insert(store, Int64(id)) }
    try store.write {
      try $0.setHistoryConsumer(
        HistoryConsumer(name: "export", token: HistoryToken(number: 2), isDurable: true))
      try $0.setHistoryConsumer(HistoryConsumer(name: "log", token: .start, isDurable: false))
    }
    let error = #expect(throws: StoreError.self) {
      try store.write { try $0.purgeHistory(through: HistoryToken(number: 3)) }
    }
    #expect(error?.code == .historyInUse && error?.message.contains("“export” (at 2)") == true)
    #expect(error?.message.contains("log") == false)
    // By date it is purged as far as the consumer has read.
    try store.write { try $0.purgeHistory(before: Date() + 60) }
    #expect(
      try store.read { try $0.history(since: HistoryToken(number: 2)).map(\.token.number) }
        == [3, 4, 5])
    #expect(
      code { try store.read { _ = try $0.history(since: HistoryToken(number: 1)) } }
        == .historyExpired)
    try store.close()
  }

  @Test func aConsumerThatLagsTooFarIsDropped() throws {
    let clock = Locked(Date(timeIntervalSince1970: 1000))
    let store = try open(now: { clock.withLock { $0 } })
    for id in 1...4 { try insert(store, Int64(id)) }
    try store.write {
      try $0.setHistoryConsumer(
        HistoryConsumer(name: "slow", token: .start, isDurable: true, maximumLag: 3))
      try $0.setHistoryConsumer(
        HistoryConsumer(
          name: "old", token: HistoryToken(number: 3), isDurable: true, maximumAge: 10))
      try $0.setHistoryConsumer(
        HistoryConsumer(name: "good", token: HistoryToken(number: 4), isDurable: true))
    }
    clock.withLock { $0 += 60 }
    try store.write { try $0.purgeHistory(through: HistoryToken(number: 4)) }
    #expect(try store.read { try $0.historyConsumers().map(\.name) } == ["good"])
    try store.close()
  }

  @Test func purgingInPiecesSaysWhetherThereIsMore() throws {
    let store = try open()
    for id in 1...5 { try insert(store, Int64(id)) }
    let last = HistoryToken(number: 5)
    func purge() throws -> Bool {
      try store.write { try $0.purgeHistory(through: last, limit: 2) }.0
    }
    var rounds = 0
    while try purge() { rounds += 1 }
    #expect(rounds == 2)
    #expect(try store.read { try $0.history(since: last).isEmpty })
    #expect(try store.read { try $0.latestHistoryToken() } == last)
    try insert(store, 6)
    #expect(try store.read { try $0.latestHistoryToken()?.number } == 6)
    try store.close()
  }

  @Test func aHistoryThatBeginsAgainNeverTakesAnOldTokenForANewOne() throws {
    let store = try open()
    for id in 1...3 { try insert(store, Int64(id)) }
    try store.write { try $0.removeHistory() }
    #expect(try store.read { try $0.latestHistoryToken() } == nil)
    try insert(store, 4)
    try store.close()
    let again = try open()
    try insert(again, 5)
    #expect(
      code { try again.read { _ = try $0.history(since: HistoryToken(number: 3)) } }
        == .historyExpired)
    let floor = HistoryToken(number: 4)
    #expect(try again.read { try $0.history(since: floor).map(\.token.number) } == [5])
    try again.close()
  }

  @Test func aStoreWithoutHistorySaysSo() throws {
    let store = try open(keepsHistory: false)
    #expect(code { try store.read { _ = try $0.history() } } == .unsupported)
    try store.close()
  }
}
