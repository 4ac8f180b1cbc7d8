import SyncStack
import Testing

/// Objects without a handler of entities that lead to themselves, or to each other in a circle.
@Suite struct TreeTests {
  final class Tag: ManagedObject {
    @PrimaryKey var id: Int64?
    @Attribute var name: String?
    @ToOne var parent: Tag?
    @ToMany(inverse: "parent") var children: Set<Tag>
    @ToOne var post: Post?
  }

  final class Post: ManagedObject {
    @PrimaryKey var id: Int64?
    @ToMany(inverse: "post") var tags: Set<Tag>
  }

  final class Chicken: ManagedObject {
    @PrimaryKey var id: Int64?
    @ToOne var egg: Egg?
    @ToMany(inverse: "chicken") var eggs: Set<Egg>
  }

  final class Egg: ManagedObject {
    @PrimaryKey var id: Int64?
    @ToOne var chicken: Chicken?
    @ToMany(inverse: "egg") var chickens: Set<Chicken>
  }

  private let stack: DataStack
  private let outbox: Outbox

  init() throws {
    stack = try DataStack.tracking(Tag.self, Post.self, Chicken.self, Egg.self)
    outbox = try Outbox(stack, name: "api")
  }

  @Test func anEntityThatLeadsToItselfWaitsForAHandler() async throws {
    outbox.send(Chicken.self) { _ in .accepted() }
    try await stack.edit { context in
      let tag = Tag(context: context)
      let child = Tag(context: context)
      child.parent = tag
      let loop = Tag(context: context)
      loop.parent = loop
    }
    #expect(try outbox.pending.allSatisfy { $0.obstacle != nil })
    let report = try await outbox.send()
    #expect(report.unhandled == ["Tag"] && report["Tag"].waiting.count == 3)
    try await stack.edit { for tag in try $0.fetch(Fetch<Tag>()) { tag.name = "edited" } }
    #expect(try outbox.pending.count == 3)
  }

  @Test func entitiesThatLeadToEachOtherWaitForAHandler() async throws {
    outbox.send(Post.self) { _ in .accepted() }
    try await stack.edit { context in
      let (chicken, egg) = (Chicken(context: context), Egg(context: context))
      (chicken.egg, egg.chicken) = (egg, chicken)
    }
    #expect(try outbox.pending.allSatisfy { $0.obstacle != nil })
    #expect(try await outbox.send().unhandled == ["Chicken", "Egg"])
  }

  /// A tree of any depth, which would not fit on a thread's stack.
  @Test func theNearestThatNestsItCarriesItHoweverDeepItIs() async throws {
    let log = Locked<[OutboxChange]>([])
    outbox.send(Post.self, using: ExportOptions(relationshipType: .array)) { change in
      log.withLock { $0.append(change) }
      return .accepted()
    }
    try await stack.edit { context in
      var tag = Tag(context: context)
      tag.post = Post(context: context)
      for number in 0..<200 {
        let child = Tag(context: context)
        (child.id, child.parent) = (Int64(number), tag)
        tag = child
      }
    }
    #expect(try outbox.pending.compactMap(\.obstacle).isEmpty)
    let report = try await outbox.send()
    #expect(report["Tag"].accepted.count == 201 && report.unhandled.isEmpty)
    #expect(log.withLock { $0.map(\.kind) } == [.insert])
    #expect(try outbox.pending.isEmpty)
  }
}
