package import Foundation
package import SyncCore

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
    if configuration.isReadOnly {
      if let obstacle = files.obstacle() { throw obstacle }
      if !files.path.isEmpty, !FileManager.default.fileExists(atPath: files.path),
        !FileManager.default.isForbidden(files.path)
      {
        throw StoreError.missing(files.path)
      }
    } else {
      try files.makeFolder()
    }
    do {
      let connection = try connect(files.path)
      let layout = try prepare(connection, path: files.path)
      return Opened(connection: connection, layout: layout, path: files.path)
    } catch let error as StoreError {
      throw error.at(files.path)
    }
  }

  /// Opens the file of a store that was open before, which has its tables.
  func openAgain() throws -> Connection {
    let path = StoreFiles(configuration.location).path
    do {
      guard FileManager.default.fileExists(atPath: path) else { throw StoreError.missing(path) }
      let connection = try connect(path)
      try setJournal(connection, path: path)
      connection.measurePages()
      return connection
    } catch let error as StoreError {
      throw error.at(path)
    }
  }

  private func connect(_ path: String) throws -> Connection {
    let connection = try Connection(
      path: path,
      options: Connection.Options(
        mode: configuration.isReadOnly ? try ReadOnlyFile(path).mode() : .writer,
        busyTimeout: configuration.busyTimeout),
      recorder: recorder)
    // The first read looks at the header: a file that is no database is found out here.
    _ = try connection.scalar("PRAGMA schema_version")
    guard !configuration.isReadOnly else { return connection }
    try setDurability(connection)
    if let pages = configuration.maximumPageCount {
      _ = try connection.scalar("PRAGMA max_page_count = \(max(1, pages))")
    }
    return connection
  }

  private func setDurability(_ connection: Connection) throws {
    let isFull = configuration.durability == .full
    try connection.execute("PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL")")
    // Apple's systems hand a file to the disk, which keeps it in a cache of its own, unless asked
    // for more. Elsewhere this changes nothing.
    if isFull { _ = try connection.scalar("PRAGMA fullfsync = ON") }
  }

  /// Switches the file to the journal that was asked for. This writes to it, so it waits until the
  /// file is known to fit.
  private func setJournal(_ connection: Connection, path: String) throws {
    guard !path.isEmpty, !configuration.isReadOnly else { return }
    try connection.setJournal(configuration.journal == .writeAheadLog ? "WAL" : "DELETE")
    // The space of a large import is cut to 16 MB when the log starts over.
    _ = try connection.scalar("PRAGMA journal_size_limit = 16777216")
  }

  private func prepare(_ connection: Connection, path: String) throws -> TableLayout {
    let metadata = Metadata(connection: connection)
    if try metadata.kind() == .empty {
      if !configuration.isReadOnly {
        try connection.execute("PRAGMA page_size = \(PageSize.ofNewFiles)")
      }
      try setJournal(connection, path: path)
      try create(connection, metadata)
    }
    guard try metadata.kind() == .store else {
      throw StoreError(
        .notAStore,
        message: "\(path) is a SQLite database that was not made by SyncStack. Give another path.")
    }
    let layout = try check(connection, metadata, path: path)
    try setJournal(connection, path: path)
    connection.measurePages()
    if !configuration.isReadOnly {
      if configuration.keepsHistory || configuration.formerValues != nil {
        try startHistory(connection)
      }
      let journal = ChangeJournal(connection: connection)
      if try journal.exists() { try journal.makePlaceForBase() }
    }
    return layout
  }

  private func startHistory(_ connection: Connection) throws {
    let journal = ChangeJournal(connection: connection)
    let values = ValueJournal(connection: connection)
    if configuration.formerValues == nil, try journal.exists() { return }
    try connection.beginImmediate()
    do {
      if try !journal.exists() { try journal.create(at: configuration.now()) }
      if let limits = configuration.formerValues {
        if try !values.exists() { try values.create() }
        try values.set(limits)
      }
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
        try metadata.set(.versionHash, model.versionHash)
      }
      try connection.commit()
    } catch {
      try connection.rollback()
      throw error
    }
  }

  /// The model that the file was made with; nil when it cannot be read.
  private func decoded(_ text: String) throws -> StoredModel? {
    do {
      return try StoredModel(decoding: text)
    } catch let error as StoreError {
      throw error
    } catch {
      return nil
    }
  }

  /// Compares the file with the model, and brings it to the model when they differ.
  private func check(
    _ connection: Connection, _ metadata: Metadata, path: String
  ) throws -> TableLayout {
    let format = try metadata.integer(.format) ?? 0
    guard format <= Metadata.currentFormat else {
      throw StoreError(
        .newerFormat,
        message:
          "The store was written by a later version of SyncStack (format \(format), this one "
          + "knows \(Metadata.currentFormat)). Update the library.")
    }
    guard let text = try metadata.text(.model), let stored = try decoded(text),
      let document = try metadata.text(.document)
    else {
      throw StoreError(
        .notADatabase,
        message: "The store does not say which model it was made with. It is damaged: restore it "
          + "from a copy, or remove it.")
    }
    let isSame = try metadata.text(.versionHash) == model.versionHash
    if isSame, document == model.storageDescription {
      return TableLayout(model: model, entityNumbers: stored.entityNumbers)
    }
    let migrator = StoreMigrator(
      configuration: configuration, connection: connection, path: path, stored: stored,
      model: model, document: document)
    return try migrator.run() ?? check(connection, metadata, path: path)
  }
}

extension Store {
  /// The model that the store at a place was last opened with: so that a program without the model
  /// can read the store.
  ///
  /// - Throws: ``StoreError`` when there is no store, or something else in its place.
  package static func keptModel(at url: URL) throws -> ManagedObjectModel {
    let files = StoreFiles(.file(url))
    let path = files.path
    guard FileManager.default.fileExists(atPath: path) else {
      throw StoreError(
        .cannotOpen,
        message: FileManager.default.isForbidden(path)
          ? "The store at \(path) cannot be opened: this user may not enter its folder."
          : "There is no store at \(path). Check the path.")
    }
    if let obstacle = files.obstacle() { throw obstacle }
    do {
      let connection = try Connection(
        path: path, options: Connection.Options(mode: try ReadOnlyFile(path).mode()),
        recorder: StatementRecorder())
      defer { connection.close() }
      let metadata = Metadata(connection: connection)
      guard try metadata.kind() == .store, let text = try metadata.text(.document) else {
        throw StoreError(
          .notAStore,
          message: "\(path) is a SQLite database that was not made by SyncStack. Give another path."
        )
      }
      return try ManagedObjectModel(storageDescription: text)
    } catch let error as StoreError {
      throw error.at(path)
    }
  }
}

extension StoreError {
  /// A store that is not made where it is missing.
  fileprivate static func missing(_ path: String) -> StoreError {
    StoreError(
      .cannotOpen,
      message: "There is no store at \(path). Check the path, or open it once by a program that "
        + "may write, which makes it.")
  }
}
