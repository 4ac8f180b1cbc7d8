/// A server that keeps records, as remote sync sees it: six calls, and some that are optional.
///
/// Write one of your own to sync with another kind of server. It keeps these rules:
///
/// - ``save(_:in:)`` answers in the order of the saves. When it throws, nothing is known about any
///   of it: the engine changes nothing, pulls, and sends again the edits that still wait. So throw
///   when an answer was lost, cut or not understood, and when the server says of any part of a
///   batch that it failed inside.
/// - Guards are the server's part: a ``CloudSave/create(name:content:)`` never writes over a record
///   that is there, and the other two never over a version that is not the one of their tag.
/// - ``changes(in:after:limit:)`` may show a change more than once, but a token that was handed out
///   never passes over one that could still appear.
/// - Tags and tokens are opaque to the engine, which compares tags for equality only.
/// - Every call can be cancelled. Errors are ``CloudError``; its code decides how the engine goes
///   on.
///
/// Calls of one engine follow each other, but for those that fetch files; several engines may share
/// a transport. Files are records of two zones of their own, and are fetched with
/// ``record(_:in:)``.
public protocol CloudTransport: Sendable {
  /// The account that is signed in, by a name that never changes; the engine refuses to go on as
  /// another one.
  func account() async throws -> String

  /// How much the server takes and gives at once.
  func limits() async throws -> CloudLimits

  /// Looks at a zone.
  ///
  /// - Parameters:
  ///   - zone: Which one.
  ///   - create: Whether to make it when it is not there.
  /// - Throws: ``CloudError`` with ``CloudError/Code/zoneMissing`` when it is not there and not to
  ///   be made.
  func open(_ zone: CloudZone, create: Bool) async throws -> CloudZoneState

  /// Reads records in the order in which they were changed.
  ///
  /// - Parameters:
  ///   - zone: Which one.
  ///   - token: The place after which to begin; nil is the beginning.
  ///   - limit: How many records at most.
  func changes(in zone: CloudZone, after token: CloudToken?, limit: Int) async throws -> CloudPage

  /// Reads one record as it is now; nil when there is none, or another program has deleted it.
  ///
  /// The default implementation reads the changes from the beginning.
  func record(_ name: String, in zone: CloudZone) async throws -> CloudRecord?

  /// Writes records.
  ///
  /// - Returns: The result of each, in their order.
  /// - Throws: When nothing is known about any of them.
  func save(_ saves: [CloudSave], in zone: CloudZone) async throws -> [CloudSaveResult]

  /// Removes a zone with its records. Does nothing when there is none.
  func remove(_ zone: CloudZone) async throws

  /// The same place in the changes, for an engine that knows these versions of records, because it
  /// has written them or was shown them by ``save(_:in:)``: they need not be shown again. The token
  /// itself unless a transport can do better; it must never pass over a version that is not among
  /// them.
  func token(_ token: CloudToken, knowing records: [CloudRecord]) -> CloudToken

  /// Something each time that a zone has changed on the server, from now on, or may have; nil when
  /// the server has nothing like that. An engine that was started asks for the changes then, and
  /// else only at the longest interval; when the stream ends it asks for another one a little
  /// later. Signals that come faster than they are taken may be dropped.
  func signals(for zone: CloudZone) -> AsyncStream<Void>?

  /// Before when the server does not want to be asked, though its last answer was a good one; nil
  /// is at once.
  var restsUntil: ContinuousClock.Instant? { get }

  /// The accounts that a zone is shared with; its owner is not among them. The owner and the
  /// participants may ask.
  ///
  /// The default implementation throws ``CloudError/Code/unsupported``, as for the next two.
  func participants(of zone: CloudZone) async throws -> [CloudParticipant]

  /// Shares a zone of the account's own with these accounts and no others. Called with an empty
  /// list when the zone was made, before there are records in it.
  ///
  /// An account that is not among them any more sees nothing of the zone from then on, by whatever
  /// request, its own records included: for it the zone is missing. Where that takes another place
  /// for the records, the others get ``CloudError/Code/tokenRefused`` for the tokens they have, and
  /// read the zone anew.
  func setParticipants(_ participants: [CloudParticipant], of zone: CloudZone) async throws

  /// Gives up the account's part in a zone that another account shares. Servers on which only the
  /// owner can do that do nothing.
  func leave(_ zone: CloudZone) async throws
}

extension CloudTransport {
  public func token(_ token: CloudToken, knowing records: [CloudRecord]) -> CloudToken { token }

  public func signals(for zone: CloudZone) -> AsyncStream<Void>? { nil }

  public var restsUntil: ContinuousClock.Instant? { nil }

  public func record(_ name: String, in zone: CloudZone) async throws -> CloudRecord? {
    let limit = try await limits().page
    var found: CloudRecord?
    var token: CloudToken?
    while true {
      let page = try await changes(in: zone, after: token, limit: limit)
      found = page.records.last { $0.name == name } ?? found
      guard page.hasMore else { return found?.content == nil ? nil : found }
      token = page.token
    }
  }
}

/// A set of records with changes of its own.
///
/// A zone that another account shares has an owner, and is missing for accounts that it is not
/// shared with.
public struct CloudZone: Sendable, Hashable {
  /// Whose data a zone holds.
  public enum Scope: String, Sendable, Hashable, CaseIterable {
    /// Those of the account that is signed in.
    case `private`
    /// Those of everybody.
    case `public`
  }

  /// Its name, which the account has once in a scope.
  public let name: String
  /// Whose data it holds.
  public let scope: Scope

  /// The account whose zone it is; nil when it is the one that is signed in, or the zone is public.
  public let owner: String?

  public init(_ name: String, scope: Scope = .private, owner: String? = nil) {
    self.name = name
    self.scope = scope
    self.owner = owner
  }

  /// The zone in which an engine keeps the records of a scope.
  package init(_ scope: Scope) {
    self.init(scope.rawValue, scope: scope)
  }
}

/// A zone as a server describes it.
public struct CloudZoneState: Sendable, Hashable {
  /// The rights of an account in a zone.
  public enum Access: String, Sendable, Hashable, CaseIterable {
    /// Reading alone: changes are refused.
    case readOnly
    /// Reading, and sending changes.
    case readWrite
  }

  /// Drawn when the zone is made, so that it is told from one of the same name that was made later.
  public let generation: String
  /// The rights of the account that asks.
  public let access: Access

  public init(generation: String, access: Access = .readWrite) {
    self.generation = generation
    self.access = access
  }
}

/// How much a server takes and gives at once.
public struct CloudLimits: Sendable, Hashable {
  /// Records in one ``CloudTransport/save(_:in:)``.
  public let batch: Int

  /// Records in one page of changes.
  public let page: Int

  /// Makes limits; each is at least 1 and at most 100,000, whatever a server says.
  public init(batch: Int, page: Int) {
    self.batch = min(max(batch, 1), 100_000)
    self.page = min(max(page, 1), 100_000)
  }
}

/// A place in the changes of a zone. Only the transport that made it can read it.
public struct CloudToken: Sendable, Hashable, RawRepresentable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

/// Changes of a zone, in order.
public struct CloudPage: Sendable, Hashable {
  /// The records as they are now, each once, in the order of their changes.
  public let records: [CloudRecord]

  /// Where the next page begins.
  public let token: CloudToken

  /// Whether there is more to read at once.
  public let hasMore: Bool

  /// When the latest change of the whole zone was written, as ``CloudRecord/time`` says it; nil
  /// when the server does not say. A time earlier than one that was seen before means that the
  /// server was taken back to a backup.
  public let newest: Int64?

  public init(records: [CloudRecord], token: CloudToken, hasMore: Bool, newest: Int64? = nil) {
    self.records = records
    self.token = token
    self.hasMore = hasMore
    self.newest = newest
  }
}
