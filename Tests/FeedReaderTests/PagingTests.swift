import Foundation
import SyncStack
import Testing

@testable import FeedReader

@Suite struct PagingTests {
  @Test(
    arguments: [
      (#"<https://x.org/a?page=2>; rel="next""#, "https://x.org/a?page=2"),
      (#"<a>; rel="prev", <b>; rel="next""#, "b"),
      (#"<a,b;c>; title="x"; rel=next"#, "a,b;c"),
      (#"<a>; rel="last next""#, "a"),
      (#"  <a>;REL="Next""#, "a"),
      (#"<a>; rel="prev""#, nil),
      (#"<a>; rel="nextish""#, nil),
      (#"a; rel="next""#, nil),
      ("<", nil), ("", nil), ("<>", nil),
    ] as [(String, String?)])
  func theNextLinkOfAHeaderIsFound(_ header: String, _ target: String?) {
    #expect(Paging.nextTarget(ofLinkHeader: header) == target)
  }

  private func next(_ paging: Paging, _ text: String, _ url: String, link: String? = nil) throws
    -> String?
  {
    let document = try JSONValue(parsing: text)
    let response = PageClient.Response(
      data: Data(text.utf8), url: try #require(URL(string: url)), link: link)
    let count = document["items"]?.arrayValue?.count ?? 0
    return paging.next(after: response, document: document, itemCount: count)?.absoluteString
  }

  @Test(
    arguments: [
      (#"{"links": {"next": "/b?c=d"}}"#, "http://x.org/b?c=d"),
      (#"{"links": {"next": "c"}}"#, "http://x.org/feed/c"),
      (#"{"links": {"next": "https://y.org/"}}"#, "https://y.org/"),
      (#"{"links": {"next": null}}"#, nil),
      (#"{"links": {}}"#, nil), ("[]", nil),
      (#"{"links": {"next": "file:///etc/passwd"}}"#, nil),
    ] as [(String, String?)])
  func theMemberIsAnAddressRelativeToThePage(_ text: String, _ target: String?) throws {
    #expect(
      try next(.links(member: "links.next"), text, "http://x.org/feed/a?page=1") == target)
  }

  @Test func theHeaderGoesFirst() throws {
    #expect(
      try next(
        .links(member: "next"), #"{"next": "a"}"#, "http://x.org/", link: "<b>; rel=next")
        == "http://x.org/b")
  }

  @Test(arguments: [
    ("http://x.org/a", "http://x.org/a?p=2"), ("http://x.org/a?p=7&q=1", "http://x.org/a?q=1&p=8"),
    ("http://x.org/a?q=%20", "http://x.org/a?q=%20&p=2"),
  ])
  func pagesAreCounted(_ url: String, _ target: String) throws {
    #expect(try next(.numbers(parameter: "p"), #"{"items": [1]}"#, url) == target)
    #expect(try next(.numbers(parameter: "p"), #"{"items": []}"#, url) == nil)
  }

  @Test(arguments: [
    (["http://x.org/"], true), (["http://x.org/", "a.sqlite", "--page-by-page"], true),
    (["http://x.org/", "--next", "links.next"], true), (["--number", "p", "https://x.org/"], true),
    ([], false), (["file:///etc/passwd"], false), (["http://x.org/", "--next"], false),
    (["http://x.org/", "--wat"], false), (["http://x.org/", "a", "b"], false),
  ])
  func argumentsAreReadOrRefused(_ arguments: [String], _ areGood: Bool) {
    #expect((FeedReader.Settings(arguments) != nil) == areGood)
  }
}
