import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// A record that an object here stood in the way of is tried again once that is gone.
@Suite(.timeLimit(.minutes(5))) struct SetAsideTests {
  private let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 50))

  private func unique(_ attributes: [String] = ["place"]) throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Item", ["id key", "place", "shelf integer64", "text"], uniquenessConstraints: [attributes])
    ])
  }

  @Test(
    arguments: [["place"], ["shelf", "place"]],
    ["edit here", "edit there", "delete here", "delete there"])
  func aTakenValueThatIsGivenUpLetsTheOtherRecordCome(
    _ constraint: [String], _ cure: String
  ) async throws {
    let model = try unique(constraint)
    let (here, there) = (try Client(server, model: model), try Client(server, model: model))
    let first = try here.insert("Item", ["id": 1, "place": "x", "shelf": 1, "text": "here"])
    let second = try there.insert("Item", ["id": 2, "place": "x", "shelf": 1, "text": "there"])
    try await sync(here, there, here)
    #expect(here.engine.status.problems.count == 1)
    #expect(there.engine.status.problems.count == 1)
    let value = constraint == ["place"] ? "place “x”" : "shelf “1” and place “x”"
    #expect(
      here.engine.status.problems.map(\.reason) == [
        "Item 1 here has \(value), which the model says is unique. Change or delete one of the two."
      ])
    #expect(try here.rows("Item").count == 1)
    #expect(try there.rows("Item").count == 1)
    // Nothing is in vain tried again and again.
    let before = try here.generation
    try await here.engine.sync()
    #expect(try here.generation == before)
    switch cure {
    case "edit here": try here.update("Item", first, ["place": "y"])
    case "edit there": try there.update("Item", second, ["place": "y"])
    case "delete here": try here.delete("Item", first)
    default: try there.delete("Item", second)
    }
    try await sync(here, there, here, there)
    try await settle([here, there], fresh: server)
    let count = cure.hasPrefix("edit") ? 2 : 1
    #expect(try here.rows("Item").count == count)
  }

  @Test func whatAnImportMakesOfARecordThatIsAsideTakesNothingFromTheServer() async throws {
    let model = try unique()
    let (here, there) = (try Client(server, model: model), try Client(server, model: model))
    try there.insert("Item", ["id": 1, "place": "x", "text": "there"])
    try here.insert("Item", ["id": 2, "place": "x"])
    try await sync(there, here)
    try await here.sync(#"[{"id":1,"place":"y"},{"id":2,"place":"x"}]"#, "Item")
    try await sync(here, there, here)
    try await settle([here, there], fresh: server)
    #expect(try there.values("Item", "text").contains("there"))
  }

  @Test func anEditThatWasSentOfARecordThatIsAsideIsTheImportsAgain() async throws {
    let model = try unique()
    let (here, there) = (try Client(server, model: model), try Client(server, model: model))
    let row = try there.insert("Item", ["id": 1, "place": "x"])
    try await settle([there, here], fresh: server)
    try there.update("Item", row, ["place": "y"])
    try await there.engine.sync()
    try here.insert("Item", ["id": 2, "place": "y"])
    try await here.engine.sync()
    try here.update("Item", try #require(try here.rows("Item").first).row, ["text": "mine"])
    try await here.engine.sync()
    #expect(here.engine.status.waiting == 0)
    #expect(here.engine.status.problems.count == 1)
    _ = try await here.stack.sync(
      Data(#"[{"id":1,"text":"api"}]"#.utf8), inEntityNamed: "Item", operations: .update)
    #expect(try here.values("Item", "text").first == "api")
  }

  @Test func valuesThatAreExchangedPageByPageArriveTogether() async throws {
    let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 1))
    let model = try unique()
    let (here, there) = (try Client(server, model: model), try Client(server, model: model))
    let rows = try (1...3).map {
      try here.insert("Item", ["id": .int(Int64($0)), "place": .string("\($0)")])
    }
    try await settle([here, there], fresh: server)
    try here.stack.store.write { transaction in
      for (row, place) in zip(rows, ["2", "3", "1"]) {
        try transaction.update("Item", row, ["place": .string(place)])
      }
    }
    try await settle([here, there], fresh: server)
    let places = try there.values("Item", "place").map { $0.description }
    #expect(Set(places) == ["1", "2", "3"])
  }

  @Test func aDeletionThatWasDeniedIsMadeUpForOnceItIsNot() async throws {
    let model = try ManagedObjectModel([
      "Author: name, books ->> Book.authors deny, letters ->> Letter.author",
      "Book: authors ->> Author.books",
      "Letter: author -> Author.letters",
    ])
    let (here, there) = (try Client(server, model: model), try Client(server, model: model))
    let author = try here.insert("Author", ["name": "a"])
    let book = try here.insert("Book", [:])
    let letter = try here.insert("Letter", ["author": .int(author)])
    try await settle([here, there], fresh: server)
    try here.link("Author", author, "books", [book])
    try await here.passStamps()
    try there.delete("Author", try #require(try there.rows("Author").first).row)
    try await there.engine.sync()
    for _ in 0..<2 { try await here.engine.sync() }
    #expect(here.engine.status.problems.count == 1)
    #expect(try here.rows("Author").count == 1)
    try here.link("Author", author, "books", [book], isAdded: false)
    try await sync(here, there, here)
    try await settle([here, there], fresh: server)
    #expect(try here.rows("Author").isEmpty)
    #expect(try here.rows("Letter").map(\.row) == [letter])
  }

  @Test func anAnswerThatBreaksAConstraintEndsNoPush() async throws {
    let transport = FaultyTransport(server)
    let model = try unique()
    let (here, there) = (try Client(transport, model: model), try Client(server, model: model))
    let row = try here.insert("Item", ["id": 1, "place": "x", "text": "a"])
    let taker = try here.insert("Item", ["id": 2, "place": "y"])
    try await settle([here, there], fresh: server)
    // Unseen by a pull: 1 has the place that 2 takes here.
    let rows = try [row, taker].map { row -> Int64 in
      let name = try here.record("Item", row)?.name ?? ""
      return try there.row(name) ?? 0
    }
    try there.stack.store.write { transaction in
      try transaction.update("Item", rows[1], ["place": "z"])
      try transaction.update("Item", rows[0], ["place": "y"])
    }
    try await there.engine.push()
    try here.update("Item", row, ["text": "b"])
    try await here.engine.push()
    try await settle([here, there], fresh: server)
    #expect(try here.values("Item", "place") == ["y", "z"])
  }
}
