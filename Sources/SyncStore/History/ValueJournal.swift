import Foundation
import SyncCore

/// The former values of a history: of each commit what the objects were before that it changed,
/// written in its transaction, and forgotten with it, or earlier.
///
/// ```
/// _syncstack_history_values   records of up to 512 objects of one entity with the same changed
///                             columns; `former` has their values one after the other (FormerCells)
/// _syncstack_history_kept     a row for each commit whose values are kept, with their size
/// ```
///
/// | kind | `columns` | `object_row` | `former`, for each |
/// |---|---|---|---|
/// | 1 changed | those that changed | rows | their values |
/// | 2 deleted | all | rows | their values |
/// | 3 link | the list that declares it | sources | target, whether it was there, both positions |
/// | 4 ended | of an edit that an undo has taken back | rows | the name of the outbox |
/// | 5 begun | of one that began again | rows | the name of the outbox |
///
/// The place of an object in an ordered list whose other end is a to-one relationship stands under
/// the name of that with a `#`. Inserted objects were not there before, and have none.
struct ValueJournal {
  enum Kind: Int64 {
    case changed = 1
    case deleted = 2
    case link = 3
    case ended = 4
    case begun = 5
  }

  /// Behind the name of a to-one relationship: the place in the list at its other end.
  static let placeMark = "#"

  let connection: Connection

  private static let tables = [
    "CREATE TABLE _syncstack_history_values (txn INTEGER NOT NULL, seq INTEGER NOT NULL, "
      + "kind INTEGER NOT NULL, entity TEXT NOT NULL, columns TEXT NOT NULL, "
      + "object_row INTEGER NOT NULL, former BLOB NOT NULL, PRIMARY KEY (txn, seq)) WITHOUT ROWID",
    "CREATE TABLE _syncstack_history_kept (txn INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, "
      + "ts_ms INTEGER NOT NULL)",
  ]

  /// Whether former values are kept of commits to the file.
  func exists() throws -> Bool {
    try Metadata(connection: connection).integer(.formerValues) == 1
  }

  /// Begins to keep former values, in the transaction that is open.
  func create() throws {
    for statement in Self.tables { try connection.execute(statement) }
    let metadata = Metadata(connection: connection)
    try metadata.set(.formerBytes, 0)
    try metadata.set(.formerValues, 1)
  }

  /// Ends it, and forgets them.
  func remove() throws {
    guard try exists() else { return }
    for table in ["values", "kept"] {
      try connection.execute("DROP TABLE _syncstack_history_\(table)")
    }
    try Metadata(connection: connection).set(.formerValues, 0)
  }

  /// Sets the limits.
  func set(_ limits: FormerValueLimits) throws {
    let metadata = Metadata(connection: connection)
    try metadata.set(.formerLimit, Int64(clamping: limits.size))
    try metadata.set(.formerAge, Int64(limits.age * 1000))
  }

  /// Notes that the values of a commit are kept, and forgets those of the oldest commits that are
  /// too old, or too many.
  func keep(_ txn: Int64, bytes: Int, at date: Date) throws {
    let metadata = Metadata(connection: connection)
    let now = ChangeJournal.milliseconds(date)
    try connection.run(
      "INSERT INTO _syncstack_history_kept (txn, bytes, ts_ms) VALUES (?, ?, ?)",
      [txn, Int64(bytes), now])
    var total = try (metadata.integer(.formerBytes) ?? 0) + Int64(bytes)
    let limit = try metadata.integer(.formerLimit) ?? .max
    let oldest = try metadata.integer(.formerAge).map { now - $0 } ?? .min
    var last: Int64?
    let statement = try connection.statement(
      "SELECT txn, bytes, ts_ms FROM _syncstack_history_kept ORDER BY txn")
    while try statement.step(), total > limit || statement.integer(2) < oldest {
      last = statement.integer(0)
      total -= statement.integer(1)
    }
    statement.reset()
    try metadata.set(.formerBytes, total)
    if let last { try forget(through: last, counting: false) }
  }

  /// Forgets the values of commits up to a number.
  func forget(through txn: Int64, counting: Bool = true) throws {
    if counting {
      try connection.run(
        "UPDATE _syncstack SET value = value - (SELECT coalesce(sum(bytes), 0) "
          + "FROM _syncstack_history_kept WHERE txn <= ?) WHERE key = 'formerBytes'", [txn])
    }
    for table in ["values", "kept"] {
      try connection.run("DELETE FROM _syncstack_history_\(table) WHERE txn <= ?", [txn])
    }
  }
}

/// Writes the former values of one commit. Objects that changed alike come together in records.
struct ValueWriter {
  /// Objects, and bytes, in one record: it is read as a whole.
  private static let limit = (objects: 512, bytes: 1 << 16)

  struct Key: Hashable {
    let kind: ValueJournal.Kind
    let entity: Int
    let columns: SlotSet
  }

  struct Record {
    var rows: [Int64] = []
    var former = FormerCells()
  }

  let connection: Connection
  let txn: Int64
  private(set) var records: [Key: Record] = [:]
  private(set) var sequence: Int64 = 0
  private(set) var bytes = 0

  /// Adds an object, or a link by the row of its source.
  ///
  /// - Parameters:
  ///   - columns: Slots, and above them the places beside to-one relationships.
  ///   - names: The names of the columns.
  ///   - append: Adds the values.
  mutating func add(
    _ kind: ValueJournal.Kind, _ entity: EntityDescription, _ row: Int64, columns: SlotSet,
    names: @autoclosure () -> String, _ append: (inout FormerCells) -> Void
  ) throws {
    let key = Key(kind: kind, entity: entity.index, columns: columns)
    var record = Record()
    // Taken out meanwhile, so that it is not copied.
    swap(&record, &records[key, default: Record()])
    record.rows.append(row)
    append(&record.former)
    if record.rows.count == Self.limit.objects || record.former.bytes.count >= Self.limit.bytes {
      try write(record, key, entity.name, names())
      record = Record()
    }
    swap(&record, &records[key, default: Record()])
  }

  /// Writes what is left.
  mutating func finish(
    _ model: ManagedObjectModel, names: (EntityDescription, SlotSet) -> String
  ) throws {
    let rest = records.filter { !$0.value.rows.isEmpty }.sorted {
      ($0.key.entity, $0.key.kind.rawValue, $0.value.rows[0])
        < ($1.key.entity, $1.key.kind.rawValue, $1.value.rows[0])
    }
    for (key, record) in rest {
      let entity = EntityDescription(model: model, index: key.entity)
      try write(record, key, entity.name, names(entity, key.columns))
    }
    records = [:]
  }

  /// Adds the edits that an undo has ended or begun again.
  mutating func add(_ edits: [UndoneEdit]) throws {
    struct Group: Hashable {
      let isBegun: Bool
      let entity: Int
      let columns: String
      let outbox: String
    }
    let groups = Dictionary(grouping: edits) {
      Group(isBegun: $0.isBegun, entity: $0.id.entity.index, columns: $0.columns, outbox: $0.outbox)
    }
    for (group, edits) in groups.sorted(by: { $0.value[0].id < $1.value[0].id }) {
      var record = Record(rows: Set(edits.map(\.id.row)).sorted())
      record.former.append(name: group.outbox)
      let key = Key(kind: group.isBegun ? .begun : .ended, entity: group.entity, columns: SlotSet())
      try write(record, key, edits[0].id.entity.name, group.columns)
    }
  }

  private mutating func write(
    _ record: Record, _ key: Key, _ entity: String, _ columns: String
  ) throws {
    sequence += 1
    let rows = HistoryRows(record.rows).stored
    let former = Data(record.former.bytes)
    if case .data(let data) = rows { bytes += data.count }
    bytes += former.count
    try connection.run(
      "INSERT INTO _syncstack_history_values (txn, seq, kind, entity, columns, object_row, former) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?)",
      [txn, sequence, key.kind.rawValue, entity, columns, rows, former])
  }
}
