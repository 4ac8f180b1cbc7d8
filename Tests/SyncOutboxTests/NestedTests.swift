import Foundation
import SyncStack
import Testing

/// Objects without a handler that travel inside the JSON of their owners.
@Suite struct NestedTests {
  // MARK: - Model

  /// A document, its parts and their remarks, with keys that are made here.
  final class Paper: ManagedObject {
    @PrimaryKey var id: String?
    @Attribute var title: String?
    @ToMany(inverse: "paper", deleteRule: .cascade) var parts: Set<Part>
    @ToOne(inverse: "paper", deleteRule: .cascade) var cover: Cover?
  }

  final class Cover: ManagedObject {
    @Attribute var colour: String?
    @ToOne var paper: Paper?
  }

  final class Part: ManagedObject {
    @PrimaryKey var id: String?
    @Attribute var text: String?
    @ToOne var paper: Paper?
    @ToMany(inverse: "part", deleteRule: .cascade) var remarks: Set<Remark>
  }

  final class Remark: ManagedObject {
    @PrimaryKey var id: String?
    @Attribute var text: String?
    @ToOne var part: Part?
  }

  /// Answers everything alike.
  private let stack: DataStack
  private let outbox: Outbox
  private let server = ToldServer()

  init() throws {
    stack = try DataStack.tracking(Paper.self, Cover.self, Part.self, Remark.self)
    outbox = try Outbox(stack, name: "api")
    outbox.retry = RetryPolicy(attempts: 0, delay: 0)
    outbox.send(Paper.self, using: ExportOptions(relationshipType: .array)) { [server] in
      try server.answer(to: $0)
    }
  }

  private static let json = """
    [{"id": "p", "title": "a", "parts": [
      {"id": "1", "text": "one", "remarks": [{"id": "r", "text": "x"}]}, {"id": "2", "text": "two"}]}]
    """

  private func parts(_ change: OutboxChange?) -> [String?] {
    let parts = change?.changedJSON["parts"]?.arrayValue ?? []
    return parts.map { $0["text"]?.stringValue }.sorted { $0 ?? "" < $1 ?? "" }
  }

  @Test func anEditOfANestedObjectIsAnUpdateOfItsOwner() async throws {
    try await stack.sync(NestedTests.json, inEntityNamed: "Paper")
    try await stack.edit { try $0.fetch(Fetch<Part>("id == %@", "1")).first?.text = "edited" }
    #expect(try outbox.pending.map(\.obstacle) == [nil])
    let report = try await outbox.send()
    let change = try #require(server.sent.first)
    #expect(change.kind == .update && change.id == "p" && change.properties == ["parts"])
    #expect(parts(change) == ["edited", "two"])
    #expect(change.changedJSON["title"] == nil)
    #expect(report["Part"].accepted.count == 1 && report.unhandled.isEmpty)
    #expect(try outbox.pending.isEmpty)
    // An accepted edit is the sync's again.
    try await stack.sync(NestedTests.json, inEntityNamed: "Paper")
    let texts = try await stack.performBackgroundTask { try $0.fetch(Fetch<Part>()).map(\.text) }
    #expect(Set(texts) == ["one", "two"])
  }

  @Test func soIsAnEditFurtherDown() async throws {
    try await stack.sync(NestedTests.json, inEntityNamed: "Paper")
    try await stack.edit { try $0.fetch(Fetch<Remark>()).first?.text = "y" }
    try await outbox.send()
    let change = try #require(server.sent.first)
    #expect(change.id == "p" && change.properties == ["parts"])
    #expect(change.json.description.contains(#""text":"y""#))
    #expect(try outbox.pending.isEmpty)
  }

  @Test func whatComesAndGoesWithItsOwnerIsSentOnce() async throws {
    try await stack.edit { context in
      let paper = Paper(context: context)
      (paper.id, paper.title) = ("p", "new")
      for number in 0..<3 {
        let part = Part(context: context)
        (part.id, part.text, part.paper) = ("\(number)", "\(number)", paper)
      }
    }
    var report = try await outbox.send()
    #expect(server.sent.map(\.kind) == [.insert])
    #expect(parts(server.sent.last) == ["0", "1", "2"])
    #expect(report["Part"].accepted.count == 3)
    try await stack.edit { context in
      for part in try context.fetch(Fetch<Part>("id == %@", "0")) { context.delete(part) }
    }
    report = try await outbox.send()
    #expect(server.sent.map(\.kind) == [.insert, .update])
    #expect(parts(server.sent.last) == ["1", "2"])
    #expect(report["Part"].accepted.count == 1)
    try await stack.edit { for paper in try $0.fetch(Fetch<Paper>()) { $0.delete(paper) } }
    report = try await outbox.send()
    #expect(server.sent.map(\.kind) == [.insert, .update, .delete])
    #expect(report["Part"].accepted.count == 2)
    #expect(try outbox.pending.isEmpty)
  }

  @Test func aSyncLeavesItAloneUntilItsOwnerWasTaken() async throws {
    try await stack.sync(NestedTests.json, inEntityNamed: "Paper")
    try await stack.edit { try $0.fetch(Fetch<Part>("id == %@", "1")).first?.text = "mine" }
    server.answer(.retry())
    #expect(try await outbox.send().waiting == 2)
    try await stack.sync(NestedTests.json, inEntityNamed: "Paper")
    server.answer(.accepted())
    #expect(try await outbox.send().accepted == 2)
    let changes = server.sent
    #expect(changes.count == 2)
    #expect(changes.first?.idempotencyKey == changes.last?.idempotencyKey)
    #expect(parts(changes.last) == ["mine", "two"])
    #expect(try outbox.pending.isEmpty)
  }

  @Test func itIsRefusedWithItsOwnerAndTriedAgainWhenItIsEdited() async throws {
    try await stack.sync(NestedTests.json, inEntityNamed: "Paper")
    try await stack.edit { try $0.fetch(Fetch<Part>("id == %@", "1")).first?.text = "bad" }
    server.answer(.refused("no"))
    #expect(try await outbox.send().refused == 2)
    #expect(try outbox.refused.map(\.entity).sorted() == ["Paper", "Part"])
    #expect(try await outbox.send().description == "Nothing to send")
    server.answer(.accepted())
    try await stack.edit { try $0.fetch(Fetch<Part>("id == %@", "1")).first?.text = "good" }
    #expect(try await outbox.send().accepted == 2)
    #expect(parts(server.sent.last) == ["good", "two"])
    #expect(try outbox.pending.isEmpty)
  }

  @Test func revertingTheNestedObjectGivesItsValuesBack() async throws {
    try await stack.sync(NestedTests.json, inEntityNamed: "Paper")
    try await stack.edit { try $0.fetch(Fetch<Part>("id == %@", "1")).first?.text = "bad" }
    server.answer(.refused("no"))
    try await outbox.send()
    try outbox.revert(outbox.refused)
    #expect(try outbox.pending.isEmpty)
    let texts = try await stack.performBackgroundTask { try $0.fetch(Fetch<Part>()).map(\.text) }
    #expect(Set(texts) == ["one", "two"])
  }

  /// The part is new, so it is deleted with its paper before anything of it was sent.
  @Test func itWaitsNoMoreWhenAllAboveItIsGone() async throws {
    try await stack.sync(NestedTests.json, inEntityNamed: "Paper")
    outbox.whenGone = .deleteHere
    outbox.concurrency = 1
    outbox.send(Paper.self) { _ in .gone }
    outbox.send(Part.self, using: ExportOptions(relationshipType: .array)) { _ in .accepted() }
    try await stack.edit { try $0.fetch(Fetch<Paper>()).first?.title = "edited" }
    try await stack.edit { context in
      let (part, remark) = (Part(context: context), Remark(context: context))
      (part.id, part.paper) = ("3", try context.fetch(Fetch<Paper>()).first)
      (remark.id, remark.part) = ("s", part)
    }
    try await outbox.send()
    let left = try await stack.performBackgroundTask { try $0.fetch(Fetch<Remark>()).count }
    #expect(left == 0)
    #expect(try await outbox.send().unhandled.isEmpty)
    #expect(try outbox.pending.isEmpty)
  }

  @Test func oneThatIsTakenOutGoesWithItsFormerOwner() async throws {
    try await stack.sync(NestedTests.json, inEntityNamed: "Paper")
    try await stack.edit { context in
      let part = try #require(context.fetch(Fetch<Part>("id == %@", "1")).first)
      part.text = "out"
      part.paper?.parts.remove(part)
    }
    #expect(try outbox.pending.compactMap(\.obstacle).isEmpty)
    let report = try await outbox.send()
    #expect(parts(server.sent.first) == ["two"])
    #expect(report.unhandled.isEmpty && report.waiting == 0)
    #expect(try outbox.pending.isEmpty)
  }

  @Test(arguments: [false, true])
  func takingASingleOneAwayIsNull(_ isDeleted: Bool) async throws {
    try await stack.sync(
      #"[{"id": "p", "cover": {"colour": "red"}}]"#, inEntityNamed: "Paper")
    try await stack.edit { context in
      let cover = try #require(context.fetch(Fetch<Cover>()).first)
      if isDeleted { context.delete(cover) } else { cover.paper?.cover = nil }
    }
    let report = try await outbox.send()
    let change = try #require(server.sent.first)
    #expect(change.changedJSON == ["cover": .null])
    #expect(change.json["cover"] == .null)
    #expect(report["Cover"].accepted.count == 1 && report.unhandled.isEmpty)
    #expect(try outbox.pending.isEmpty)
  }

  @Test func nothingIsLeftOfOneThatWasTakenOutOfAnOwnerThatIsGone() async throws {
    try await stack.sync(NestedTests.json, inEntityNamed: "Paper")
    outbox.whenGone = .deleteHere
    server.answer(.gone)
    try await stack.edit { try $0.fetch(Fetch<Paper>()).first?.title = "edited" }
    try await stack.edit { context in
      let part = try #require(context.fetch(Fetch<Part>("id == %@", "1")).first)
      part.paper?.parts.remove(part)
    }
    try await outbox.send()
    #expect(try await outbox.send().unhandled.isEmpty)
    #expect(try outbox.pending.isEmpty)
    let left = try await stack.performBackgroundTask { try $0.fetch(Fetch<Part>()).map(\.id) }
    #expect(left == ["1"])
  }

  @Test func oneWhoseOwnerIsDeletedElsewhereWaitsForAnother() async throws {
    try await stack.sync(NestedTests.json, inEntityNamed: "Paper")
    try await stack.edit { try $0.fetch(Fetch<Part>("id == %@", "1")).first?.text = "mine" }
    let other = #"[{"id": "q", "title": "b"}, {"id": "s"}]"#
    try await stack.sync(other, inEntityNamed: "Paper")
    #expect(try await outbox.send().unhandled == ["Part"])
    let obstacle = try #require(outbox.pending.first?.obstacle)
    #expect(obstacle.contains("nest it in what it belongs to, which has to be there"))
    try await stack.edit { context in
      let paper = try context.fetch(Fetch<Paper>("id == %@", "q")).first
      try context.fetch(Fetch<Part>()).first?.paper = paper
    }
    try await outbox.send()
    #expect(parts(server.sent.last) == ["mine"])
    #expect(try outbox.pending.isEmpty)
  }

  @Test func oneWithoutAnOwnerIsAnnounced() async throws {
    try await stack.edit { Part(context: $0).text = "alone" }
    #expect(try await outbox.send().unhandled == ["Part"])
    #expect(server.sent.isEmpty)
  }

  @Test func keysThatTheServerMakesComeWithItsList() async throws {
    server.answer(.accepted(["id": "p", "title": "new", "parts": [["id": "7", "text": "x"]]]))
    try await stack.edit { context in
      let paper = Paper(context: context)
      paper.title = "new"
      let part = Part(context: context)
      (part.text, part.paper) = ("x", paper)
    }
    #expect(try await outbox.send().accepted == 2)
    let found = try await stack.performBackgroundTask { context in
      try context.fetch(Fetch<Part>()).map { [$0.id, $0.paper?.id] }
    }
    #expect(found == [["7", "p"]])
    #expect(try outbox.pending.isEmpty)
    #expect(try await stack.checkConsistency().problems.isEmpty)
  }
}
