import SyncStack
import Testing

/// An edit that no handler would ever send is no change: it neither waits nor keeps anything from
/// syncs.
@Suite struct NothingToSendTests {
  // MARK: - Model

  final class Category: ManagedObject {
    @PrimaryKey var id: Int64
    @Attribute var name: String?
    @ToMany(inverse: "category") var topics: Set<Topic>
    @ToMany(inverse: "readers") var readBy: Set<Topic>
  }

  final class Topic: ManagedObject {
    @PrimaryKey var id: Int64?
    @Attribute var title: String?
    @ToOne var category: Category?
    @ToMany var readers: Set<Category>
    @ToOne var pinned: Pin?
    @ToMany(inverse: "topic", deleteRule: .cascade) var posts: Set<Post>
  }

  final class Post: ManagedObject {
    @PrimaryKey var id: Int64?
    @ToOne var topic: Topic?
    @ToMany(inverse: "post", deleteRule: .cascade) var likes: Set<Like>
  }

  final class Like: ManagedObject {
    @PrimaryKey var id: Int64?
    @ToOne var post: Post?
  }

  final class Pin: ManagedObject {
    @PrimaryKey var id: Int64
    @Attribute(userInfo: ["sync.nonExportable": "YES"]) var colour: String?
    @ToOne(inverse: "pinned") var topic: Topic?
  }

  private let server = ToldServer()
  private let stack: DataStack
  private let outbox: Outbox

  init() throws {
    stack = try DataStack.tracking(Category.self, Topic.self, Post.self, Like.self, Pin.self)
    outbox = try Outbox(stack, name: "forum")
    outbox.retry = RetryPolicy(attempts: 0, delay: 0)
    outbox.send(Topic.self) { [server] in try server.answer(to: $0) }
  }

  private static let json = """
    [{"id": 1, "title": "a", "category": {"id": 3}, "reader_ids": [3], "pinned": {"id": 1},
      "posts": [{"id": 1, "likes": [{"id": 1}, {"id": 2}]}, {"id": 2}]},
     {"id": 2, "title": "b", "category": {"id": 4}, "reader_ids": [], "pinned": {"id": 2}, "posts": []}]
    """

  private func state() async throws -> [String] {
    try await stack.performBackgroundTask { context in
      try context.fetch(Fetch<Topic>().sorted(by: "id")).map { topic in
        """
        \(topic.category?.id ?? 0) \(topic.readers.map(\.id).sorted()) \(topic.pinned?.id ?? 0) \
        \(topic.posts.compactMap(\.id).sorted())
        """
      }
    }
  }

  private func expectRest() throws {
    #expect(try outbox.pending.isEmpty)
    #expect(try outbox.status.waiting == 0)
  }

  // MARK: - Cases

  @Test func otherEndsOfRelationshipsNeitherWaitNorArePending() async throws {
    try await stack.sync(NothingToSendTests.json, inEntityNamed: "Topic")
    let old = try await state()
    try await stack.edit { context in
      let topic = try context.fetch(Fetch<Topic>("id == 2")).first
      let categories = try context.fetch(Fetch<Category>().sorted(by: "id"))
      topic?.category = categories[0]
      topic?.readers = Set(categories)
      topic?.pinned = try context.fetch(Fetch<Pin>("id == 1")).first
    }
    // The pair of the first topic was taken away.
    #expect(try outbox.pending.map(\.entity) == ["Topic", "Topic"])
    let edited = try await state()
    try await stack.sync(NothingToSendTests.json, inEntityNamed: "Topic")
    #expect(try await state() == edited)
    let report = try await outbox.send()
    #expect(report.accepted == 2 && report.waiting == 0 && report.unhandled.isEmpty)
    try expectRest()
    // Accepted edits are the sync's, the other ends among them.
    try await stack.sync(NothingToSendTests.json, inEntityNamed: "Topic")
    #expect(try await state() == old)
    #expect(try await stack.checkConsistency().problems.isEmpty)
  }

  @Test func anEditOfWhatIsNotExportedIsNoneEither() async throws {
    try await stack.sync(NothingToSendTests.json, inEntityNamed: "Topic")
    try await stack.edit { for pin in try $0.fetch(Fetch<Pin>()) { pin.colour = "red" } }
    try expectRest()
    #expect(try await outbox.send().description == "Nothing to send")
  }

  /// But an edit that a handler would send is named, as long as there is none.
  @Test func anEditOfAnAttributeWaitsForAHandler() async throws {
    try await stack.sync(NothingToSendTests.json, inEntityNamed: "Topic")
    try await stack.edit { try $0.fetch(Fetch<Category>("id == 3")).first?.name = "x" }
    #expect(try outbox.pending.compactMap(\.obstacle).count == 1)
    #expect(try await outbox.send().unhandled == ["Category"])
    #expect(try outbox.status.waiting == 1)
  }

  @Test func whatACascadeTookAlongGoesWithItsOwner() async throws {
    try await stack.sync(NothingToSendTests.json, inEntityNamed: "Topic")
    try await stack.edit { for topic in try $0.fetch(Fetch<Topic>("id == 1")) { $0.delete(topic) } }
    #expect(try outbox.pending.count == 5 && outbox.pending.compactMap(\.obstacle).isEmpty)
    try await stack.sync(NothingToSendTests.json, inEntityNamed: "Topic")
    #expect(try await state().count == 1)
    let report = try await outbox.send()
    #expect(server.sent.map(\.description) == ["delete of Topic 1"])
    #expect(report.waiting == 0 && report.unhandled.isEmpty)
    try expectRest()
    try await stack.sync(NothingToSendTests.json, inEntityNamed: "Topic")
    #expect(try await state().first == "3 [3] 1 [1, 2]")
  }

  @Test func itComesBackWithAnOwnerWhoseDeletionIsRefused() async throws {
    try await stack.sync(NothingToSendTests.json, inEntityNamed: "Topic")
    let old = try await state()
    try await stack.edit { for topic in try $0.fetch(Fetch<Topic>("id == 1")) { $0.delete(topic) } }
    server.answer(.refused("no"))
    let report = try await outbox.send()
    #expect(report.refused == 1 && report.unhandled.isEmpty)
    #expect(try outbox.refused.count == 1)
    try outbox.revert(outbox.pending)
    #expect(try await state() == old)
    try expectRest()
    let likes = try await stack.performBackgroundTask { context in
      try context.fetch(Fetch<Like>()).compactMap(\.post?.id)
    }
    #expect(likes == [1, 1])
  }
}
