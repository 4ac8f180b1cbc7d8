import SyncCore

/// Opens the writer's connection, sees whether the file fits the model, and makes the tables.
struct StoreOpener {
  let model: ManagedObjectModel
  let configuration: Store.Configuration
  let recorder: StatementRecorder

  /// An open store.
  struct Opened {
    let connection: Connection
    let layout: TableLayout
    let path: String
  }

  func open() throws -> Opened {
    let files = StoreFiles(configuration.location)
    if let obstacle = files.obstacle() { throw obstacle }
    do {
      let connection = try connect(files.path)
      let layout = try prepare(connection, path: files.path)
      return Opened(connection: connection, layout: layout, path: files.path)
    } catch let error as StoreError {
      throw error.at(files.path)
    }
  }

  private func connect(_ path: String) throws -> Connection {
    let connection = try Connection(
      path: path,
      options: Connection.Options(
        mode: configuration.isReadOnly ? .reader : .writer, busyTimeout: configuration.busyTimeout),
      recorder: recorder)
    // The first read looks at the header: a file that is no database is found out here.
    _ = try connection.scalar("PRAGMA schema_version")
    guard !configuration.isReadOnly else { return connection }
    if !path.isEmpty {
      let mode = configuration.journal == .writeAheadLog ? "WAL" : "DELETE"
      _ = try connection.textScalar("PRAGMA journal_mode = \(mode)")
      // What a large import leaves behind is cut to 16 MB when the log starts over.
      _ = try connection.scalar("PRAGMA journal_size_limit = 16777216")
    }
    let level = configuration.synchronous == .full ? "FULL" : "NORMAL"
    try connection.execute("PRAGMA synchronous = \(level)")
    if let pages = configuration.maximumPageCount {
      _ = try connection.scalar("PRAGMA max_page_count = \(max(1, pages))")
    }
    return connection
  }

  private func prepare(_ connection: Connection, path: String) throws -> TableLayout {
    let metadata = Metadata(connection: connection)
    if try metadata.kind() == .empty { try create(connection, metadata) }
    guard try metadata.kind() == .store else {
      throw StoreError(
        .notAStore,
        message: "\(path) is a SQLite database that was not made by SyncStack. Give another path.")
    }
    let layout = try check(connection, metadata)
    if configuration.keepsHistory, !configuration.isReadOnly { try startHistory(connection) }
    return layout
  }

  private func startHistory(_ connection: Connection) throws {
    let journal = ChangeJournal(connection: connection)
    guard try !journal.exists() else { return }
    try connection.beginImmediate()
    do {
      if try !journal.exists() { try journal.create() }
      try connection.commit()
    } catch {
      try connection.rollback()
      throw error
    }
  }

  /// Makes the tables, unless another process did so meanwhile.
  private func create(_ connection: Connection, _ metadata: Metadata) throws {
    if configuration.isReadOnly {
      throw StoreError(
        .cannotOpen,
        message: "The store is empty, and it cannot be set up because it was opened for reading "
          + "only. Open it once without that option.")
    }
    try connection.beginImmediate()
    do {
      if try metadata.kind() == .empty {
        let layout = TableLayout(model: model)
        try SchemaWriter(layout: layout, connection: connection).create()
        try metadata.set(.format, Metadata.currentFormat)
        try metadata.set(.generation, 0)
        try metadata.set(.model, StoredModel(layout).encoded())
        try metadata.set(.document, model.storageDescription)
        try metadata.set(.fingerprint, model.fingerprint)
      }
      try connection.commit()
    } catch {
      try connection.rollback()
      throw error
    }
  }

  /// Compares the file with the model.
  private func check(_ connection: Connection, _ metadata: Metadata) throws -> TableLayout {
    let format = try metadata.integer(.format) ?? 0
    guard format <= Metadata.currentFormat else {
      throw StoreError(
        .newerFormat,
        message:
          "The store was written by a later version of SyncStack (format \(format), this one "
          + "knows \(Metadata.currentFormat)). Update the library.")
    }
    guard let text = try metadata.text(.model), let stored = try? StoredModel(decoding: text) else {
      throw StoreError(
        .notADatabase,
        message: "The store does not say which model it was made with. It is damaged: restore it "
          + "from a copy, or remove it.")
    }
    let layout = TableLayout(model: model, entityNumbers: stored.entityNumbers)
    let isSame = try metadata.text(.fingerprint) == model.fingerprint
    if isSame, try metadata.text(.document) == model.storageDescription { return layout }
    let current = StoredModel(layout)
    let differences = stored.differences(from: current)
    guard differences.isEmpty else {
      let shown = differences.prefix(5).joined(separator: "; ")
      let rest = differences.count > 5 ? "; and \(differences.count - 5) more" : ""
      throw StoreError(
        .incompatibleModel,
        message:
          "The store was made with another model: \(shown)\(rest). Use the model it was made "
          + "with, or another store.")
    }
    if !configuration.isReadOnly { try adopt(layout, as: current, connection, metadata) }
    return layout
  }

  /// Takes over a model that stores the same and differs in indexes, annotations or in what is
  /// required.
  private func adopt(
    _ layout: TableLayout, as description: StoredModel, _ connection: Connection,
    _ metadata: Metadata
  ) throws {
    try connection.beginImmediate()
    do {
      try SchemaWriter(layout: layout, connection: connection).updateIndexes()
      try metadata.set(.model, description.encoded())
      try metadata.set(.document, layout.model.storageDescription)
      try metadata.set(.fingerprint, layout.model.fingerprint)
      try connection.commit()
    } catch {
      try connection.rollback()
      throw error
    }
  }
}
