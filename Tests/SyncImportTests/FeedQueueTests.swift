import SyncCore
import SyncEngine
import Testing

@testable import SyncImport

@Suite struct FeedQueueTests {
  private func queue(
    _ kind: Feed.Kind = .snapshot, kept: FeedQueue.Kept? = nil, stored: Set<String> = []
  ) -> FeedQueue {
    FeedQueue(Feed("Crew", kind) { _ in FeedPage("[]") }, kept, stored: stored)
  }

  @Test func aChainKnowsOnePlaceAhead() throws {
    var queue = queue()
    #expect(queue.ask() == .some(nil))
    #expect(queue.ask() == nil)
    try queue.take(FeedPage("[]", next: "b"), at: nil)
    #expect(queue.ask() == "b")
    #expect(queue.keptAfterFront.pending == ["b"])
    queue.removeFront()
    try queue.take(FeedPage("[]"), at: "b")
    queue.removeFront()
    #expect(queue.hasEnded && queue.kept.pages == 2 && queue.kept.pending == [])
  }

  @Test func pagesAreStoredInTheOrderOfTheirPlaces() throws {
    var queue = queue()
    _ = queue.ask()
    try queue.take(FeedPage("[]", places: ["1", "2", "3"]), at: nil)
    queue.removeFront()
    _ = (queue.ask(), queue.ask(), queue.ask())
    try queue.take(FeedPage("[]"), at: "3")
    #expect(queue.front == nil)
    try queue.take(FeedPage("[]"), at: "1")
    #expect(queue.front?.place == "1")
    #expect(queue.keptAfterFront.pending == ["2", "3"])
  }

  @Test func theStoreKeepsWhatStoredPagesLedTo() throws {
    var queue = queue()
    _ = queue.ask()
    try queue.take(FeedPage("[]", places: ["1", "2"]), at: nil)
    queue.removeFront()
    _ = (queue.ask(), queue.ask())
    // Page 2 has come, leads on, and is not stored.
    try queue.take(FeedPage("[]", places: ["3"]), at: "2")
    try queue.take(FeedPage("[]"), at: "1")
    #expect(queue.keptAfterFront.pending == ["2"])
    queue.removeFront()
    #expect(queue.keptAfterFront.pending == ["3"])
  }

  @Test func aPlaceThatLeadsToItselfIsAskedForOnce() throws {
    var queue = queue()
    _ = queue.ask()
    try queue.take(FeedPage("[]", places: ["1", "2"]), at: nil)
    queue.removeFront()
    _ = queue.ask()
    try queue.take(FeedPage("[]", places: ["1", "2"]), at: "1")
    #expect(queue.keptAfterFront.pending == ["2"])
    queue.removeFront()
    #expect(queue.openCount == 1)
  }

  @Test func aPlaceThatIsNamedTwiceIsKeptOnce() throws {
    var queue = queue()
    _ = queue.ask()
    try queue.take(FeedPage("[]", next: "1", places: ["1", "2", "1"]), at: nil)
    #expect(queue.keptAfterFront.pending == ["1", "2"])
    #expect(queue.openCount == 3)
  }

  @Test func aCursorThatComesAgainIsAnError() throws {
    var queue = queue()
    _ = queue.ask()
    try queue.take(FeedPage("[]", next: "b"), at: nil)
    queue.removeFront()
    _ = queue.ask()
    let error = #expect(throws: FeedError.self) {
      try queue.take(FeedPage("[]", next: "b"), at: "b")
    }
    #expect(error?.code == .repeatedPlace && error?.place == "b")
  }

  @Test func aRunGoesOnWithTheOpenPlaces() {
    var queue = queue(
      kept: FeedQueue.Kept(begin: nil, pending: ["4", "5"], pages: 3), stored: ["", "2", "3"])
    #expect(queue.pagesBefore == 3)
    #expect(queue.ask() == "4")
    #expect(queue.ask() == "5")
    #expect(queue.ask() == nil)
  }

  @Test func totalsThatDifferAreNone() throws {
    var queue = queue()
    _ = queue.ask()
    try queue.take(FeedPage("[]", next: "2", total: 7), at: nil)
    queue.removeFront()
    #expect(queue.kept.total == 7)
    _ = queue.ask()
    try queue.take(FeedPage("[]", total: 6), at: "2")
    queue.removeFront()
    #expect(queue.kept.total == -1)
  }

  @Test(
    arguments: [
      ("a", "b", "c", "c"), ("a", nil, nil, "a"), (nil, "b", nil, "b"), (nil, nil, nil, nil),
    ] as [(String?, String?, String?, String?)])
  func changesGoOnAtTheLastPlace(
    begin: String?, next: String?, resume: String?, expected: String?
  ) throws {
    var queue = queue(.changes, kept: FeedQueue.Kept(begin: begin))
    _ = queue.ask()
    try queue.take(FeedPage("[]", next: next), at: begin)
    queue.removeFront()
    if let next {
      _ = queue.ask()
      try queue.take(FeedPage("[]", resume: resume), at: next)
      queue.removeFront()
    }
    #expect(queue.keptAfterRun?.begin == expected)
  }

  @Test func theKeptStateReadsBack() throws {
    let kept = FeedQueue.Kept(begin: "ä", pending: ["1", "\""], pages: 4, total: 9, resume: "x")
    #expect(FeedQueue.Kept(try #require(kept.value)) == kept)
    #expect(FeedQueue.Kept(.string("no JSON")) == nil)
  }
}
