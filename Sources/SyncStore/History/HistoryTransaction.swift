public import Foundation
public import SyncCore

/// A place in the history of a store: everything up to and including one transaction.
public struct HistoryToken: Sendable, Hashable, Comparable, Codable {
  /// Number of the transaction in the history; numbers grow and are never used again.
  public let number: Int64

  public init(number: Int64) {
    self.number = number
  }

  /// Before everything that was ever recorded.
  public static let start = HistoryToken(number: 0)

  public static func < (left: HistoryToken, right: HistoryToken) -> Bool {
    left.number < right.number
  }
}

/// One committed transaction as the history keeps it.
public struct HistoryTransaction: Sendable {
  /// The place behind it, from which a reader goes on.
  public let token: HistoryToken

  /// The commit's number, as in ``ChangeSet/generation``.
  public let generation: Int64
  /// When it was committed.
  public let date: Date
  /// The author that the context or the operation named; nil when it named none.
  public let author: String?
  /// Name of the context or the operation that made it; nil when it has none.
  public let contextName: String?

  /// Name of the program that wrote.
  public let process: String
  /// Where the changes come from.
  public let source: HistorySource

  /// Each object once, in model order: inserted, updated, deleted.
  public internal(set) var changes: [HistoryChange]
}

/// The change of one object by a transaction.
public struct HistoryChange: Sendable, Hashable {
  /// The kind of change.
  public enum Kind: Int64, Sendable, Hashable {
    /// The object is new.
    case insert = 0
    /// Properties of it were changed; ``HistoryChange/properties`` names them.
    case update = 1
    /// It was deleted; ``HistoryChange/tombstone`` has the values kept of it.
    case delete = 2
  }

  /// Name of the entity, which a later model may no longer have.
  public let entity: String
  /// Number of the object's row.
  public let row: Int64
  /// The kind of the change.
  public let kind: Kind

  /// Names of the properties that an update changed.
  public let properties: [String]

  /// Of a deleted object the primary key and the attributes that the model says are kept.
  public let tombstone: [String: Value]
}

/// A reader of the history.
package struct HistoryConsumer: Sendable, Hashable {
  package let name: String

  /// How far it has read.
  package var token: HistoryToken

  /// Whether history that it has not read yet must not be purged.
  package var isDurable: Bool

  /// How many transactions, and how many seconds, it may lag behind before it is dropped; nil is no
  /// limit.
  package var maximumLag: Int64?
  package var maximumAge: Double?

  package init(
    name: String, token: HistoryToken, isDurable: Bool, maximumLag: Int64? = nil,
    maximumAge: Double? = nil
  ) {
    self.name = name
    self.token = token
    self.isDurable = isDurable
    self.maximumLag = maximumLag
    self.maximumAge = maximumAge
  }
}

/// The author of a transaction, for the change set and the history.
package struct TransactionInfo: Sendable, Hashable {
  /// The author of the context or sync, if it has one.
  package var author: String?

  /// Name of the context or operation.
  package var contextName: String?

  /// The number of the context that writes; 0 is none.
  package var origin: UInt64

  /// Where the changes come from.
  package typealias Source = HistorySource

  package var source: Source

  package init(
    author: String? = nil, contextName: String? = nil, origin: UInt64 = 0, source: Source = .local
  ) {
    self.author = author
    self.contextName = contextName
    self.origin = origin
    self.source = source
  }
}

/// Whose transactions of a history are meant. A transaction has the author of the context or sync
/// that made it, or none.
public enum HistoryAuthors: Sendable, Hashable {
  /// All, with and without an author.
  case all

  /// Those of the authors of these names.
  case only(Set<String>)

  /// All but those of the authors of these names; those without an author belong to it.
  case except(Set<String>)

  /// Whether a transaction of that author is meant.
  package func include(_ author: String?) -> Bool {
    switch self {
    case .all: true
    case .only(let names): author.map(names.contains) ?? false
    case .except(let names): author.map { !names.contains($0) } ?? true
    }
  }

  /// The names, as SQLite reads lists; nil when they do not matter.
  var names: String? {
    switch self {
    case .all: nil
    case .only(let names), .except(let names): JSONList.names(names)
    }
  }

  /// The condition, behind others.
  func condition(parameter: Int) -> String {
    switch self {
    case .all: ""
    case .only: " AND author IN (SELECT value FROM json_each(?\(parameter)))"
    case .except:
      " AND (author IS NULL OR author NOT IN (SELECT value FROM json_each(?\(parameter))))"
    }
  }
}
