import Foundation
import SyncStack

/// `syncstack export`: stored objects as JSON.
struct ExportCommand: Command {
  static let syntax = CommandSyntax(
    name: "export", summary: "Writes stored objects as JSON.",
    operands: [],
    options: [
      .init("--store", value: "FILE", required: true, "the SQLite file"),
      .init("--entity", value: "NAME", required: true, "the entity to write"),
      .init("--where", value: "PREDICATE", "which objects, as in 'age > 18'"),
      MappingFile.option,
      .init("--sort", value: "KEYS", "their order, as in -age,name; that of insertion without it"),
      .init(
        "--relationships", value: "none|array|nested|keys",
        "array, the default, as import reads them; nested as Rails does: notes_attributes; keys as "
          + "references: company_id, tag_ids"),
      .init("--camel-case", "names of properties as they are, not in snake case"),
      .init("--omit-null", "leaves out attributes without value"),
      .init("--lines", "an object a line instead of one array"),
      .init("--pretty", "indented, for people"),
      .init("--output", value: "FILE", "the file to write; the standard output without it"),
    ],
    example:
      "syncstack export --store app.sqlite --entity User --where 'age > 18' --output users.json")

  private let store: URL
  private let entity: String
  private let filter: Filter?
  private let sort: [SortKey]
  private let options: ExportOptions
  private let mapping: MappingFile?
  private let output: URL?

  init(_ arguments: Arguments) throws {
    store = URL(filePath: try arguments.required("--store"))
    entity = try arguments.required("--entity")
    filter = arguments["--where"].map { Filter(format: $0, arguments: []) }
    sort = (arguments["--sort"] ?? "").split(separator: ",").map { SortKey(String($0)) }
    mapping = MappingFile(arguments)
    output = try arguments.output("--output", beside: store)
    var options = ExportOptions()
    options.relationshipType = try arguments.choice("--relationships") ?? .array
    options.inflectionType = arguments.has("--camel-case") ? .camelCase : .snakeCase
    options.nullHandling = arguments.has("--omit-null") ? .omitted : .written
    options.layout = arguments.has("--lines") ? .lines : .array
    options.isPretty = arguments.has("--pretty")
    self.options = options
    if options.isPretty, options.layout == .lines {
      throw arguments.error("--pretty and --lines exclude each other.")
    }
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    let progress = ExportProgress()
    let display = showsProgress(terminal) ? ProgressDisplay(on: terminal) { progress.step } : nil
    defer { display?.end() }
    let task = Task { try write(to: terminal, progress) }
    let interrupt = Interrupt { task.cancel() }
    defer { withExtendedLifetime(interrupt) {} }
    try await task.value
    return .done
  }

  /// On a terminal, and not between the lines of the result.
  private func showsProgress(_ terminal: Terminal) -> Bool {
    terminal.errorWidth != nil && (output != nil || terminal.outputWidth == nil)
  }

  private func write(to terminal: Terminal, _ progress: ExportProgress) throws {
    let model = try Store.keptModel(at: self.store)
    let request = FetchPlan(
      entity: try model.requireEntity(named: entity), filter: filter, sort: sort)
    if let comparison = LetterComparison(in: filter, of: request.entity) {
      terminal.note("\(comparison)")
    }
    var configuration = Store.Configuration(.file(self.store))
    configuration.isReadOnly = true
    let store = try Store(model: model, configuration: configuration)
    defer { try? store.close() }
    let plans = MappingPlanCache(
      transformers: .shared, registry: try mapping?.rules(of: model) ?? RuleRegistry())
    let export = StoreExport(store, plans: plans, options: options)
    progress.begin(try store.read { try $0.count(request) })
    guard let output else {
      try write(export, request, progress) { terminal.output($0) }
      return
    }
    let count = try ExportFile.replace(output) { handle in
      try write(export, request, progress) { try handle.write(contentsOf: $0) }
    }
    terminal.note("\(Figures.counted(count, "object")) written to \(output.relativePath).")
  }

  @discardableResult
  private func write(
    _ export: StoreExport, _ request: FetchPlan, _ progress: ExportProgress,
    to output: @escaping (Data) throws -> Void
  ) throws -> Int {
    var writer = ExportWriter(options, to: output)
    let count = try export.forEach(request) {
      try writer.write($0)
      progress.advance()
    }
    try writer.finish()
    return count
  }
}

/// How many objects are written. Protected by its lock.
private final class ExportProgress: Sendable {
  private let state = Locked((done: 0, total: 0))

  func begin(_ total: Int) { state.withLock { $0.total = total } }

  func advance() { state.withLock { $0.done += 1 } }

  var step: ProgressDisplay.Step? {
    let (done, total) = state.withLock { $0 }
    guard total > 0 else { return nil }
    return .init(
      phase: "export", completed: done, total: total, fraction: Double(done) / Double(total))
  }
}
