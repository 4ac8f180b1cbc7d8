public import SyncCore

/// What went wrong in a store, where, and what to do about it.
public struct StoreError: Error, Sendable {
  public enum Code: String, Sendable, Hashable, Codable {
    /// The file cannot be opened or made at its path.
    case cannotOpen
    /// The file is something else than a SQLite database, or one that is damaged.
    case notADatabase
    /// The file is a SQLite database that another program made.
    case notAStore
    /// The file was made with another model.
    case incompatibleModel
    /// The file was written by a later version of the library.
    case newerFormat
    /// No room is left on the disk or inside the store's size limit.
    case full
    /// Another connection or process holds the store.
    case busy
    /// The store may not be written.
    case readOnly
    /// The store was closed.
    case closed
    /// The work was interrupted on request.
    case interrupted
    /// A delete rule forbids the deletion.
    case deletionDenied
    /// A uniqueness constraint of the model does not hold.
    case notUnique
    /// The transaction was ended by an earlier error and takes no more changes.
    case transactionEnded
    /// A history token lies before what was purged.
    case historyExpired
    /// A durable consumer still needs the history that was to be purged.
    case historyInUse
    /// Something that a store cannot do.
    case unsupported
    /// SQLite failed in another way; see ``StoreError/sqliteCode``.
    case failed
  }

  public let code: Code

  /// A sentence that says what is wrong and what to do.
  public let message: String

  /// Name of the entity it is about.
  public let entity: String?

  /// Primary-key values of the objects it is about, at most ten.
  public let keys: [Value]

  /// SQLite's extended result code (https://www.sqlite.org/rescode.html).
  public let sqliteCode: Int32?

  /// The statement that failed.
  public let sql: String?

  package init(
    _ code: Code, message: String, entity: String? = nil, keys: [Value] = [],
    sqliteCode: Int32? = nil, sql: String? = nil
  ) {
    self.code = code
    self.message = message
    self.entity = entity
    self.keys = keys
    self.sqliteCode = sqliteCode
    self.sql = sql
  }
}

extension StoreError: CustomStringConvertible {
  /// The message; with the statement when SQLite failed in a way nobody foresaw.
  public var description: String {
    guard code == .failed, let sql else { return message }
    return "\(message) The statement was: \(sql)"
  }
}

extension StoreError {
  static let closed = StoreError(
    .closed, message: "The store is closed. Open it again with a new stack.")

  static let readOnly = StoreError(
    .readOnly, message: "The store was opened for reading only. Open it without that option.")

  static let transactionEnded = StoreError(
    .transactionEnded,
    message: "The transaction was rolled back by an earlier error and takes no more changes. "
      + "Let that error leave the transaction and start again.")
}
