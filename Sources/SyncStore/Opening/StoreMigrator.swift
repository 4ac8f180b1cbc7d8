import SyncCore

/// Brings a file that was made with another model to the new one, or says why not.
///
/// ```
/// begin (keeps other writers out) ─▶ check the stored rows ─▶ copy the file ─▶ tables ─▶ history ─▶ commit
///                                         └─ anything in the way, or thrown: roll back, the file is as it was
/// ```
struct StoreMigrator {
  let configuration: Store.Configuration
  let connection: Connection
  let path: String
  let stored: StoredModel
  let model: ManagedObjectModel

  /// The model that the file keeps, as text.
  let document: String

  /// - Returns: the layout to use, or nil when another process migrated the file meanwhile: look
  ///   again.
  func run() throws -> TableLayout? {
    let match = ModelMatch(from: try storedModel(), to: model)
    let plan = MigrationPlanner.plan(match)
    guard plan.isInferable else { throw StoreMigrator.error(plan.obstacles) }
    let old = TableLayout(model: match.old, entityNumbers: stored.entityNumbers)
    guard StoredModel(old).differences(from: stored).isEmpty else {
      throw StoreError(
        .notADatabase,
        message: "The store contradicts itself about its tables. It is damaged: restore it from a "
          + "copy, or remove it.")
    }
    let new = SchemaMigration.layout(match, old: old)
    let migration = SchemaMigration(match, old: old, new: new)
    if configuration.isReadOnly || configuration.migration == .refuse {
      // Readers need only the same tables; a program that refuses wants to decide about everything
      // that its file means, but for indexes, which only cost time.
      let changesStore = plan.steps.contains { $0.kind != .indexes }
      if migration.isStructural || (changesStore && !configuration.isReadOnly) {
        throw refusal(plan)
      }
      if configuration.isReadOnly { return new }
    }
    return try perform(migration) ? new : nil
  }

  private func storedModel() throws -> ManagedObjectModel {
    do {
      return try ManagedObjectModel(storageDescription: document)
    } catch {
      throw StoreError(
        .notADatabase,
        message: "The model that the store keeps cannot be read (\(error)). The store is damaged: "
          + "restore it from a copy, or remove it.")
    }
  }

  /// - Returns: false when the file has changed meanwhile.
  private func perform(_ migration: SchemaMigration) throws -> Bool {
    let metadata = Metadata(connection: connection)
    let backup = StoreBackup(path: path, versionHash: migration.match.old.versionHash)
    var hasBackup = false
    try connection.beginImmediate()
    do {
      guard try metadata.text(.document) == document else {
        try connection.rollback()
        return false
      }
      var check = MigrationCheck(
        match: migration.match, old: migration.old, new: migration.new, connection: connection)
      let obstacles = try check.run()
      guard obstacles.isEmpty else { throw StoreMigrator.error(obstacles) }
      if migration.isStructural {
        try configuration.willMigrate("Copying the store.")
        try backup.make(busyTimeout: configuration.busyTimeout)
        hasBackup = true
      }
      try migration.run(on: connection, willRun: configuration.willMigrate)
      try configuration.willMigrate("Carrying the history over.")
      try ChangeJournal(connection: connection).migrate(migration.match)
      try ValueJournal(connection: connection).migrate(migration.match)
      try connection.migrateQuarantine(migration.match)
      try connection.migrateRemote(migration.match)
      try connection.migrateOutboxes(migration.match)
      try FingerprintStore(connection: connection).removeAll()
      try metadata.set(.model, StoredModel(migration.new).encoded())
      try metadata.set(.document, model.storageDescription)
      try metadata.set(.versionHash, model.versionHash)
      try configuration.willMigrate("Committing.")
      try connection.commit()
    } catch {
      // The first error matters; the file is rolled back at the latest when it is opened again.
      try? connection.rollback()
      if hasBackup { backup.discard() }
      throw error
    }
    if hasBackup { backup.removeOthers() }
    return true
  }

  // MARK: - Errors

  private static func error(_ obstacles: [StoreError.Obstacle]) -> StoreError {
    let list = obstacles.map(\.description).joined(separator: " ")
    return StoreError(
      .incompatibleModel,
      message: "The store was made with another model and cannot be migrated to this one: \(list) "
        + "Nothing was changed.",
      entity: obstacles.first?.entity, obstacles: obstacles)
  }

  private func refusal(_ plan: StoreMigration) -> StoreError {
    let advice =
      configuration.isReadOnly
      ? "It was opened for reading only. Open it once without that option to migrate it, or use the "
        + "model it was made with."
      : StoreError.migrationAdvice
    return StoreError(
      .migrationNeeded,
      message: "The store was made with another model: \(plan.summary). \(advice)")
  }
}

extension StoreError {
  /// Advice when the store would have to be migrated, and may not be.
  package static let migrationAdvice =
    "Migration was refused. Open it with automatic migration, or use the model it was made with."
}
