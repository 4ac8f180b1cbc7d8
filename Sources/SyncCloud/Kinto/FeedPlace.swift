/// A place in the changes of a collection, which its token says. Numbers are `last_modified` of
/// records: milliseconds of the server's clock, of which no two in a collection are equal.
///
/// A server with several workers on PostgreSQL may commit a version some seconds after later ones,
/// so the versions that were read last are read again until the server's clock is ``overlap`` past
/// them. Only their times are asked for: versions among ``known`` need not come once more. After
/// that a place is settled, and asking for changes is one request, which an unchanged server
/// answers without a body.
struct FeedPlace: Sendable, Equatable {
  /// How long an earlier version may still appear, in milliseconds.
  static let overlap: Int64 = 5000

  /// How many versions a token remembers; the oldest are forgotten, and read again.
  private static let remembered = 2000

  /// The time after which the next page begins.
  private(set) var start: Int64 = 0

  /// Up to which nothing new can appear any more, once the place is no longer in the midst of
  /// pages.
  private(set) var settled: Int64 = 0

  /// The latest version that was seen, or that the server says there is.
  private(set) var newest: Int64 = 0

  /// Versions after ``settled`` that the holder of the token knows, in order.
  private(set) var known: [Int64] = []

  /// Whether all up to ``newest`` was asked for. It was not when ``newest`` is a version that the
  /// holder of the token wrote: versions that others wrote before it may be missing.
  private(set) var isWhole = true

  /// The beginning.
  init() {}

  /// Whether all that is known of is settled.
  var isSettled: Bool { start == settled && settled == newest }

  /// Whether more pages of one pull were to come.
  var isAmongPages: Bool { start != settled }

  // MARK: - Going on

  /// Whether the server's clock says that no earlier version than the newest appears any more.
  func settles(at clock: Int64?) -> Bool {
    clock.map { $0 - FeedPlace.overlap >= newest } ?? false
  }

  /// Begins the next page later, because everything before is known.
  mutating func skip(to time: Int64) { start = max(start, time) }

  /// Goes over a page.
  ///
  /// - Parameters:
  ///   - times: The versions in it.
  ///   - newest: The latest version there is.
  ///   - clock: The server's clock, before it answered.
  ///   - isFirst: Whether it was the first page of a pull.
  ///   - hasMore: Whether another one follows.
  mutating func pass(
    _ times: [Int64], newest latest: Int64?, clock: Int64?, isFirst: Bool, hasMore: Bool
  ) {
    newest = max(newest, latest ?? 0, times.max() ?? 0)
    // The place that the first page of a pull settles holds for all its pages.
    if isFirst { settled = max(settled, min(newest, (clock ?? newest) - FeedPlace.overlap)) }
    keep(times)
    isWhole = true
    start = hasMore ? times.last ?? start : settled
  }

  /// Notes versions that the holder of the token has written, so that they need not be shown.
  mutating func remember(_ times: [Int64]) {
    guard let latest = times.max(), latest > settled else { return }
    if latest > newest { (newest, isWhole) = (latest, false) }
    keep(times)
  }

  private mutating func keep(_ times: [Int64]) {
    let all = Set(known).union(times).filter { $0 > settled }
    known = all.sorted().suffix(FeedPlace.remembered)
  }

  // MARK: - Text

  /// `1795232914360`, or the numbers, those that are known as distances from ``settled``, and a
  /// mark when something may be missing:
  /// `1795232909360+1795232909360+1795232914360?+4990.4995.5000`.
  var text: String {
    if isSettled { return String(start) }
    let distances = known.map { String($0 - settled) }.joined(separator: ".")
    return "\(start)+\(settled)+\(newest)\(isWhole ? "" : "?")+\(distances)"
  }

  /// Reads a token; nil when it is none.
  init?(_ text: String) {
    var parts = text.split(separator: "+", omittingEmptySubsequences: false)
    if parts.count == 4, parts[2].hasSuffix("?") {
      isWhole = false
      parts[2].removeLast()
    }
    let numbers = parts.prefix(3).compactMap { Int64($0).flatMap(KintoAnswer.time) }
    switch (parts.count, numbers.count) {
    case (1, 1): (start, settled, newest) = (numbers[0], numbers[0], numbers[0])
    case (4, 3):
      (start, settled, newest) = (numbers[0], numbers[1], numbers[2])
      let distances = parts[3].split(separator: ".").map { Int64($0).flatMap(KintoAnswer.time) }
      guard !distances.contains(nil) else { return nil }
      known = distances.compactMap { $0.map { $0 + settled } }
    default: return nil
    }
  }
}
