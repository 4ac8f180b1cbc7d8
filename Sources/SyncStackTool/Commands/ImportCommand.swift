import Foundation
import SyncStack

/// `syncstack import`: JSON documents and tables into a store: one as a sync, several as the pages
/// of a session, several lists as one sync.
struct ImportCommand: Command {
  static let syntax = ImportSettings.syntax

  private let settings: ImportSettings

  init(_ arguments: Arguments) throws {
    settings = try ImportSettings(arguments)
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    let begin = ContinuousClock.now
    let lists = try settings.lists()
    let pages = try distinct(
      settings.sources.map { try ImportPage($0, form: settings.form) }, terminal)
    let model =
      try settings.model.map { try ManagedObjectModel(contentsOf: $0) }
      ?? Store.keptModel(at: settings.store)
    let entities = lists.isEmpty ? [settings.entity] : lists.map(\.entity)
    for entity in entities { _ = try model.requireEntity(named: entity) }
    let inputs = try lists.map { try $0.list() }
    // A slip in --model must not cost the objects of the store, and a dry run changes nothing at
    // all.
    let newFile = NewStoreFile(settings.store, migrates: settings.migrates)
    let stack = try newFile.open(on: terminal) {
      try DataStack(
        model: model, store: location, migration: settings.migrates ? .automatic : .refuse,
        busyTimeout: settings.wait)
    }
    defer { try? stack.close() }
    var log: ChangeLogFile?
    do {
      try settings.mapping?.apply(to: stack)
      log = try settings.log.map { try ChangeLogFile($0, of: stack) }
      // One for all pages, so that a Ctrl-C between two of them is none too late for either.
      let task = Task {
        if !inputs.isEmpty { return try await runAlone(sync(inputs, stack), on: stack, terminal) }
        return pages.count == 1 && settings.session == nil
          ? try await runAlone(sync(pages[0].payload, stack), on: stack, terminal)
          : try await runPages(pages, on: stack, terminal)
      }
      let interrupt = Interrupt { task.cancel() }
      defer { withExtendedLifetime(interrupt) {} }
      let report = try await task.value
      await stack.drainNotifications()
      try log?.close()
      try checkUse(of: report, entities)
      let seconds = (ContinuousClock.now - begin) / .seconds(1)
      try write(report, of: model, seconds: seconds, to: terminal)
      return .done
    } catch {
      // Pages and batches before the error are stored.
      await stack.drainNotifications()
      try? log?.close()
      if error is JSONError, let list = lists.first(where: { !$0.isReadable }) {
        terminal.noteStop(at: "\(list.file) (\(list.entity))", of: lists.count, error)
      }
      newFile.removeIfEmpty(stack)
      throw error
    }
  }

  // MARK: - Before

  /// A file is read once, however often and by whatever path it was given.
  private func distinct(_ pages: [ImportPage], _ terminal: Terminal) -> [ImportPage] {
    var seen: Set<String> = []
    return pages.filter { page in
      if seen.insert(page.file).inserted { return true }
      terminal.note("\(page.name) was given before. It is read once, where it came first.")
      return false
    }
  }

  /// A dry run does not leave a new file behind.
  private var location: DataStack.Location {
    let exists = FileManager.default.fileExists(atPath: settings.store.path)
    return settings.isDryRun && !exists ? .inMemory : .sqlite(settings.store)
  }

  private var syncSettings: SyncSettings {
    var result = SyncSettings()
    result.operations = settings.operations
    result.filter = settings.filter.map { Filter(format: $0, arguments: []) }
    result.deletionGuard = settings.deletionGuard
    result.onItemError = settings.onError
    return result
  }

  private func sync(_ payload: SyncPayload, _ stack: DataStack) throws -> Sync {
    let sync = Sync(
      payload, inEntityNamed: settings.entity, dataStack: stack,
      at: settings.path.map { JSONPath($0) })
    sync.settings = syncSettings
    sync.isDryRun = settings.isDryRun
    if let batch = settings.batch { sync.transaction = .perBatch(batch) }
    if let parent = settings.parent {
      sync.parent = try identifier(of: parent, in: stack)
      sync.parentRelationship = parent.relationship
    }
    return sync
  }

  private func sync(_ lists: [SyncList], _ stack: DataStack) -> Sync {
    let sync = Sync(lists: lists, dataStack: stack)
    sync.settings = syncSettings
    sync.isDryRun = settings.isDryRun
    return sync
  }

  private func identifier(
    of parent: ImportSettings.Parent, in stack: DataStack
  ) throws -> ManagedObjectID {
    let entity = try stack.model.requireEntity(named: parent.entity)
    let plan = FetchPlan(entity: entity, filter: try KeyFilter.of(parent.key, in: entity), limit: 1)
    guard let id = try stack.store.read({ try $0.fetchIdentifiers(plan).first }) else {
      throw SyncError(
        .parentNotFound, entity: entity.name, key: parent.key,
        message: "There is no \(entity.name) with \(entity.primaryKey?.name ?? "the key") "
          + "“\(parent.key)” in the store. "
          + "Import it first.")
    }
    return id
  }

  // MARK: - Meanwhile and afterwards

  private func runAlone(
    _ sync: Sync, on stack: DataStack, _ terminal: Terminal
  ) async throws -> SyncReport {
    do {
      return try await run(sync, on: stack, terminal)
    } catch is CancellationError where settings.batch != nil {
      throw Cancelled(
        "What was stored stays; the same import finds it unchanged. Nothing was deleted.")
    } catch  where settings.batch != nil {
      terminal.note(
        "Batches before the one that failed stay; the same import finds them unchanged. Nothing was "
          + "deleted.")
      throw error
    }
  }

  /// Each page is stored as it comes; objects that none of them mentioned are deleted at the end,
  /// when all have come.
  private func runPages(
    _ pages: [ImportPage], on stack: DataStack, _ terminal: Terminal
  ) async throws -> SyncReport {
    let session = try SyncSession(entity: settings.entity, dataStack: stack, name: settings.session)
    session.settings = syncSettings
    var stored: Set<String> = []
    if let name = settings.session {
      let others = try stack.keptSessions().filter { $0.name == name }.map(\.entityName)
      if let other = others.first, !others.contains(settings.entity) {
        throw ToolError(
          "The session “\(name)” has pages of \(other), not of \(settings.entity). Give --entity "
            + "\(other), or another name; 'syncstack sessions --abandon \(name)' forgets it.")
      }
      stored = try session.announce(ImportPage.marks(pages), settings: settings.lasting)
    }
    let rest = pages.filter { !stored.contains($0.name) }
    if rest.count < pages.count, !settings.isQuiet {
      terminal.note(
        "Going on with session “\(session.name ?? "")”: \(pages.count - rest.count) of "
          + "\(Figures.counted(pages.count, "page")) stored before.")
    }
    do {
      var reports: [SyncReport] = []
      for page in rest {
        let sync = session.page(
          page.payload, named: page.name,
          at: settings.path.map { JSONPath($0) })
        reports.append(try await run(sync, on: stack, terminal))
        stored.insert(page.name)
      }
      var report = try await run(session.finishOperation(), on: stack, terminal)
      for page in reports { report.add(page) }
      return report
    } catch {
      if settings.session == nil { try session.abandon() }
      let stop = rest.first { !stored.contains($0.name) }.map { " Stopped at \($0.name)." } ?? ""
      let state =
        "\(stored.count) of \(Figures.counted(Set(pages.map(\.name)).count, "page")) stored, nothing "
        + "deleted." + stop + howToGoOn
      if error is CancellationError { throw Cancelled(state) }
      terminal.note(state)
      throw error
    }
  }

  private var howToGoOn: String {
    guard let session = settings.session else { return "" }
    return
      " The same command goes on behind them; 'syncstack sessions --abandon \(session)' forgets "
      + "which they are."
  }

  private func run(
    _ sync: Sync, on stack: DataStack, _ terminal: Terminal
  ) async throws -> SyncReport {
    sync.name = "syncstack import"
    try Task.checkCancellation()
    guard !settings.isQuiet else { return try await stack.sync(sync) }
    let display = ProgressDisplay(of: sync, on: terminal)
    defer { display.end() }
    return try await stack.sync(sync)
  }

  /// A document of which nothing can be used is most likely not the one that was meant.
  private func checkUse(of report: SyncReport, _ entities: [String]) throws {
    let found = Set(entities).compactMap { report.entities[$0] }
    guard settings.onError != .quarantine, report.itemCount > 0,
      found.reduce(0, { $0 + $1.skipped }) >= report.itemCount, report.isUnchanged,
      found.allSatisfy({ $0.unchanged == 0 })
    else { return }
    let first = report.findings(of: .skippedItem).first
    let reason = first.map { " \($0.path ?? "$"): \($0.message)" } ?? ""
    throw ToolError(
      (report.itemCount == 1
        ? "The only item cannot be used."
        : "None of the \(Figures.counted(report.itemCount, "item")) can be used.")
        + "\(reason) Nothing was "
        + "stored. --at names the list when it lies deeper in the document; 'syncstack doctor' says "
        + "what would fit.")
  }

  private func write(
    _ report: SyncReport, of model: ManagedObjectModel, seconds: Double, to terminal: Terminal
  ) throws {
    switch settings.report {
    case .none: return
    case .json: try terminal.write(json: report)
    case .text:
      let text = ReportText(report: report, model: model)
      if let deletions = text.deletions { terminal.print(deletions) }
      terminal.print(text.table)
      terminal.print(text.remarks)
      terminal.print(text.conclusion(store: settings.store.relativePath, seconds: seconds))
    }
  }
}
