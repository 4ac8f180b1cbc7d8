public import SyncCore

/// Why an ``Import`` has ended before its time. Everything that was committed stays, and nothing
/// was deleted; an import with a name goes on at the same request.
///
/// A closure of a ``Feed`` may throw one to say how its request has ended:
///
/// ```swift
/// throw FeedError(.busy, retryAfter: 30, message: "The quota is used up.")
/// ```
public struct FeedError: Error, Sendable {
  /// The kind of the error, and with it whether the request is made again.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The server is busy, down or out of reach: the request is made again, after
    /// ``FeedError/retryAfter`` or a growing pause. An error of any other type counts as this one.
    case busy
    /// The access has expired: ``Import/renewAccess`` runs once, and the request is made again.
    case signedOut
    /// The answer is no JSON: the request is made again.
    case unreadable
    /// The server refuses the request, for good.
    case refused
    /// The page cannot be stored, as with a deletion that the guard refuses; see
    /// ``FeedError/underlying``.
    case notStored
    /// A page leads to a place that was asked for before in the run, so the feed has no end.
    case repeatedPlace
    /// The feeds do not fit each other: two of one name, a name that no feed has, a circle of feeds
    /// that wait for each other, changes in an import without a name.
    case invalidFeeds
  }

  /// The kind of the error.
  public let code: Code
  /// The name of the feed; nil where it is about the whole import.
  public internal(set) var feed: String?
  /// The place that was asked for; nil is the beginning.
  public internal(set) var place: String?
  /// The status of the server's answer; nil where there was none.
  public let status: Int?
  /// Seconds after which the server wants to be asked again; nil where it does not say.
  public let retryAfter: Double?
  /// The error that led to this one; nil where there is none.
  public let underlying: (any Error)?
  /// A sentence that tells the error and its remedy.
  public let message: String

  /// Makes an error, for closures that fetch.
  ///
  /// - Parameters:
  ///   - status: The status of the server's answer.
  ///   - seconds: Seconds after which the server wants to be asked again, a day at most.
  ///   - message: A sentence for people.
  public init(
    _ code: Code, status: Int? = nil, retryAfter seconds: Double? = nil, message: String
  ) {
    self.init(code, status: status, retryAfter: seconds, message: message, underlying: nil)
  }

  init(
    _ code: Code, feed: String? = nil, place: String? = nil, status: Int? = nil,
    retryAfter seconds: Double? = nil, message: String, underlying: (any Error)?
  ) {
    self.code = code
    self.feed = feed
    self.place = place
    self.status = status
    retryAfter = seconds.map(Seconds.clamped)
    self.underlying = underlying
    self.message = message
  }

  /// An error of a request, which says the feed and the place.
  static func of(_ error: any Error, _ feed: String, _ place: String?) -> FeedError {
    guard var error = error as? FeedError else {
      return FeedError(.busy, feed: feed, place: place, message: "\(error)", underlying: error)
    }
    error.feed = error.feed ?? feed
    error.place = error.place ?? place
    return error
  }

  /// Whether a further request may help.
  var mayPass: Bool { code == .busy || code == .unreadable }
}

extension FeedError: ExplainedError {
  public var description: String {
    guard let feed else { return message }
    return "Feed “\(feed)”, \(place.map { "page “\($0)”" } ?? "first page"): \(message)"
  }
}
