import Foundation
import SyncCore

/// The places of one feed in one run: known, asked for, arrived, stored.
///
/// ```
/// known ──ask()──▶ asked ──take()──▶ arrived ──(at the front) stored()──▶ kept in the store
///   ▲                                   │
///   └────── next, places ───────────────┘
/// ```
///
/// Pages are stored in the order in which their places became known, however they arrive. What the
/// store keeps (``Step``) knows of stored pages alone: a page that arrived and was not stored is
/// asked for again by the next run, and says again where the feed goes on.
struct FeedQueue {
  /// The state of a feed between two commits, as the store keeps it. Its size does not depend on
  /// the number of pages: the places to which a page leads are a list of their own, which is
  /// written once.
  struct Kept: Codable, Equatable {
    /// Where a run of changes begins; nil is the beginning.
    var begin: String?
    /// The numbers of the lists of which places are not stored; nil is a run that has not begun.
    var lists: [Int]?
    var pages = 0
    /// The number of all items, as the pages say it; -1 when they say different ones.
    var total: Int?
    /// The place at which the next run of changes begins, as far as the pages say.
    var resume: String?
  }

  /// The writes of one commit.
  struct Step: Equatable {
    /// The new state; nil removes the one that is there.
    var kept: Kept?
    /// The places to which a page leads, under the number of their list.
    var led: PlaceList?
    /// Lists of which every place is stored.
    var removed: [Int] = []
  }

  /// Places that became known together.
  struct PlaceList: Equatable {
    let number: Int
    let places: [String]
  }

  private enum State {
    case known
    case asked
    case arrived(FeedPage, PlaceList?)
    case stored
  }

  private struct Entry {
    let place: String?
    /// The list in which the place stands; nil is the beginning.
    let list: Int?
    var state = State.known
  }

  let feed: Feed
  private var entries: [Entry] = []
  /// How many of them, from the front, are stored or put aside.
  private var stored = 0
  /// How many of them, from the front, are asked for, have arrived or are stored.
  private var begun = 0
  /// Pages that have arrived and are not stored.
  private(set) var arrivedCount = 0
  /// Every place that was known in the run.
  private var seen: Set<String>
  private(set) var kept: Kept

  /// Places that are not stored, by their list.
  private var openPlaces: [Int: Int] = [:]
  private var lastList: Int
  /// The lists that the store has.
  private var listsInStore: Set<Int>

  /// Pages that a run before this one has stored.
  let pagesBefore: Int

  /// Items of the pages that this run has stored.
  private(set) var items = 0

  /// - Parameters:
  ///   - kept: The state that the store keeps; nil where there is none.
  ///   - lists: The lists of places that the store keeps.
  ///   - stored: The places whose pages the session has. Without any it was finished or abandoned,
  ///     and the feed begins anew, whatever the state says: deletions need every page.
  init(_ feed: Feed, _ kept: Kept?, lists: [PlaceList] = [], stored: Set<String>) {
    self.feed = feed
    listsInStore = Set(kept?.lists ?? [])
    lastList = listsInStore.max() ?? 0
    let goesOn = kept?.lists != nil && !stored.isEmpty && listsInStore == Set(lists.map(\.number))
    self.kept = goesOn ? kept ?? Kept() : Kept(begin: kept?.begin)
    pagesBefore = self.kept.pages
    seen = goesOn ? stored : []
    if goesOn {
      for list in lists.sorted(on: \.number) {
        seen.formUnion(list.places)
        add(PlaceList(number: list.number, places: list.places.filter { !stored.contains($0) }))
      }
    } else {
      entries = [Entry(place: self.kept.begin, list: nil)]
      if let begin = self.kept.begin { seen.insert(begin) }
    }
  }

  private mutating func add(_ list: PlaceList) {
    openPlaces[list.number] = list.places.count
    entries += list.places.map { Entry(place: $0, list: list.number) }
  }

  /// Whether every page is stored.
  var hasEnded: Bool { stored == entries.count }

  /// Pages that are known and not stored.
  var openCount: Int { entries.count - stored }

  /// Pages that are asked for.
  var askedCount: Int { begun - stored - arrivedCount }

  /// Whether a page may be asked for.
  var hasKnown: Bool { begun < entries.count }

  /// The next place to ask for.
  mutating func ask() -> String?? {
    guard hasKnown else { return nil }
    entries[begun].state = .asked
    begun += 1
    return .some(entries[begun - 1].place)
  }

  /// Takes in a page, and the places that it leads to.
  ///
  /// - Throws: ``FeedError/Code/repeatedPlace``.
  mutating func take(_ page: FeedPage, at place: String?) throws {
    guard let index = (stored..<begun).first(where: { entries[$0].place == place }) else { return }
    var places = page.places.filter { seen.insert($0).inserted }
    if let next = page.next {
      if seen.insert(next).inserted {
        places.append(next)
      } else if !page.places.contains(next) {
        throw FeedError(
          .repeatedPlace, feed: feed.name, place: place,
          message: """
            It leads to “\(next)”, which was asked for before in this run, so the feed has no end. Look at the \
            cursor that the closure returns as next.
            """, underlying: nil)
      }
    }
    var led: PlaceList?
    if !places.isEmpty {
      lastList += 1
      let list = PlaceList(number: lastList, places: places)
      add(list)
      led = list
    }
    entries[index].state = .arrived(page, led)
    arrivedCount += 1
  }

  /// The page that is stored next, if it has arrived.
  var front: (place: String?, page: FeedPage)? {
    guard !hasEnded, case .arrived(let page, _) = entries[stored].state else { return nil }
    return (entries[stored].place, page)
  }

  /// The writes that go with the page at the front.
  var stepOfFront: Step {
    guard !hasEnded, case .arrived(let page, let led) = entries[stored].state else { return step }
    let (place, list) = (entries[stored].place, entries[stored].list)
    var kept = kept
    var lists = kept.lists ?? []
    if let list, openPlaces[list] == 1 { lists.removeAll { $0 == list } }
    if let led { lists.append(led.number) }
    kept.lists = lists
    kept.pages += 1
    if let total = page.total { kept.total = (kept.total ?? total) == total ? total : -1 }
    kept.resume = page.resume ?? page.next ?? kept.resume ?? place
    return Step(kept: kept, led: led, removed: listsInStore.subtracting(lists).sorted())
  }

  /// Drops the page at the front.
  ///
  /// - Parameter isCommitted: Whether its step is in the store; false where the page is put aside
  ///   to be stored with the others.
  mutating func removeFront(isCommitted: Bool) {
    guard front != nil, let next = stepOfFront.kept else { return }
    kept = next
    if isCommitted { listsInStore = Set(next.lists ?? []) }
    if let list = entries[stored].list { openPlaces[list, default: 0] -= 1 }
    entries[stored].state = .stored
    stored += 1
    arrivedCount -= 1
  }

  /// The writes for all pages so far, where they are committed together.
  var step: Step {
    Step(kept: kept, removed: listsInStore.subtracting(kept.lists ?? []).sorted())
  }

  /// Counts items of stored pages.
  mutating func count(_ items: Int) { self.items += items }

  /// The writes when the run has ended: the place at which changes go on.
  var lastStep: Step {
    let resume = feed.kind == .changes ? kept.resume ?? kept.begin : nil
    return Step(kept: resume.map { Kept(begin: $0) }, removed: listsInStore.sorted())
  }

  /// The writes when the run is given up: the place at which it began.
  func stepBack(forgetsPlace: Bool) -> Step {
    let begin = forgetsPlace ? nil : kept.begin
    return Step(kept: begin.map { Kept(begin: $0) }, removed: listsInStore.sorted())
  }
}
