import SyncCore

/// The values that a store keeps about itself, by key, beside those of programs
/// (``StoreMetadata``).
struct Metadata {
  /// Version of the tables' form; raised when an older library could not use them any more.
  static let currentFormat: Int64 = 1

  enum Key: String {
    case format
    case model
    case document
    case versionHash = "fingerprint"
    case generation

    /// Whether the file keeps a history, and the last number of one that was switched off.
    case history
    case historyEnd

    /// When the latest transaction that was purged from the history was made, in milliseconds.
    case historyPurged

    /// Whether the history has former values, how many bytes of them there are, and how many bytes,
    /// and seconds, they may be.
    case formerValues
    case formerBytes
    case formerLimit
    case formerAge

    /// Whether items are, or were, in quarantine.
    case quarantine

    /// Whether the tables of remote sync are there.
    case remote

    /// Whether the tables of outboxes are there.
    case outboxes

    /// The server and the account of remote sync; set by programs that keep no settings of their
    /// own.
    case remoteServer
    case remoteApp
    case remoteUser

    /// The oldest generation that a set of fingerprints is about; none when there are no sets.
    case fingerprints

    /// Whether it enters calculations.
    var isCount: Bool {
      switch self {
      case .generation, .historyEnd, .fingerprints, .formerBytes: true
      default: false
      }
    }
  }

  /// The prefix of the keys of ``StoreMetadata``, and the first text behind all of them.
  static let programPrefix = "metadata."
  static let programLimit = "metadata/"

  let connection: Connection

  /// Whether the database is one of ours, empty, or another program's.
  enum Kind {
    case empty
    case store
    case foreign
  }

  func kind() throws -> Kind {
    // At once: another process may be making the tables.
    let kind = try connection.scalar(
      "SELECT CASE count(*) WHEN 0 THEN 0 ELSE 1 + max(type = 'table' AND name = '_syncstack') END "
        + "FROM sqlite_master")
    return kind == 0 ? .empty : kind == 2 ? .store : .foreign
  }

  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` for a count that is none.
  func integer(_ key: Key) throws -> Int64? {
    let statement = try select(key)
    defer { statement.reset() }
    guard try statement.step(), let value = statement.optionalInteger(0) else { return nil }
    return try checked(value, key)
  }

  private func checked(_ value: Int64, _ key: Key) throws -> Int64 {
    guard !key.isCount || value.isCountable else {
      throw StoreError.damaged("_syncstack", "the row of “\(key.rawValue)”", "value", value)
    }
    return value
  }

  /// The counters that every transaction asks for.
  struct Counters {
    var generation: Int64 = 0
    var keepsHistory = false
    var keepsFormerValues = false
    var hasQuarantine = false

    /// The oldest generation that a set of fingerprints is about.
    var fingerprints: Int64?
  }

  /// Reads the counters that every transaction asks for, in one statement and one row: keys as
  /// texts took longer to compare than the rows to find.
  func counters() throws -> Counters {
    let statement = try connection.statement(Metadata.selectCounters)
    defer { statement.reset() }
    var result = Counters()
    guard try statement.step() else { return result }
    if let value = statement.optionalInteger(0) {
      result.generation = try checked(value, .generation)
    }
    result.keepsHistory = statement.optionalInteger(1) == 1
    result.keepsFormerValues = statement.optionalInteger(2) == 1
    result.hasQuarantine = statement.optionalInteger(3) == 1
    if let value = statement.optionalInteger(4) {
      result.fingerprints = try checked(value, .fingerprints)
    }
    return result
  }

  private static let selectCounters: String = {
    let keys: [Key] = [.generation, .history, .formerValues, .quarantine, .fingerprints]
    let values = keys.map { "(SELECT value FROM _syncstack WHERE key = '\($0.rawValue)')" }
    return "SELECT " + values.joined(separator: ", ")
  }()

  func text(_ key: Key) throws -> String? {
    let statement = try select(key)
    defer { statement.reset() }
    return try statement.step() && !statement.isNull(0) ? statement.text(0) : nil
  }

  private func select(_ key: Key) throws -> Statement {
    try connection.statement("SELECT value FROM _syncstack WHERE key = ?", [key.rawValue])
  }

  func set(_ key: Key, _ value: some ValueConvertible) throws {
    try connection.run(
      "INSERT OR REPLACE INTO _syncstack (key, value) VALUES (?, ?)", [key.rawValue, value])
  }

  /// Forgets a value.
  func remove(_ key: Key) throws {
    try connection.run("DELETE FROM _syncstack WHERE key = ?", [key.rawValue])
  }
}
