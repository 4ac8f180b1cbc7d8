import Foundation
import SyncStack
import TestSupport
import Testing

/// Places of one payload that say different things of one object: the later one counts, and the
/// report says so once.
@Suite struct ContradictionTests {
  private let bench: SyncBench

  init() throws {
    bench = try SyncBench([
      "Page: id, author -> Author.pages, tags ->> Tag.pages",
      """
      Author: id string, number integer64, pages ->> Page.author, badge -> Badge.author,
      club -> Club.members, card -> Card cascade
      """,
      "Card: url, width integer64",
      "Badge: id, author -> Author.badge",
      "Club: id, members ->> Author.club",
      "Tag: id, name, pages ->> Page.tags",
    ])
  }

  @Test(
    arguments: [
      (
        #"[{"id":1,"author":{"id":"x","number":1}},{"id":2,"author":{"id":"x","number":2}}]"#,
        "Author", "number", "x", ["Once", "1, then 2"]
      ),
      (
        #"[{"id":1,"author":{"id":"x","number":1}},{"id":2,"author":{"id":"x","number":2}},"#
          + #"{"id":3,"author":{"id":"y","number":1}},{"id":4,"author":{"id":"y","number":null}}]"#,
        "Author", "number", "x", ["2 times", "1, then 2"]
      ),
      (
        #"[{"id":1,"tags":[{"id":1,"name":"a"},{"id":1,"name":"b"}]}]"#, "Tag", "name", "1",
        ["Once", "a, then b"]
      ),
      (
        #"[{"id":1,"author":{"id":"x","badge":{"id":7}}},{"id":2,"author":{"id":"y","badge":{"id":7}}}]"#,
        "Badge", "author", "7", ["Once", "x, then y"]
      ),
      (
        #"[{"id":1,"author":{"id":"x","badge":{"id":7}}},{"id":2,"author":{"id":"x","badge":{"id":8}}}]"#,
        "Author", "badge", "x", ["Once", "Badge 7, then Badge 8"]
      ),
      (
        #"[{"id":1,"author":{"id":"x","club":{"id":1}}},{"id":2,"author":{"id":"x","club":{"id":2}}}]"#,
        "Author", "club", "x", ["Once", "Club 1, then Club 2"]
      ),
      (
        #"[{"id":1,"author":{"id":"x","card":{"url":"a"}}},{"id":2,"author":{"id":"x","card":{"url":"a","width":2}}}]"#,
        "Author", "card", "x", ["Once", "Card (url a), then Card (url a, width 2)"]
      ),
    ] as [(String, String, String, String, [String])])
  func theyAreToldOnceForEachEntityWithHowManyThereAreAndAnExample(
    payload: String, entity: String, property: String, key: String, words: [String]
  ) throws {
    for _ in 0..<2 {
      let report = try bench.sync(payload, "Page")
      let findings = report.findings
      let finding = try #require(findings.first)
      #expect(findings.count == 1)
      #expect(finding.kind == .repeatedItem)
      #expect(finding.property == property && finding.key == key)
      for word in words { #expect(finding.message.contains(word), "\(finding.message)") }
    }
  }

  @Test func theLaterPlaceCountsAlsoBetweenAnItemAndANestedObject() throws {
    let report = try bench.sync(
      #"[{"id":"x","number":1,"pages":[{"id":1,"author":{"id":"x","number":2}}]},{"id":"y","number":3}]"#,
      "Author")
    #expect(try bench.objects("Author") == ["id=x number=1 pages=[1]", "id=y number=3"])
    #expect(report.findings.isEmpty, "the owner of a nested object is not read again")
    let pages = try bench.sync(
      #"[{"id":1,"author":{"id":"x","number":1}},{"id":1,"author":{"id":"x","number":4}}]"#, "Page")
    #expect(pages.findings.map(\.entity).sorted() == ["Author", "Page"])
  }

  @Test(arguments: [
    #"[{"id":1,"author":{"id":"x","number":1}},{"id":2,"author":{"id":"x","number":1.0}}]"#,
    #"[{"id":1,"author":{"id":"x","number":1}},{"id":2,"author":{"id":"x"}}]"#,
    #"[{"id":1,"author_id":"x"},{"id":2,"author":{"id":"x","number":1}}]"#,
    #"[{"id":1,"tags":[{"id":1,"name":"a"}]},{"id":2,"tags":[{"id":1,"name":"a"}]}]"#,
    #"[{"id":1,"author":{"id":"x","badge":{"id":7,"author":{"id":"x"}}}}]"#,
    #"[{"id":1,"author":{"id":"x","club":{"id":1}}},{"id":2,"author":{"id":"x","club":{"id":1}}}]"#,
    #"[{"id":1,"author":{"id":"x","card":{"url":"a"}}},{"id":2,"author":{"id":"x","card":{"url":"a"}}}]"#,
  ])
  func placesThatAgreeOrAddToEachOtherAreNoContradiction(payload: String) throws {
    for _ in 0..<2 { #expect(try bench.sync(payload, "Page").findings.isEmpty) }
  }

  @Test func aListThatNamesAnObjectTwiceAndDifferentlyIsOneFinding() throws {
    let report = try bench.sync(
      #"[{"id":1,"tags":[{"id":1,"name":"a"},{"id":1,"name":"b"}]},{"id":2,"tags":[{"id":3},{"id":3}]}]"#,
      "Page")
    #expect(report.findings.map(\.key) == ["1", "2"])
    #expect(report.count(of: .repeatedItem) == 2)
    let message = try #require(report.findings.first).message
    #expect(message.contains("“tags” of Page 1 names Tag 1 more than once"), "\(message)")
    #expect(message.contains("“name” of Tag 1 is a, then b"), "\(message)")
  }
}
