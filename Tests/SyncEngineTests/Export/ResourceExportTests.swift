import SyncEngine
import SyncStack
import TestSupport
import Testing

/// Resources of JSON:API are written as they are read.
@Suite struct ResourceExportTests {
  private let stack: DataStack

  init() async throws {
    let model = try ManagedObjectModel([
      "BlogPost: id, title, author -> Person.posts, categories ->> Category.posts",
      "Person sync.type=users: id, name, posts ->> BlogPost.author",
      "Category: id, name, posts ->> BlogPost.categories",
    ])
    stack = try DataStack(model: model, store: .inMemory)
    try await stack.sync(
      #"[{"id": 1, "title": "a", "author": {"id": 9, "name": "Ann"}, "categories": [{"id": 5, "name": "x"}]}, {"id": 2}]"#,
      inEntityNamed: "BlogPost")
  }

  @Test func whatWasWrittenIsReadWithoutAChange() async throws {
    let json = try stack.export("BlogPost", using: .jsonAPI)
    #expect(
      json.arrayValue?.first == [
        "type": "blog_posts", "id": "1", "attributes": ["title": "a"],
        "relationships": [
          "author": ["data": ["type": "users", "id": "9"]],
          "categories": ["data": [["type": "categories", "id": "5"]]],
        ],
      ])
    let report = try await stack.sync(
      .jsonAPI(JSONValue.object(["data": json])), inEntityNamed: "BlogPost")
    #expect(report.inserted + report.updated + report.deleted == 0, "\(report)")
  }

  @Test(arguments: [
    ("post", "posts"), ("category", "categories"), ("box", "boxes"), ("match", "matches"),
    ("address", "addresses"), ("day", "days"), ("person", "people"),
    ("grand_child", "grand_children"),
  ])
  func aPluralIsOneOfWhichTheSingularIsKnown(singular: String, plural: String) {
    #expect(Inflection.plural(singular) == plural)
    #expect(Inflection.singulars(plural).contains(singular))
  }
}
