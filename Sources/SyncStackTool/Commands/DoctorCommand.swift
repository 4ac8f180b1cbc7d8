import Foundation
import SyncStack

/// `syncstack doctor`: lists the parts of a document that would not map, and why. It syncs the
/// document into an empty store in memory and keeps nothing.
struct DoctorCommand: Command {
  static let syntax = CommandSyntax(
    name: "doctor",
    summary:
      "Says what of JSON documents would not map, and why; exit code 1 when anything would not.",
    operands: [
      .init(
        "FILE", repeats: true,
        "the JSON document; - for the standard input; several are pages of one list")
    ],
    options: [
      .init("--model", value: "MODEL", required: true, "the model document"),
      .init("--entity", value: "NAME", required: true, "the entity of the items"),
      .init("--at", value: "PATH", "where the list lies inside the document, as in data.items"),
      DocumentOption.option,
      MappingFile.option,
      .init("--json", "the diagnosis as JSON, with the report of the trial"),
    ],
    example: "syncstack doctor users.json --model Demo.xml --entity User")

  private let files: [String]
  private let model: URL
  private let entity: String
  private let path: String?
  private let form: DocumentForm?
  private let mapping: MappingFile?
  private let isJSON: Bool

  init(_ arguments: Arguments) throws {
    files = arguments.operands
    guard files.count(where: { $0 == "-" }) < 2 else {
      throw arguments.error("The standard input can be read once.")
    }
    model = URL(filePath: try arguments.required("--model"))
    entity = try arguments.required("--entity")
    path = arguments["--at"]
    form = try DocumentOption.form(arguments)
    mapping = MappingFile(arguments)
    isJSON = arguments.has("--json")
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    let trial = MappingTrial(
      model: try ManagedObjectModel(contentsOf: model), entity: entity, path: path,
      mapping: mapping)
    let inputs = try files.map { try DraftInput($0) }
    let forms = files.map { DocumentForm(of: $0, given: form) }
    let isPlain = forms.allSatisfy { $0 == nil }
    let documents = zip(inputs, forms).map { (name: $0.name, payload: $0.payload.form($1)) }
    let diagnosis: Diagnosis
    do {
      diagnosis = try await trial.run(documents, on: terminal)
    } catch let error as JSONError where isJSON {
      try terminal.write(json: DiagnosisSummary(refusal: ToolMessage.text("\(error)")))
      return .failed
    } catch let error as SyncError {
      // A document of which nothing can be used is refused as a whole.
      var lines = [ToolMessage.text(error.message)]
      if isPlain, !lines[0].contains(ToolMessage.listOption),
        let advice = try ListPlaces(in: inputs[0].bytes(), at: path).advice
      {
        lines.append(advice)
      }
      if isJSON {
        try terminal.write(json: DiagnosisSummary(refusal: lines.joined(separator: " ")))
      } else {
        terminal.print(lines)
      }
      return .failed
    }
    if isJSON {
      try terminal.write(json: DiagnosisSummary(diagnosis))
      return diagnosis.isHealthy ? .done : .failed
    }
    terminal.print(diagnosis.lines)
    let report = diagnosis.report
    if isPlain, report.itemCount == 1, report.skipped == 1,
      let advice = try ListPlaces(in: inputs[0].bytes(), at: path).advice
    {
      terminal.print(advice)
    }
    return diagnosis.isHealthy ? .done : .failed
  }
}
