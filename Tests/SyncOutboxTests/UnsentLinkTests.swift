import Foundation
import SyncStack
import Testing

/// A link that was made or taken away here stays until the answer to it, whatever the fate of the
/// request, and whatever is known of its other end.
@Suite struct UnsentLinkTests {
  // MARK: - Model

  /// A post with a relationship of each kind, whose other ends the API does not have.
  final class Post: ManagedObject {
    @PrimaryKey var id: Int64?
    @Attribute var title: String?
    @ToMany var tags: Set<Tag>
    @OrderedToMany var pictures: [Picture]
    @ToMany var follows: Set<Post>
    @ToMany(inverse: "follows", userInfo: ["sync.nonExportable": "YES"]) var followers: Set<Post>
    @ToMany(inverse: "friends") var friends: Set<Post>
    @ToOne var cover: Picture?
  }

  final class Tag: ManagedObject {
    @PrimaryKey var id: Int64?
    @Attribute var name: String?
    @ToMany(inverse: "tags", userInfo: ["sync.nonExportable": "YES"]) var posts: Set<Post>
  }

  final class Picture: ManagedObject {
    @PrimaryKey var id: Int64?
    @ToMany(inverse: "pictures", userInfo: ["sync.nonExportable": "YES"]) var posts: Set<Post>
    @ToOne(inverse: "cover", userInfo: ["sync.nonExportable": "YES"]) var coverOf: Post?
  }

  private struct Lost: Error {}

  /// The fate of the edit before the sync.
  enum Fate: CaseIterable {
    case notSent, noAnswer, later, refused, behindOthers, looked, editedAgain, killed
  }

  /// Which relationship is edited, and from which side.
  enum Side: String, CaseIterable {
    case tags, posts, pictures, follows, followers, friends, cover, coverOf
  }

  // MARK: - Workshop

  private let stack: DataStack
  private let server = ToldServer()
  private let outbox: Outbox

  init() throws {
    stack = try DataStack.tracking(Post.self, Tag.self, Picture.self)
    outbox = try Outbox(stack, name: "api")
    prepare(outbox)
  }

  private func prepare(_ outbox: Outbox) {
    outbox.retry = RetryPolicy(attempts: 0, delay: 0)
    for name in ["Post", "Tag", "Picture"] {
      outbox.send(with: Conventional(name)) { [server] in try server.answer(to: $0) }
    }
  }

  private static let posts: JSONValue = [
    [
      "id": 1, "title": "a", "tag_ids": [], "picture_ids": [], "follow_ids": [], "friend_ids": [],
      "cover_id": .null,
    ],
    [
      "id": 2, "title": "a", "tag_ids": [1], "picture_ids": [1, 2], "follow_ids": [3],
      "friend_ids": [3], "cover_id": 1,
    ],
    [
      "id": 3, "title": "a", "tag_ids": [], "picture_ids": [], "follow_ids": [], "friend_ids": [2],
      "cover_id": .null,
    ],
    [
      "id": 4, "title": "a", "tag_ids": [], "picture_ids": [], "follow_ids": [], "friend_ids": [],
      "cover_id": .null,
    ],
  ]

  private func load() async throws {
    for name in ["Tag", "Picture"] {
      try await stack.sync([["id": 1], ["id": 2], ["id": 3]] as JSONValue, inEntityNamed: name)
    }
    try await stack.sync(UnsentLinkTests.posts, inEntityNamed: "Post")
  }

  /// Gives post 2 other members: in place of the first the second and third.
  private func edit(_ side: Side, isAgain: Bool = false) async throws {
    try await stack.edit { context in
      let posts = try context.fetch(Fetch<Post>().sorted(by: "id"))
      let tags = try context.fetch(Fetch<Tag>().sorted(by: "id"))
      let pictures = try context.fetch(Fetch<Picture>().sorted(by: "id"))
      let post = posts[1]
      switch side {
      case .tags: post.tags = isAgain ? [tags[0], tags[2]] : [tags[1], tags[2]]
      case .posts:
        if isAgain {
          tags[0].posts = [post]
          tags[1].posts = []
        } else {
          tags[0].posts = []
          tags[1].posts = [post]
          tags[2].posts = [post]
        }
      case .pictures:
        post.pictures = isAgain ? [pictures[2], pictures[0]] : [pictures[2], pictures[1]]
      case .follows: post.follows = isAgain ? [posts[3], posts[2]] : [posts[0], posts[3]]
      case .followers:
        posts[2].followers = isAgain ? [post] : []
        posts[0].followers = isAgain ? [] : [post]
        posts[3].followers = [post]
      case .friends: post.friends = isAgain ? [posts[3], posts[2]] : [posts[0], posts[3]]
      case .cover: post.cover = isAgain ? pictures[2] : pictures[1]
      case .coverOf: pictures[isAgain ? 2 : 1].coverOf = post
      }
    }
  }

  private func state() async throws -> [String] {
    try await stack.performBackgroundTask { context in
      try context.fetch(Fetch<Post>().sorted(by: "id")).map { post in
        let friends = post.friends.compactMap(\.id).sorted()
        return """
          \(post.title ?? "") \(post.tags.compactMap(\.id).sorted()) \(post.pictures.compactMap(\.id)) \
          \(post.follows.compactMap(\.id).sorted()) \(friends) \(post.cover?.id ?? 0)
          """
      }
    }
  }

  private func meet(_ fate: Fate, _ side: Side) async throws {
    outbox.concurrency = 4
    switch fate {
    case .notSent: break
    case .looked: _ = try outbox.pending
    case .noAnswer: server.answer { _ in throw Lost() }
    case .later: server.answer { _ in .retry(after: 3600) }
    case .refused: server.answer { _ in .refused("no") }
    case .behindOthers:
      outbox.concurrency = 1
      server.answer { _ in throw Lost() }
    case .editedAgain:
      server.answer { _ in throw Lost() }
      _ = try await outbox.send()
      try await edit(side, isAgain: true)
    case .killed: server.answer { _ in throw CancellationError() }
    }
    guard fate != .notSent, fate != .looked else { return }
    if fate == .killed {
      let other = try Outbox(stack, name: "api")
      prepare(other)
      let task = Task { try await other.send() }
      task.cancel()
      _ = await task.result
    }
    _ = try await outbox.send()
  }

  @Test(arguments: Side.allCases, Fate.allCases)
  func aLinkStaysUntilItsAnswer(_ side: Side, _ fate: Fate) async throws {
    try await load()
    let old = try await state()
    try await stack.edit { try $0.fetch(Fetch<Post>("id == 1")).first?.title = "b" }
    try await edit(side)
    try await meet(fate, side)
    let edited = try await state()
    #expect(edited != old)
    for _ in 0..<2 {
      try await stack.sync(UnsentLinkTests.posts, inEntityNamed: "Post")
      #expect(try await state() == edited)
    }
    // The edits are sent in the end.
    server.forget()
    server.answer { _ in .accepted() }
    for item in try outbox.pending { try outbox.retry(item) }
    outbox.concurrency = 4
    try await outbox.sendAll()
    #expect(try await state() == edited)
    // Now it is the sync's again.
    try await stack.sync(UnsentLinkTests.posts, inEntityNamed: "Post")
    #expect(try await state() == old)
    #expect(try await stack.checkConsistency().problems.isEmpty)
  }

  @Test func aRepeatedAnswerLeavesWhatWasLinkedSince() async throws {
    try await load()
    try await stack.edit { Post(context: $0).title = "new" }
    server.answer { _ in throw Lost() }
    _ = try await outbox.send()
    try await stack.edit { context in
      let post = try context.fetch(Fetch<Post>("title == %@", "new")).first
      post?.tags = Set(try context.fetch(Fetch<Tag>("id == 2")))
      post?.pictures = try context.fetch(Fetch<Picture>("id == 2"))
    }
    server.answer { change in
      let old: JSONValue = ["id": 7, "title": "new", "tag_ids": [], "picture_ids": []]
      return .accepted(change.kind == .insert ? old : nil)
    }
    // Its other end has nothing to send, and has its turn first.
    _ = try await outbox.send()
    #expect(try await state().last == "new [2] [2] [] [] 0")
    let last = try #require(server.sent.last)
    #expect(last.changedJSON["tag_ids"] == [2] && last.changedJSON["picture_ids"] == [2])
    #expect(try outbox.pending.isEmpty)
  }

  /// The tags of the API do not say their posts, so the answer to a tag is none to its links.
  @Test(arguments: [false, true])
  func anEndThatDoesNotSayTheLinkDoesNotEndIt(_ isGivenUp: Bool) async throws {
    try await load()
    try await stack.edit { context in
      let post = try context.fetch(Fetch<Post>("id == 2")).first
      if isGivenUp {
        let tag = try #require(context.fetch(Fetch<Tag>("id == 3")).first)
        tag.name = "given up"
        post?.tags.insert(tag)
      } else {
        let tag = Tag(context: context)
        (tag.id, tag.name) = (9, "new")
        post?.tags.insert(tag)
      }
    }
    server.answer { change in
      if change.entity == "Post" { throw Lost() }
      return .accepted()
    }
    if isGivenUp {
      for item in try outbox.pending where item.entity == "Tag" { try outbox.discard(item) }
    } else {
      _ = try await outbox.send()
    }
    try await stack.sync(UnsentLinkTests.posts, inEntityNamed: "Post")
    #expect(try await state()[1].contains(isGivenUp ? " [1, 3] " : " [1, 9] "))
    server.answer { _ in .accepted() }
    _ = try await outbox.send()
    let last = try #require(server.sent.last)
    #expect(last.changedJSON["tag_ids"] == (isGivenUp ? [1, 3] : [1, 9]))
    #expect(try outbox.pending.isEmpty)
  }

  @Test func otherLinksOfTheListAreTheSyncs() async throws {
    try await load()
    try await stack.edit { context in
      let post = try context.fetch(Fetch<Post>("id == 2")).first
      post?.tags.insert(try #require(context.fetch(Fetch<Tag>("id == 2")).first))
    }
    server.answer { _ in .refused("no") }
    _ = try await outbox.send()
    try await stack.sync(
      [["id": 2, "tag_ids": [3]]] as JSONValue, inEntityNamed: "Post",
      operations: [.update, .updateRelationships, .deleteRelationships])
    #expect(try await state()[1].contains(" [2, 3] "))
    // Taken back, it is as the server has it.
    try outbox.revert(outbox.refused)
    #expect(try await state()[1].contains(" [3] "))
    #expect(try outbox.pending.isEmpty)
  }

  @Test func aLinkThatWasGivenUpIsTheSyncsFromBothEnds() async throws {
    try await load()
    let old = try await state()
    try await edit(.tags)
    for item in try outbox.pending where item.entity == "Post" { try outbox.discard(item) }
    try await stack.sync(UnsentLinkTests.posts, inEntityNamed: "Post")
    #expect(try await state() == old)
    #expect(try outbox.pending.isEmpty)
  }
}
