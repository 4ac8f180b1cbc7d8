import Foundation
import SyncStack

/// `syncstack doctor`: what of a document would not map, and why. Syncs it into an empty store in memory
/// and keeps nothing.
struct DoctorCommand: Command {
  static let syntax = CommandSyntax(
    name: "doctor",
    summary:
      "Says what of a JSON document would not map, and why; exit code 1 when anything would not.",
    operands: [.init("FILE", "the JSON document; - for the standard input")],
    options: [
      .init("--model", value: "MODEL", required: true, "the model document"),
      .init("--entity", value: "NAME", required: true, "the entity of the items"),
      .init("--at", value: "PATH", "where the list lies inside the document, as in data.items"),
      MappingFile.option,
    ])

  private let file: String
  private let model: URL
  private let entity: String
  private let path: String?
  private let mapping: MappingFile?

  init(_ arguments: Arguments) throws {
    file = arguments.operands[0]
    model = URL(filePath: try arguments.required("--model"))
    entity = try arguments.required("--entity")
    path = arguments["--at"]
    mapping = MappingFile(arguments)
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    let model = try ManagedObjectModel(contentsOf: self.model)
    let entity = try model.requireEntity(named: entity)
    let stack = try DataStack(model: LenientModel.of(model), store: .inMemory)
    defer { try? stack.close() }
    try mapping?.apply(to: stack)
    let payload = try InputFile.payload(file)
    let sync = Sync(payload, inEntityNamed: entity.name, dataStack: stack, at: path)
    sync.onItemError = .skip
    sync.deletionGuard = .off
    let interrupt = Interrupt { sync.cancel() }
    defer { withExtendedLifetime(interrupt) {} }
    let report = try await stack.sync(sync)
    let diagnosis = Diagnosis(
      report: report,
      mapping: MappingDescription(
        stack.mappingPlans.plan(for: try stack.model.requireEntity(named: entity.name))),
      missing: try LenientModel.missingValues(in: stack.store, of: model))
    terminal.print(diagnosis.lines)
    if report.itemCount == 1, report.skipped == 1, let advice = try places(in: payload).advice {
      terminal.print(advice)
    }
    return diagnosis.isHealthy ? .done : .failed
  }

  /// Where the items may lie when the document as a whole is none.
  private func places(in payload: SyncPayload) throws -> ListPlaces {
    if case .data(let data) = payload { return try ListPlaces(in: data, at: path) }
    return try ListPlaces(in: InputFile.data(file), at: path)
  }
}
