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

/// Where changes come from, for readers of the history: whoever sends changes to a server passes
/// over what came from there.
public enum HistorySource: String, Sendable, Hashable {
  /// Made in this program: by saving a context, or by a batch.
  case local
  /// Made by a sync.
  case `import`
  /// Made when the store was brought to another model.
  case migration
}

/// One committed transaction as the history keeps it.
public struct HistoryTransaction: Sendable {
  public let token: HistoryToken

  /// The commit's number, as in ``ChangeSet/generation``.
  public let generation: Int64
  public let date: Date
  public let author: String?
  public let contextName: String?

  /// Name of the program that wrote.
  public let process: String
  public let source: HistorySource

  /// Each object once, in model order: inserted, updated, deleted.
  public internal(set) var changes: [HistoryChange]
}

/// What a transaction did to one object.
public struct HistoryChange: Sendable, Hashable {
  public enum Kind: Int64, Sendable, Hashable {
    case insert = 0
    case update = 1
    case delete = 2
  }

  /// Name of the entity, which a later model may no longer have.
  public let entity: String
  public let row: Int64
  public let kind: Kind

  /// Names of the properties that an update changed.
  public let properties: [String]

  /// Of a deleted object the primary key and the attributes that the model says are kept.
  public let tombstone: [String: Value]
}

/// Somebody who reads the history.
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
