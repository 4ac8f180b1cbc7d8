package import Foundation
package import SyncCore

/// A place in the history of a store: everything up to and including one transaction.
package struct HistoryToken: Sendable, Hashable, Comparable, Codable {
  /// Number of the transaction in the history; numbers grow and are never used again.
  package let number: Int64

  package init(number: Int64) {
    self.number = number
  }

  /// Before everything that was ever recorded.
  package static let start = HistoryToken(number: 0)

  package static func < (left: HistoryToken, right: HistoryToken) -> Bool {
    left.number < right.number
  }
}

/// One committed transaction as the history keeps it.
package struct HistoryTransaction: Sendable {
  package let token: HistoryToken

  /// The commit's number, as in ``ChangeSet/generation``.
  package let generation: Int64
  package let date: Date
  package let author: String?
  package let contextName: String?

  /// Name of the program that wrote.
  package let process: String
  package let source: TransactionInfo.Source

  /// Each object once, in model order: inserted, updated, deleted.
  package internal(set) var changes: [HistoryChange]
}

/// What a transaction did to one object.
package struct HistoryChange: Sendable, Hashable {
  package enum Kind: Int64, Sendable, Hashable {
    case insert = 0
    case update = 1
    case delete = 2
  }

  /// Name of the entity, which a later model may no longer have.
  package let entity: String
  package let row: Int64
  package let kind: Kind

  /// Names of the properties that an update changed.
  package let properties: [String]

  /// Of a deleted object the primary key and the attributes that the model says are kept.
  package let tombstone: [String: Value]
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
