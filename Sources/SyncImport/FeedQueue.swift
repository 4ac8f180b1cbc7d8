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
/// store keeps (``Kept``) knows of stored pages alone: a page that arrived and was not stored is
/// asked for again by the next run, and says again where the feed goes on.
struct FeedQueue {
  /// The state of a feed between two commits, as the store keeps it.
  struct Kept: Codable, Equatable {
    /// Where a run of changes begins; nil is the beginning.
    var begin: String?
    /// Places that stored pages led to and that are not stored; nil is a run that has not begun.
    var pending: [String]?
    var pages = 0
    /// The number of all items, as the pages say it; -1 when they say different ones.
    var total: Int?
    /// The place at which the next run of changes begins, as far as the pages say.
    var resume: String?
  }

  private enum State {
    case known
    case asked
    case arrived(FeedPage)
  }

  private struct Entry {
    let place: String?
    var state = State.known
  }

  let feed: Feed
  private var entries: [Entry]
  /// How many of them, from the front, are asked for or have arrived.
  private var begun = 0
  /// Pages that have arrived and are not stored.
  private(set) var arrivedCount = 0
  /// Every place that was known in the run.
  private var seen: Set<String>
  private(set) var kept: Kept

  /// Pages that a run before this one has stored.
  let pagesBefore: Int

  /// Items of the pages that this run has stored.
  private(set) var items = 0

  /// - Parameters:
  ///   - kept: The state that the store keeps; nil where there is none.
  ///   - stored: The places whose pages the session has. Without any it was finished or abandoned,
  ///     and the feed begins anew, whatever the state says: deletions need every page.
  init(_ feed: Feed, _ kept: Kept?, stored: Set<String>) {
    self.feed = feed
    let goesOn = kept?.pending != nil && !stored.isEmpty
    self.kept = goesOn ? kept ?? Kept() : Kept(begin: kept?.begin)
    pagesBefore = self.kept.pages
    seen = goesOn ? stored : []
    entries = (self.kept.pending?.map { Entry(place: $0) }) ?? [Entry(place: self.kept.begin)]
    seen.formUnion(entries.compactMap(\.place))
  }

  /// Whether every page is stored.
  var hasEnded: Bool { entries.isEmpty }

  /// Pages that are known and not stored.
  var openCount: Int { entries.count }

  /// Pages that are asked for.
  var askedCount: Int { begun - arrivedCount }

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
    guard let index = entries.prefix(begun).firstIndex(where: { $0.place == place }) else { return }
    entries[index].state = .arrived(page)
    arrivedCount += 1
    entries += page.places.filter { seen.insert($0).inserted }.map { Entry(place: $0) }
    guard let next = page.next else { return }
    if seen.insert(next).inserted {
      entries.append(Entry(place: next))
    } else if !page.places.contains(next) {
      throw FeedError(
        .repeatedPlace, feed: feed.name, place: place,
        message: """
          It leads to “\(next)”, which was asked for before in this run, so the feed has no end. Look at the \
          cursor that the closure returns as next.
          """, underlying: nil)
    }
  }

  /// The page that is stored next, if it has arrived.
  var front: (place: String?, page: FeedPage)? {
    guard let entry = entries.first, case .arrived(let page) = entry.state else { return nil }
    return (entry.place, page)
  }

  /// The state that the store keeps once the page at the front is stored.
  var keptAfterFront: Kept {
    guard let (place, page) = front else { return kept }
    var kept = kept
    var pending = kept.pending?.filter { $0 != place } ?? []
    let led = page.places + [page.next].compactMap(\.self)
    if !led.isEmpty {
      var known = Set(pending)
      let open = Set(entries.dropFirst().compactMap(\.place))
      pending += led.filter { open.contains($0) && known.insert($0).inserted }
    }
    kept.pending = pending
    kept.pages += 1
    if let total = page.total { kept.total = (kept.total ?? total) == total ? total : -1 }
    kept.resume = page.resume ?? page.next ?? kept.resume ?? place
    return kept
  }

  /// Drops the page at the front: it is stored, or put aside to be stored with the others.
  mutating func removeFront() {
    kept = keptAfterFront
    entries.removeFirst()
    begun -= 1
    arrivedCount -= 1
  }

  /// Counts items of stored pages.
  mutating func count(_ items: Int) { self.items += items }

  /// The state to keep when the run has ended: the place at which changes go on.
  var keptAfterRun: Kept? {
    guard feed.kind == .changes, let resume = kept.resume ?? kept.begin else { return nil }
    return Kept(begin: resume)
  }
}

extension FeedQueue.Kept {
  /// Reads the form that the store keeps; nil for a value that is none.
  init?(_ value: Value) {
    guard case .string(let text) = value,
      let kept = try? JSONDecoder().decode(Self.self, from: Data(text.utf8))
    else { return nil }
    self = kept
  }

  /// The form that the store keeps.
  var value: Value? {
    (try? JSONEncoder().encode(self)).map { .string(String(decoding: $0, as: UTF8.self)) }
  }
}
