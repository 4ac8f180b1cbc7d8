/// The fate of an update whose object the server does not have any more.
public enum OutboxGonePolicy: String, Sendable, Hashable, CaseIterable {
  /// It is kept, and listed as refused.
  case refuse
  /// The object is deleted here too.
  case deleteHere
  /// The object is sent as a new one.
  case insertAgain
}

/// The fate of a change whose object has changed on the server.
public enum OutboxConflictPolicy: String, Sendable, Hashable, CaseIterable {
  /// The server's version is taken over as by a sync: edits made here stay, property by property,
  /// and are sent again on top. Without the server's version the change is refused.
  case merge
  /// The edits are given up, and the server's version is taken over.
  case takeServer
  /// It is kept, and listed as refused.
  case refuse
}

/// When an outbox that was started sends; see ``Outbox/start(pace:clock:)``.
public struct OutboxPace: Sendable, Hashable {
  /// How long after a commit its edits are sent; further commits until then go with it. Default: 2
  /// seconds. After a run to which the server did not answer the first wait is as long, and each
  /// further one twice as long as the one before.
  public var delay: Duration

  /// The longest of those waits. Default: 5 minutes.
  public var longest: Duration

  public init(delay: Duration = .seconds(2), longest: Duration = .seconds(300)) {
    self.delay = max(delay, .zero)
    self.longest = max(longest, self.delay, .milliseconds(10))
  }
}
