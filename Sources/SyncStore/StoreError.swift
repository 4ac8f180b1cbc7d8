public import SyncCore

/// An error of a store, its place, and its remedy.
public struct StoreError: Error, Sendable {
  /// The kind of an error. A transaction that fails leaves the file as it was before.
  public enum Code: String, Sendable, Hashable, Codable {
    /// The file cannot be opened or made at its path. Look at the path and its rights.
    case cannotOpen
    /// The file is something else than a SQLite database, or one that is damaged. Look at the path;
    /// bring back a copy.
    case notADatabase
    /// The file is a SQLite database that another program made. Give another path.
    case notAStore
    /// The file was made with a model that the new one cannot be inferred from; see
    /// ``StoreError/obstacles``. Mend the model, or make a new store.
    case incompatibleModel
    /// The file was made with another model, and it may not be migrated: it was opened for reading
    /// only, or migration was refused. Open it for writing and let it migrate, or give the model
    /// that it was made with.
    case migrationNeeded
    /// The file was written by a later version of the library. Update the program.
    case newerFormat
    /// No room is left on the disk or inside the store's size limit. Make room, and do it again.
    case full
    /// Another connection or process has held the store for longer than the waiting time. Do it
    /// again.
    case busy
    /// The store may not be written: it was opened for reading only, or the file belongs to another
    /// user. Give the right, or another path.
    case readOnly
    /// The store was closed. Make a new stack.
    case closed
    /// The store was suspended, and a write on the main thread would have to wait until
    /// `DataStack.resume()`. Do it afterwards, or in the background, where it waits.
    case suspended
    /// The work was interrupted on request.
    case interrupted
    /// The delete rule *deny* forbids the deletion; ``StoreError/keys`` are in the way. Delete
    /// these before, or part them.
    case deletionDenied
    /// A uniqueness constraint of the model does not hold. Change one of the values.
    case notUnique
    /// The transaction was ended by an earlier error and takes no more changes. Look at that error,
    /// and do it again.
    case transactionEnded
    /// A history token lies before the purged end. Read all objects anew, and begin with the latest
    /// token.
    case historyExpired
    /// A durable consumer still needs the history that was to be purged. Let it read on, or forget
    /// it.
    case historyInUse
    /// A statement for `DataStack.rows(_:_:)` that is not one that reads, or that SQLite does not
    /// understand; or a column that its answer has not, or not in that type. The message says
    /// which.
    case invalidQuery
    /// Something that a store cannot do. The message says which.
    case unsupported
    /// A table holds a number that no store writes, because another program wrote to the file or
    /// its disk failed. `DataStack.checkConsistency()` finds other problems, and those that can be
    /// repaired.
    case damaged
    /// SQLite failed in another way; see ``StoreError/sqliteCode``.
    case failed
  }

  /// The kind of the error.
  public let code: Code

  /// A sentence that tells the error and its remedy.
  public let message: String

  /// Name of the entity it is about.
  public let entity: String?

  /// Primary-key values of the objects it is about, at most ten.
  public let keys: [Value]

  /// All obstacles that keep the store from being migrated to the model.
  public let obstacles: [Obstacle]

  /// SQLite's extended result code (https://www.sqlite.org/rescode.html).
  public let sqliteCode: Int32?

  /// The statement that failed.
  public let sql: String?

  package init(
    _ code: Code, message: String, entity: String? = nil, keys: [Value] = [],
    obstacles: [Obstacle] = [], sqliteCode: Int32? = nil, sql: String? = nil
  ) {
    self.code = code
    self.message = message
    self.entity = entity
    self.keys = keys
    self.obstacles = obstacles
    self.sqliteCode = sqliteCode
    self.sql = sql
  }

  /// A change of the model that cannot be carried over to stored rows.
  public struct Obstacle: Sendable, Hashable, CustomStringConvertible {
    package enum Reason: String, Sendable, Hashable, CaseIterable {
      /// Values of the old type do not turn into values of the new one.
      case noConversion
      /// Some stored values have no exact form in the new type.
      case inexactValues
      /// An attribute is required, objects have no value for it, and there is no default.
      case missingValues
      /// An attribute became a relationship, or the other way round.
      case otherKind
      /// Two relationships that were kept apart became inverse to each other.
      case otherInverse
      /// Objects have several members in a relationship that now leads to one.
      case severalMembers
      /// Links lead to objects that the relationship no longer leads to, or start at such.
      case strayLinks
      /// An entity became abstract, and there are objects of it.
      case abstractObjects
      /// The store has objects, and the model has none of its entities.
      case nothingKept
      /// Entities with objects of their own came under one root: their row numbers overlap.
      case overlappingRows
    }

    package let reason: Reason

    /// Name of the entity, as the new model has it.
    package let entity: String

    /// Name of the property, if it is about one.
    package let property: String?

    /// A sentence that tells the obstacle and its remedy.
    public let description: String

    package init(_ reason: Reason, _ entity: String, _ property: String?, _ text: String) {
      self.reason = reason
      self.entity = entity
      self.property = property
      description = text
    }
  }
}

extension StoreError: ExplainedError {
  /// The message; with the statement when SQLite failed in an unforeseen way.
  public var description: String {
    guard code == .failed, let sql else { return message }
    return "\(message) The statement was: \(sql)"
  }
}

extension StoreError {
  package static let closed = StoreError(
    .closed, message: "The store is closed. Open it again with a new stack.")

  package static let readOnly = StoreError(
    .readOnly, message: "The store was opened for reading only. Open it without that option.")

  static let interrupted = StoreError(
    .interrupted, message: "The work in the store was interrupted. Nothing was changed.")

  static let suspended = StoreError(
    .suspended,
    message: "The store is suspended, and the main thread must not wait for it. Nothing was "
      + "changed. Call stack.resume() first, or write in the background, where it waits.")

  static let transactionEnded = StoreError(
    .transactionEnded,
    message: "The transaction was rolled back by an earlier error and takes no more changes. "
      + "Let that error leave the transaction and start again.")
}
