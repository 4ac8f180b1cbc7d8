import SyncCore
public import SyncEngine

/// The outcome of an ``Import``.
///
/// ```
/// Team: 3 pages, 250 items
/// Player: 12 pages, 1,180 items, 4 pages before
/// Player: 31 inserted, 7 updated (name), 2 deleted, 1140 unchanged
/// ```
public struct ImportReport: Sendable {
  /// The pages of one feed.
  public struct FeedReport: Sendable, Hashable {
    /// The name of the feed.
    public let name: String
    /// Pages that this run has stored.
    public let pages: Int
    /// Pages of the same import that an earlier run had stored, which was stopped afterwards.
    public let pagesBefore: Int
    /// Items of the pages that this run has stored.
    public let items: Int
  }

  /// The feeds, in the order in which they were written.
  public let feeds: [FeedReport]

  /// The changes and findings of all pages and of the deletions at the end. An object of which
  /// several pages speak counts once for each.
  public let changes: SyncReport

  /// The report of a feed by its name; nil where no feed has it.
  public subscript(feed: String) -> FeedReport? { feeds.first { $0.name == feed } }

  /// Pages of all feeds that this run has stored.
  public var pages: Int { feeds.reduce(0) { $0 + $1.pages } }
}

extension ImportReport: CustomStringConvertible {
  public var description: String {
    let lines = feeds.map { feed in
      func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
      }
      let before = feed.pagesBefore == 0 ? "" : ", \(count(feed.pagesBefore, "page")) before"
      return "\(feed.name): \(count(feed.pages, "page")), \(count(feed.items, "item"))\(before)"
    }
    return (lines + [changes.description]).joined(separator: "\n")
  }
}

/// How far an ``Import`` is.
public struct ImportProgress: Sendable, Hashable {
  /// How far one feed is.
  public struct FeedProgress: Sendable, Hashable {
    /// The name of the feed.
    public let name: String
    /// Pages that are stored, those of earlier runs among them.
    public let storedPages: Int
    /// Pages that are known, stored ones among them. A chain of cursors knows one page ahead.
    public let knownPages: Int
    /// Items of the pages that this run has stored.
    public let items: Int
    /// Whether every page is stored.
    public let hasEnded: Bool
  }

  /// The feeds, in the order in which they were written.
  public let feeds: [FeedProgress]

  /// Pages of all feeds that are stored.
  public var storedPages: Int { feeds.reduce(0) { $0 + $1.storedPages } }
  /// Pages of all feeds that are known.
  public var knownPages: Int { feeds.reduce(0) { $0 + $1.knownPages } }
  /// Items of the pages of all feeds that this run has stored.
  public var items: Int { feeds.reduce(0) { $0 + $1.items } }
}
