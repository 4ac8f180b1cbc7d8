/// What becomes of an update whose object the server does not have any more.
public enum OutboxGonePolicy: String, Sendable, Hashable, CaseIterable {
  /// It is kept, and listed as refused.
  case refuse
  /// The object is deleted here too.
  case deleteHere
  /// The object is sent as a new one.
  case insertAgain
}

/// What becomes of a change whose object has changed on the server.
public enum OutboxConflictPolicy: String, Sendable, Hashable, CaseIterable {
  /// The server's version is taken over as by a sync: what was edited here stays, property by
  /// property, and is sent again on top. Without the server's version the change is refused.
  case merge
  /// The edits are given up, and the server's version is taken over.
  case takeServer
  /// It is kept, and listed as refused.
  case refuse
}
