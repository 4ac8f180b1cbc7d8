import SyncStack
import Testing

@testable import SyncImport

@Suite struct FeedQueueTests {
  private func queue(
    _ kind: Feed.Kind = .snapshot, kept: FeedQueue.Kept? = nil,
    lists: [FeedQueue.PlaceList] = [], stored: Set<String> = []
  ) -> FeedQueue {
    FeedQueue(Self.feed(kind), kept, lists: lists, stored: stored)
  }

  private static func feed(_ kind: Feed.Kind = .snapshot) -> Feed {
    Feed("Crew", kind) { _ in FeedPage("[]") }
  }

  /// The lists of places that a store has.
  private struct Shelf {
    var lists: [Int: [String]] = [:]
    var stored: Set<String> = []

    /// Stores the page at the front of a queue.
    mutating func store(_ queue: inout FeedQueue) {
      let step = queue.stepOfFront
      for number in step.removed { lists[number] = nil }
      if let led = step.led { lists[led.number] = led.places }
      #expect(lists.keys.sorted() == step.kept?.lists?.sorted())
      stored.insert(queue.front?.place ?? "")
      queue.removeFront(isCommitted: true)
    }

    /// The places that the next run would ask for.
    func open(_ queue: FeedQueue) -> [String?] {
      let lists = lists.map { FeedQueue.PlaceList(number: $0.key, places: $0.value) }
      var next = FeedQueue(queue.feed, queue.kept, lists: lists, stored: stored)
      var places: [String?] = []
      while let place = next.ask() { places.append(place) }
      return places
    }
  }

  @Test func aChainKnowsOnePlaceAhead() throws {
    var (queue, shelf) = (queue(), Shelf())
    #expect(queue.ask() == .some(nil))
    #expect(queue.ask() == nil)
    try queue.take(FeedPage("[]", next: "b"), at: nil)
    #expect(queue.ask() == "b")
    shelf.store(&queue)
    #expect(shelf.open(queue) == ["b"])
    try queue.take(FeedPage("[]"), at: "b")
    shelf.store(&queue)
    #expect(queue.hasEnded && queue.kept.pages == 2 && queue.kept.lists == [])
    #expect(shelf.lists.isEmpty)
  }

  @Test func pagesAreStoredInTheOrderOfTheirPlaces() throws {
    var (queue, shelf) = (queue(), Shelf())
    _ = queue.ask()
    try queue.take(FeedPage("[]", places: ["1", "2", "3"]), at: nil)
    shelf.store(&queue)
    _ = (queue.ask(), queue.ask(), queue.ask())
    try queue.take(FeedPage("[]"), at: "3")
    #expect(queue.front == nil)
    try queue.take(FeedPage("[]"), at: "1")
    #expect(queue.front?.place == "1")
    shelf.store(&queue)
    #expect(shelf.open(queue) == ["2", "3"])
  }

  @Test func theStoreKeepsWhatStoredPagesLedTo() throws {
    var (queue, shelf) = (queue(), Shelf())
    _ = queue.ask()
    try queue.take(FeedPage("[]", places: ["1", "2"]), at: nil)
    shelf.store(&queue)
    _ = (queue.ask(), queue.ask())
    // Page 2 has come, leads on, and is not stored.
    try queue.take(FeedPage("[]", places: ["3"]), at: "2")
    try queue.take(FeedPage("[]"), at: "1")
    shelf.store(&queue)
    #expect(shelf.open(queue) == ["2"])
    shelf.store(&queue)
    #expect(shelf.open(queue) == ["3"])
  }

  @Test func aPlaceThatLeadsToItselfIsAskedForOnce() throws {
    var (queue, shelf) = (queue(), Shelf())
    _ = queue.ask()
    try queue.take(FeedPage("[]", places: ["1", "2"]), at: nil)
    shelf.store(&queue)
    _ = queue.ask()
    try queue.take(FeedPage("[]", places: ["1", "2"]), at: "1")
    shelf.store(&queue)
    #expect(shelf.open(queue) == ["2"])
    #expect(queue.openCount == 1)
  }

  @Test func aPlaceThatIsNamedTwiceIsKeptOnce() throws {
    var (queue, shelf) = (queue(), Shelf())
    _ = queue.ask()
    try queue.take(FeedPage("[]", next: "1", places: ["1", "2", "1"]), at: nil)
    #expect(queue.openCount == 3)
    shelf.store(&queue)
    #expect(shelf.open(queue) == ["1", "2"])
  }

  /// However many places are open, a page writes its own step.
  @Test(arguments: [true, false]) func thePlacesOfAFeedAreWrittenOnce(byNumber: Bool) throws {
    let count = 2_000
    let places = KeptPlaces(name: "nightly")
    var (queue, shelf) = (queue(), Shelf())
    var (bytes, largest, writes) = (0, 0, 0)
    while let place = queue.ask() {
      let number = place.flatMap { Int($0) } ?? 1
      let next = number < count && !byNumber ? "\(number + 1)" : nil
      try queue.take(
        FeedPage(
          "[]", next: next,
          places: byNumber && number == 1 ? (2...count).map { "\($0)" } : []),
        at: place)
      let metadata = places.metadata(queue.stepOfFront, of: queue.feed)
      let size = metadata.values.reduce(0) { $0 + $1.key.utf8.count + "\($1.value)".utf8.count }
      if number > 1 { largest = max(largest, size) }
      bytes += size
      writes += metadata.values.count
      shelf.store(&queue)
    }
    #expect(queue.kept.pages == count && shelf.lists.isEmpty)
    #expect(largest < 250, "\(largest) bytes in the largest commit")
    #expect(bytes < 250 * count, "\(bytes) bytes, \(writes) values")
    #expect(writes <= 3 * count)
  }

  @Test func aCursorThatComesAgainIsAnError() throws {
    var queue = queue()
    _ = queue.ask()
    try queue.take(FeedPage("[]", next: "b"), at: nil)
    queue.removeFront(isCommitted: true)
    _ = queue.ask()
    let error = #expect(throws: FeedError.self) {
      try queue.take(FeedPage("[]", next: "b"), at: "b")
    }
    #expect(error?.code == .repeatedPlace && error?.place == "b")
  }

  @Test func aRunGoesOnWithTheOpenPlaces() {
    var queue = queue(
      kept: FeedQueue.Kept(begin: nil, lists: [7, 9], pages: 3),
      lists: [.init(number: 9, places: ["5"]), .init(number: 7, places: ["2", "3", "4"])],
      stored: ["", "2", "3"])
    #expect(queue.pagesBefore == 3)
    #expect(queue.ask() == "4")
    #expect(queue.ask() == "5")
    #expect(queue.ask() == nil)
  }

  @Test func totalsThatDifferAreNone() throws {
    var queue = queue()
    _ = queue.ask()
    try queue.take(FeedPage("[]", next: "2", total: 7), at: nil)
    queue.removeFront(isCommitted: true)
    #expect(queue.kept.total == 7)
    _ = queue.ask()
    try queue.take(FeedPage("[]", total: 6), at: "2")
    queue.removeFront(isCommitted: true)
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
    queue.removeFront(isCommitted: true)
    if let next {
      _ = queue.ask()
      try queue.take(FeedPage("[]", resume: resume), at: next)
      queue.removeFront(isCommitted: true)
    }
    #expect(queue.lastStep.kept?.begin == expected)
  }

  /// The session was abandoned, or a list cannot be read: deletions need every page.
  @Test(arguments: [(false, true), (true, false)])
  func withoutItsPagesOrPlacesAFeedBeginsAnew(hasPages: Bool, hasPlaces: Bool) throws {
    var queue = queue(
      kept: FeedQueue.Kept(begin: "a", lists: [7], pages: 3),
      lists: hasPlaces ? [.init(number: 7, places: ["2", "3"])] : [],
      stored: hasPages ? ["a", "2"] : [])
    #expect(queue.pagesBefore == 0 && queue.ask() == "a" && queue.ask() == nil)
    try queue.take(FeedPage("[]", next: "9"), at: "a")
    #expect(queue.stepOfFront.removed == [7] && queue.stepOfFront.led?.number == 8)
  }

  @Test func theKeptStateReadsBack() throws {
    let places = KeptPlaces(name: "nightly")
    let kept = FeedQueue.Kept(begin: "ä", lists: [3], pages: 4, total: 9, resume: "x")
    let led = FeedQueue.PlaceList(number: 3, places: ["1", "\""])
    let feed = Self.feed()
    let metadata = places.metadata(FeedQueue.Step(kept: kept, led: led), of: feed)
    let state = try #require(places.state(of: feed, in: metadata))
    #expect(state.kept == kept && state.lists == [led])
    #expect(
      places.state(of: feed, in: StoreMetadata(metadata.values.mapValues { _ in "no JSON" })) == nil
    )
  }
}
