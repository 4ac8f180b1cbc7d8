import Foundation
import SyncStack
import TestSupport
import Testing

/// JSON:API documents: `data` and everything that is included, in one transaction.
@Suite struct JSONAPITests {
  private let stack: DataStack

  init() throws {
    stack = try DataStack.inMemory([
      """
      Article: id, title, publishedOn date, author -> User.articles,
      comments ->> Comment.article cascade, relatedTags ->> Tag.articles
      """,
      """
      User: id string, firstName, friend -> User.friendOf, friendOf ->> User.friend,
      articles ->> Article.author, comments ->> Comment.author
      """,
      "Comment: id string, body required, article -> Article.comments, author -> User.comments",
      "Tag sync.type=labels: id string, label, articles ->> Article.relatedTags",
    ])
  }

  /// The form of Ember and Rails: dashes in names, types in the plural, cycles, an empty list,
  /// links without data.
  private static let document = #"""
    {
      "jsonapi": {"version": "1.0"},
      "data": [{
        "type": "articles", "id": "1",
        "attributes": {"title": "Paint", "published-on": "2026-11-25"},
        "relationships": {
          "author": {"links": {"related": "/articles/1/author"}, "data": {"type": "people", "id": "9"}},
          "comments": {"data": [{"type": "comments", "id": "5"}, {"type": "comments", "id": "12"}]},
          "related-tags": {"data": [{"type": "labels", "id": "t"}]}
        },
        "links": {"self": "/articles/1"}, "meta": {"views": 7}
      }, {
        "type": "articles", "id": "2", "attributes": {"title": "Wait"},
        "relationships": {
          "author": {"data": null}, "comments": {"data": []}, "related-tags": {"links": {"self": "/x"}}
        }
      }],
      "included": [
        {"type": "people", "id": "9", "attributes": {"first-name": "Dan"},
         "relationships": {"friend": {"data": {"type": "people", "id": "2"}}}},
        {"type": "people", "id": "2", "attributes": {"first-name": "Eve"},
         "relationships": {"friend": {"data": {"type": "people", "id": "9"}},
           "articles": {"data": [{"type": "articles", "id": "1"}]}}},
        {"type": "comments", "id": "5", "attributes": {"body": "First!"},
         "relationships": {"author": {"data": {"type": "people", "id": "2"}}}},
        {"type": "comments", "id": "12", "attributes": {"body": "Better"}},
        {"type": "labels", "id": "t", "attributes": {"label": "Tools"}},
        {"type": "labels", "id": "alone", "attributes": {"label": "Alone"}}
      ]
    }
    """#

  private func values(_ entity: String, _ paths: String...) throws -> [String] {
    try stack.inBackground { context in
      try context.fetch(Fetch<ManagedObject>(entityNamed: entity).sorted(by: "id")).map { object in
        paths.map { path in
          path.split(separator: ".").reduce(object as Any?) { value, key in
            (value as? ManagedObject)?.value(forKey: String(key))
          }.map { "\($0)" } ?? "-"
        }.joined(separator: " ")
      }
    }
  }

  @Test func everythingIsStoredWithOneReport() throws {
    let report = try stack.sync(.jsonAPI(JSONAPITests.document), inEntityNamed: "Article")
    #expect(report.findings.isEmpty, "\(report.findings)")
    #expect(report["Article"].inserted == 2 && report["User"].inserted == 2)
    #expect(report["Comment"].inserted == 2 && report["Tag"].inserted == 2)
    #expect(report.entities.values.allSatisfy { $0.unusedKeys.isEmpty })
    // Eve's list names the first article too, and comes later.
    #expect(try values("Article", "id", "title", "author.id") == ["1 Paint 2", "2 Wait -"])
    #expect(try values("User", "id", "firstName", "friend.id") == ["2 Eve 9", "9 Dan 2"])
    #expect(
      try values("Comment", "id", "body", "article.id", "author.id") == [
        "12 Better 1 -", "5 First! 1 2",
      ])
    #expect(try values("Tag", "id", "label") == ["alone Alone", "t Tools"])
    let again = try stack.sync(.jsonAPI(JSONAPITests.document), inEntityNamed: "Article")
    #expect(again.isUnchanged)
    #expect(again["User"].unchanged == 2)
  }

  @Test func listsOfKeysTellWhoIsInThemAndLinksAloneTellNothing() throws {
    try stack.sync(.jsonAPI(JSONAPITests.document), inEntityNamed: "Article")
    let report = try stack.sync(
      .jsonAPI(
        #"""
        {"data": [{"type": "articles", "id": "1", "relationships": {
          "comments": {"data": []}, "related-tags": {"links": {}}, "author": {"meta": {}}}}]}
        """#), inEntityNamed: "Article")
    #expect(report["Article"].deleted == 1, "the second article is not in the list")
    #expect(try values("Article", "id", "author.id") == ["1 2"])
    #expect(
      try values("Comment", "id", "article.id") == ["12 -", "5 -"], "out of the list, not deleted")
    #expect(report["Tag"].deleted == 0 && report["User"].deleted == 0)
  }

  @Test(arguments: [
    #"{"data": {"type": "articles", "id": "2", "attributes": {"title": "New"}}}"#,
    #"{"data": null}"#,
    #"{"data": [{"type": "articles", "id": "2", "attributes": {"title": "New"}}], "links": {"next": "/p/2"}}"#,
    #"{"data": [], "links": {"prev": {"href": "/p/1"}, "next": null}}"#,
    #"{"data": [{"type": "labels", "id": "9"}]}"#,
  ])
  func aListThatIsNotWholeDeletesNothing(json: String) throws {
    try stack.sync(.jsonAPI(JSONAPITests.document), inEntityNamed: "Article")
    let report = try stack.sync(.jsonAPI(json), inEntityNamed: "Article")
    #expect(report.deleted == 0)
    #expect(try values("Article", "id") == ["1", "2"])
  }

  @Test func anEmptyWholeListIsOne() throws {
    try stack.sync(.jsonAPI(JSONAPITests.document), inEntityNamed: "Article")
    let report = try stack.sync(.jsonAPI(#"{"data": []}"#), inEntityNamed: "Article")
    #expect(report["Article"].deleted == 2)
  }

  @Test func pagesNameTheNextOneAndASessionDeletesAtItsEnd() async throws {
    try await stack.sync(.jsonAPI(JSONAPITests.document), inEntityNamed: "Article")
    let session = try SyncSession(entity: "Article", dataStack: stack)
    let first = try await session.sync(
      .jsonAPI(#"{"data": [{"type": "articles", "id": "3"}], "links": {"next": {"href": "/p/2"}}}"#)
    )
    #expect(first.nextPage == "/p/2")
    let second = try await session.sync(
      .jsonAPI(
        #"{"data": [{"type": "articles", "id": "1"}], "links": {"next": null, "prev": "/p/1"}}"#))
    #expect(second.nextPage == nil)
    try await session.finish()
    #expect(try values("Article", "id") == ["1", "3"])
  }

  @Test(arguments: [
    (
      #"{"errors": [{"status": "404", "title": "Not Found", "detail": "No such page"}, {}]}"#, "404"
    ),
    (#"{"meta": {}}"#, "data"), ("[]", "an array"), (#"{"data": 5}"#, "a number"),
    (#"{"data": ["x"]}"#, "a string"),
  ])
  func aDocumentThatIsNoAnswerIsAnErrorThatSaysWhyAndNothingChanges(json: String, mention: String)
    throws
  {
    expectError("SyncError unreadablePayload", mention) {
      try stack.sync(.jsonAPI(json), inEntityNamed: "Article")
    }
  }

  @Test func findingsNameThePlaceInTheDocument() throws {
    let report = try stack.sync(
      .jsonAPI(
        #"""
        {"data": [{"type": "articles", "id": "1", "attributes": {"published-on": "soon"}}],
         "included": [{"type": "comments", "id": "5"}, {"type": "planets", "id": "x"},
           {"type": "people", "attributes": {"first-name": "?"}}]}
        """#), inEntityNamed: "Article")
    #expect(
      report.findings.compactMap(\.path).sorted() == [
        "$.data[0].published_on", "$.included[0]", "$.included[1]", "$.included[2]",
      ])
    #expect(try values("Comment", "id").isEmpty)
  }

  @Test func aResourceThatIsNotIncludedIsAReference() throws {
    let report = try stack.sync(
      .jsonAPI(
        #"{"data": [{"type": "articles", "id": "1", "relationships": {"author": {"data": {"type": "people", "id": "9"}}}}]}"#
      ),
      inEntityNamed: "Article")
    #expect(report.findings(of: .unresolvedReference).map(\.key) == ["9"])
    #expect(try values("User", "id").isEmpty)
  }

  @Test func aSerializerReadsTheResourcesNested() throws {
    let people = EntitySerializer(entityNamed: "User").by(
      "id", ["id": .string("id"), "firstName": .string("first-name")])
    let articles = EntitySerializer(entityNamed: "Article").by(
      "id",
      [
        "id": Rule.int("id").coercing(.lossless), "title": .string("title"),
        "author": .toOne("author") { people },
      ])
    let report = try stack.sync(.jsonAPI(JSONAPITests.document), with: articles)
    #expect(report["User"].inserted == 1)
    #expect(
      try values("Article", "id", "title", "author.firstName") == ["1 Paint Dan", "2 Wait -"])
  }

  @Test func aChainOfThousandsIsNoTrouble() throws {
    let people = (0..<5_000).map { number in
      #"{"type": "people", "id": "p\#(number)", "relationships": {"friend": {"data": {"type": "people", "id": "p\#(number + 1)"}}}}"#
    }
    let json =
      #"{"data": \#(people[0]), "included": [\#(people.dropFirst().joined(separator: ","))]}"#
    let report = try stack.sync(.jsonAPI(json), inEntityNamed: "User")
    #expect(report["User"].inserted == 5_000)
    let serializer = EntitySerializer(entityNamed: "User").by("id", ["id": .string("id")])
    #expect(try stack.sync(.jsonAPI(json), with: serializer).deleted == 0)
  }

  @Test func aPathHasNoPlaceInIt() throws {
    #expect(throws: SyncError.self) {
      try stack.sync(.jsonAPI(JSONAPITests.document), inEntityNamed: "Article", at: "data")
    }
  }
}
