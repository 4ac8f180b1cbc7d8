import TestSupport
import Testing

@testable import SyncStore

/// A transaction is all or nothing, and lists exactly its changes.
@Suite struct TransactionTests {
  private struct Stop: Error {}

  private func filled(_ kind: StoreKind) throws -> TemporaryStore {
    let temporary = try TemporaryStore(TestModels.social(), kind)
    let model = temporary.store.model
    try temporary.store.write { transaction in
      try transaction.insert("User", (1...40).map { ["id": .int($0)] })
      try transaction.insert("Note", (1...80).map { ["id": .int($0), "user": .int($0 % 40 + 1)] })
      try transaction.insert("Tag", (1...5).map { ["id": .int($0)] })
      let user = try model.requireEntity(named: "User")
      try transaction.addLinks(
        #require(user.relationship(named: "tags")), of: user, pairs: [(1, 1), (1, 2), (2, 1)])
    }
    return temporary
  }

  /// Something of everything.
  private func change(_ transaction: StoreTransaction) throws {
    let user = try transaction.model.requireEntity(named: "User")
    let tags = try #require(user.relationship(named: "tags"))
    try transaction.prepareBulkInsert(user, count: 5000)
    try transaction.prepareBulkLinks(tags, of: user, count: 5000)
    try transaction.insert("User", (100..<5100).map { ["id": .int($0)] })
    try transaction.update("User", 3, ["name": "x"])
    try transaction.delete([1], of: user)
    try transaction.addLinks(tags, of: user, pairs: [(3, 3)])
    try transaction.removeLinks(tags, of: user, pairs: [(2, 1)])
  }

  @Test(arguments: StoreKind.allCases) func anErrorLeavesEveryTableAsItWas(_ kind: StoreKind) throws
  {
    let temporary = try filled(kind)
    let before = try temporary.store.read { try ($0.dump(), $0.indexNames()) }
    #expect(throws: Stop.self) {
      try temporary.store.write { transaction in
        try change(transaction)
        throw Stop()
      }
    }
    let after = try temporary.store.read { try ($0.dump(), $0.indexNames()) }
    #expect(before.0 == after.0)
    #expect(before.1 == after.1)
  }

  @Test(arguments: StoreKind.allCases) func aDryRunReportsAndLeavesNoTrace(_ kind: StoreKind) throws
  {
    let temporary = try filled(kind)
    let before = try temporary.store.read { try $0.dump() }
    let published = Locked(0)
    let subscription = temporary.store.hub.subscribe { _ in published.withLock { $0 += 1 } }
    let (_, dry) = try temporary.store.write(commit: false) { try change($0) }
    #expect(try temporary.store.read { try $0.dump() } == before)
    #expect(published.withLock { $0 } == 0)
    let (_, real) = try temporary.store.write { try change($0) }
    #expect(dry.summary == real.summary)
    #expect(published.withLock { $0 } == 1)
    subscription.cancel()
  }

  @Test func lateIndexesAreThereAfterTheCommit() throws {
    let temporary = try filled(.file)
    let before = try temporary.store.read { try $0.indexNames() }
    try temporary.store.write { try change($0) }
    #expect(try temporary.store.read { try $0.indexNames() } == before)
  }

  @Test(arguments: [false, true]) func onlyIndexesOfValuesInNoOrderAreLate(_ areInOrder: Bool)
    throws
  {
    let temporary = try filled(.file)
    let note = try temporary.store.model.requireEntity(named: "Note")
    try temporary.store.write { transaction in
      let before = try transaction.indexNames()
      let slots = transaction.leadingSlots(of: note)
      #expect(slots.count == 2)
      try transaction.prepareBulkInsert(note, count: 5000, ascending: areInOrder ? slots : [])
      #expect(try before.count - transaction.indexNames().count == (areInOrder ? 0 : 2))
      try transaction.insert(
        "Note", (100..<5100).map { ["id": .int($0), "user": .int($0 % 40 + 1)] })
    }
    var found: [Int64] = []
    try temporary.store.read {
      try $0.scan(note, .keys(slot: 0, [.integer(100), .integer(5099)])) { found.append($0.row) }
    }
    #expect(found.sorted() == [81, 5080])
  }

  @Test(arguments: [(5000, 3000, true), (5000, 2000, false), (1000, 1000, false)])
  func indexesAreBuiltAnewWhereHalfIsDeleted(_ count: Int, _ deleted: Int, _ isBuilt: Bool) throws {
    let temporary = try TemporaryStore(TestModels.users(), .file)
    let store = temporary.store
    let user = try store.model.requireEntity(named: "User")
    let rows = try store.write { transaction in
      try transaction.insert("User", (0..<count).map { ["id": .int(Int64($0 * 7 % count))] })
    }.0
    let before = try store.read { try $0.indexNames() }
    let gone = Array(rows.prefix(deleted))
    let statements = try store.recorder.record {
      try store.write { try $0.delete(gone, of: user) }
    }
    #expect(statements.contains { $0.hasPrefix("DROP INDEX") } == isBuilt)
    #expect(try store.read { try $0.indexNames() } == before)
    var found: [Int64] = []
    let keys = [rows[0], rows[deleted - 1], rows[min(deleted, count - 1)]].map {
      Cell.integer((($0 - rows[0]) * 7) % Int64(count))
    }
    try store.read { try $0.scan(user, .keys(slot: 0, keys)) { found.append($0.row) } }
    #expect(found == (deleted < count ? [rows[deleted]] : []))
  }

  @Test func insertedWinsOverUpdatedAndVanishesWhenDeleted() throws {
    let temporary = try TemporaryStore(TestModels.users())
    let (_, changes) = try temporary.store.write { transaction in
      let rows = try transaction.insert("User", [["id": 1], ["id": 2], ["id": 3]])
      try transaction.update("User", rows[0], ["id": 10, "name": "x"])
      try transaction.update("User", rows[1], ["name": "x"])
      try transaction.delete("User", [rows[1]])
    }
    #expect(changes.summary == "User +[1, 3] ~[] -[]")
    #expect(changes.entities[0].insertedKeys == [10, 3])
  }

  @Test func updatesOfOneObjectAreJoined() throws {
    let temporary = try filled(.memory)
    let user = try temporary.store.model.requireEntity(named: "User")
    let (_, changes) = try temporary.store.write { transaction in
      try transaction.update("User", 7, ["name": "x"])
      try transaction.update("User", 5, ["name": "x"])
      try transaction.update("User", 7, ["company": .null])
      try transaction.update("User", 9, ["name": "x"])
      try transaction.delete([9], of: user)
    }
    let users = try #require(changes.entities.first { $0.entity == user })
    #expect(users.updated.map(\.row) == [5, 7])
    #expect(users.updated[1].slots == [1, 8])
    #expect(users.updatedKeys == [5, 7])
    #expect(users.deletedKeys == [9])
  }

  @Test func anObjectThatGetsAnotherOwnerChangesBothOfThem() throws {
    let temporary = try filled(.memory)
    let store = temporary.store
    let (_, came) = try store.write { try $0.insert("Note", [["id": 901, "user": 3]]) }
    #expect(came.summary == "User +[] ~[3: notes] -[]; Note +[81] ~[] -[]")
    let (_, moved) = try store.write { try $0.update("Note", 81, ["user": 4]) }
    #expect(moved.summary == "User +[] ~[3: notes, 4: notes] -[]; Note +[] ~[81: user] -[]")
    let (_, stayed) = try store.write { try $0.update("Note", 81, ["user": 4]) }
    #expect(stayed.summary == "Note +[] ~[81: user] -[]")
    let (_, left) = try store.write { try $0.update("Note", 81, ["user": .null]) }
    #expect(left.summary == "User +[] ~[4: notes] -[]; Note +[] ~[81: user] -[]")
  }

  @Test func anUpdateOfATableNamesEntityAndKey() throws {
    let temporary = try TemporaryStore(TestModels.vehicles())
    let vehicle = try temporary.store.model.requireEntity(named: "Vehicle")
    try temporary.store.write {
      try $0.insert("Car", [["id": 1]])
      try $0.insert("Racecar", [["id": 2]])
    }
    let (_, changes) = try temporary.store.write { transaction in
      let table = transaction.layout.table(of: vehicle)
      for row in [2, 1, 99] as [Int64] {
        transaction.recorder.update(row, in: table, slots: [2])
      }
    }
    #expect(changes.summary == "Racecar +[] ~[2: owner] -[]; Car +[] ~[1: owner] -[]")
    #expect(changes.entities.map(\.updatedKeys) == [[2], [1]])
  }

  @Test(arguments: StoreKind.allCases) func generationsGrowWithEachChange(_ kind: StoreKind) throws
  {
    let temporary = try TemporaryStore(TestModels.users(), kind)
    let store = temporary.store
    var generations: [Int64] = []
    for id in 1...3 {
      let info = TransactionInfo(author: "me", contextName: "c", origin: 9)
      let (_, changes) = try store.write(info) { try $0.insert("User", [["id": .int(Int64(id))]]) }
      generations.append(changes.generation)
      #expect(changes.author == "me" && changes.contextName == "c" && changes.origin == 9)
    }
    let (_, nothing) = try store.write { _ in }
    #expect(generations == [1, 2, 3])
    #expect(nothing.isEmpty)
  }

  @Test func aTransactionThatAnErrorEndedTakesNoMore() throws {
    let temporary = try TemporaryStore(TestModels.users())
    let store = temporary.store
    let user = try store.model.requireEntity(named: "User")
    try store.write { try $0.insert("User", [["id": 1]]) }
    let before = try store.read { try $0.dump() }
    #expect {
      try store.write { transaction in
        let block = RowBlock(width: user.properties.count)
        _ = block.append()
        // A row number that is taken ends the transaction.
        try? transaction.insert(block, of: user, indexes: [0], rows: [1])
        try transaction.insert("User", [["id": 2]])
      }
    } throws: { ($0 as? StoreError)?.code == .transactionEnded }
    #expect(try store.read { try $0.dump() } == before)
  }

  @Test func changesAreDeliveredInCommitOrder() throws {
    let temporary = try TemporaryStore(TestModels.users())
    let received = Locked<[Int64]>([])
    let subscription = temporary.store.hub.subscribe { changes in
      received.withLock { $0.append(changes.generation) }
    }
    for id in 1...5 {
      try temporary.store.write { try $0.insert("User", [["id": .int(Int64(id))]]) }
    }
    #expect(received.withLock { $0 } == [1, 2, 3, 4, 5])
    subscription.cancel()
    try temporary.store.write { try $0.insert("User", [["id": 6]]) }
    #expect(received.withLock { $0.count } == 5)
  }

  @Test(arguments: StoreKind.allCases) func observersMayRead(_ kind: StoreKind) throws {
    let temporary = try TemporaryStore(TestModels.users(), kind)
    let store = temporary.store
    let counts = Locked<[Int?]>([])
    let subscription = store.hub.subscribe { _ in
      let count = try? store.read { try $0.dump()["User"]?.count }
      counts.withLock { $0.append(count) }
    }
    for id in 1...2 { try store.write { try $0.insert("User", [["id": .int(Int64(id))]]) } }
    #expect(counts.withLock { $0 } == [1, 2])
    subscription.cancel()
  }

  @Test(arguments: StoreKind.allCases)
  func readersNeverSeeHalfATransaction(_ kind: StoreKind) async throws {
    let temporary = try TemporaryStore(TestModels.users(), kind)
    let store = temporary.store
    let user = try store.model.requireEntity(named: "User")
    let counts = try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 0..<3 {
        group.addTask {
          try (0..<200).map { _ in
            try store.read { reader in
              var count = 0
              try reader.scan(user, .all, slots: []) { _ in count += 1 }
              return count
            }
          }
        }
      }
      for _ in 0..<60 { try store.write { try $0.insert("User", [[:], [:], [:], [:], [:]]) } }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(counts.allSatisfy { $0 % 5 == 0 && $0 <= 300 })
  }

  @Test func aReadInsideAWriteSeesWhatWasWritten() throws {
    let temporary = try TemporaryStore(TestModels.users(), .file)
    let store = temporary.store
    try store.write { transaction in
      try transaction.insert("User", [["id": 1]])
      #expect(try store.read { try $0.dump()["User"]?.count } == 1)
    }
  }

  @Test func aReaderSeesOneStateWhileTheWriterGoesOn() throws {
    let temporary = try TemporaryStore(TestModels.users(), .file)
    let store = temporary.store
    try store.write { try $0.insert("User", [["id": 1]]) }
    try store.read { reader in
      #expect(try reader.dump()["User"]?.count == 1)
      try store.write { try $0.insert("User", [["id": 2]]) }
      #expect(try reader.dump()["User"]?.count == 1)
    }
    #expect(try store.read { try $0.dump()["User"]?.count } == 2)
  }

  @Test func anInterruptStopsItsTransactionOnly() throws {
    let temporary = try TemporaryStore(TestModels.users())
    let store = temporary.store
    let user = try store.model.requireEntity(named: "User")
    try store.write { try $0.insert("User", (1...100).map { ["id": .int($0)] }) }
    #expect {
      try store.write { transaction in
        try transaction.scan(user, .all) { _ in store.interrupt(transaction.token) }
      }
    } throws: { ($0 as? StoreError)?.code == .interrupted }
    let (old, _) = try store.write { $0.token }
    try store.write { transaction in
      try transaction.scan(user, .all) { _ in store.interrupt(old) }
      try transaction.insert("User", [["id": 101]])
    }
  }

  @Test func aChangeSetSaysInALineWhatChanged() throws {
    let temporary = try filled(.memory)
    let (_, changes) = try temporary.store.write(TransactionInfo(author: "feed")) { transaction in
      try transaction.insert("User", [["id": .int(100)]])
      try transaction.update("User", 3, ["name": "x"])
      try transaction.delete("Note", [80])
    }
    #expect(
      changes.description
        == "Commit \(changes.generation) by feed: User 1 inserted, 2 updated; Note 1 deleted")
    #expect(ChangeSet().description == "Commit 0: nothing changed")
  }
}
