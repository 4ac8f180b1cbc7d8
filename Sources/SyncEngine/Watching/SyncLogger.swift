import Foundation
import SyncCore
public import SyncGraph
import Synchronization

/// Writes a line for every object that is inserted, updated or deleted, by any writer, and for
/// every change that an outbox has sent, or a server refused.
///
/// ```swift
/// let log = SyncLogger(stack) { print($0) }
/// // User 6 updated: email, updatedAt
/// // Note 301 inserted
/// // Note 12 deleted
/// // Order 17 sent: updated status
/// // Order 18 refused: updated status (Status 422: too late)
/// ```
///
/// Lines come after the commit, in commit order, each once, on the stack's delivery queue: a slow
/// writer delays only later observers. Unchanged objects are never mentioned. Logging ends when the
/// logger is let go of, or cancelled.
///
/// With `values: true` the lines give the values of the properties before and now, of deleted
/// objects too:
///
/// ```swift
/// let log = SyncLogger(stack, values: true) { print($0) }
/// // User 6 updated: email nil → “ann@example.org”, notes
/// // Note 12 deleted: id 12, text “Hello”, user 6
/// ```
///
/// While such a logger exists each transaction keeps the rows that it changes, in SQLite's
/// temporary database; the values of the first 10,000 objects of a commit are told, the others are
/// named without. Of commits of other processes no values are known.
///
/// The stack is not kept alive.
public final class SyncLogger: Sendable {
  /// How a change becomes a line.
  public enum Format: Sendable {
    /// As a person would say it: `User 6 updated: email, updatedAt`.
    case text
    /// A line of JSON each:
    ///
    /// ```json
    /// {"entity":"User","change":"updated","row":2,"key":6,"properties":["email"],"generation":4}
    /// ```
    case ndjson
    /// The text that the closure makes of it; nil leaves the change out.
    case custom(@Sendable (LoggedChange) -> String?)

    func line(_ change: LoggedChange) -> String? {
      switch self {
      case .text: change.description
      case .ndjson: change.jsonLine
      case .custom(let line): line(change)
      }
    }
  }

  private let observers: Locked<[ObserverToken]>
  private let demand: ValueDemand?

  /// Logs the changes of all entities.
  ///
  /// - Parameters:
  ///   - values: Whether lines have old and new values. False by default, because each write costs
  ///     more then.
  ///   - kinds: The kinds of changes that are logged.
  ///   - isLogged: Asked about each change that the kinds let through, as in
  ///     `{ $0.author == "me" }` or `{ $0.properties.contains("email") }`; nil logs all of them.
  ///   - write: Called with one line at a time, without line break.
  public convenience init(
    _ stack: DataStack, format: Format = .text, values: Bool = false,
    kinds: Set<LoggedChange.Kind> = Set(LoggedChange.Kind.allCases),
    where isLogged: (@Sendable (LoggedChange) -> Bool)? = nil,
    _ write: @escaping @Sendable (String) -> Void
  ) {
    self.init(stack, format, values, entities: nil, kinds, isLogged, write)
  }

  /// Logs the changes of some entities and those below them.
  ///
  /// - Throws: ``ModelError`` when the model has no entity of one of the names.
  public convenience init(
    _ stack: DataStack, format: Format = .text, values: Bool = false, entities: [String],
    kinds: Set<LoggedChange.Kind> = Set(LoggedChange.Kind.allCases),
    where isLogged: (@Sendable (LoggedChange) -> Bool)? = nil,
    _ write: @escaping @Sendable (String) -> Void
  ) throws {
    let entities = try entities.map { try stack.model.requireEntity(named: $0) }
    self.init(stack, format, values, entities: entities, kinds, isLogged, write)
  }

  private init(
    _ stack: DataStack, _ format: Format, _ values: Bool, entities: [EntityDescription]?,
    _ kinds: Set<LoggedChange.Kind>, _ isLogged: (@Sendable (LoggedChange) -> Bool)?,
    _ write: @escaping @Sendable (String) -> Void
  ) {
    // Earlier commits that are still being delivered are not logged.
    let hasBegun = Flag()
    demand = values ? stack.valueDemand : nil
    demand?.begin()
    stack.delivery.post { hasBegun.set() }
    @Sendable func log(_ change: LoggedChange) {
      guard kinds.contains(change.kind) else { return }
      let entity = change.objectID.entity
      if let entities, !entities.contains(where: { entity.isKind(of: $0) }) { return }
      if let isLogged, !isLogged(change) { return }
      if let line = format.line(change) { write(line) }
    }
    let center = NotificationCenter.default
    let commits = center.addObserver(forName: .dataStackDidChange, object: stack, queue: nil) {
      guard hasBegun.isSet else { return }
      for change in $0.changeSet.loggedChanges { log(change) }
    }
    let answers = center.addObserver(
      forName: Notification.stackDidLog, object: stack, queue: nil
    ) {
      if hasBegun.isSet, let change = $0.loggedChange { log(change) }
    }
    observers = Locked([ObserverToken(token: commits), ObserverToken(token: answers)])
  }

  deinit {
    cancel()
  }

  /// Ends logging; a line that is being written may still arrive.
  public func cancel() {
    let ended = observers.withLock { observers in
      defer { observers = [] }
      return observers
    }
    guard !ended.isEmpty else { return }
    for observer in ended { NotificationCenter.default.removeObserver(observer.token) }
    demand?.end()
  }
}

/// The token with which the notification center ends an observation.
///
/// Unchecked: it is handed over once and never looked into; removing an observer is safe on any
/// thread.
private struct ObserverToken: @unchecked Sendable {
  let token: any NSObjectProtocol
}

/// Something that happens once.
private final class Flag: Sendable {
  private let state = Atomic<Bool>(false)

  var isSet: Bool { state.load(ordering: .acquiring) }

  func set() { state.store(true, ordering: .releasing) }
}
