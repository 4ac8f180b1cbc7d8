import Foundation
import SyncStack

/// `syncstack model`: shows a model document as text, as a diagram, or as a mapping; and a model to
/// begin with, drawn from JSON.
struct ModelCommand: Command {
  enum Diagram: String, CaseIterable { case mermaid, dot }

  static let syntax = CommandSyntax(
    name: "model", summary: "Shows what a model document says, or draws one from JSON.",
    operands: [
      .init(
        "MODEL", required: false, repeats: true,
        "the .xcdatamodeld, the .xcdatamodel, or the XML file inside it; with --from further payloads"
      )
    ],
    options: [
      .init("--diagram", value: "mermaid|dot", "a diagram instead of text"),
      .init("--mapping", "which JSON key fills what"),
      .init(
        "--from", value: "FILE",
        "draws a model to begin with from a JSON document, - for the standard input: types, optional "
          + "values, keys and relationships as they show in it, what is unsure as comments"),
      .init(
        "--entity", value: "NAME",
        "with --from: the entity of the items; after the file, or what --at leads to, unless given"),
      .init(
        "--at", value: "PATH", "with --from: where the list lies in the document, as in data.items"),
      DocumentOption.option,
      .init("--swift", "with --from: classes instead of a model document"),
    ],
    example: "syncstack model --from users.json --entity User > Demo.xml")

  private enum Work {
    case show(URL)
    case draw([String])
  }

  private let work: Work
  private let diagram: Diagram?
  private let showsMapping: Bool
  private let entity: String?
  private let path: String?
  private let form: DocumentForm?
  private let writesClasses: Bool

  init(_ arguments: Arguments) throws {
    diagram = try arguments.choice("--diagram")
    showsMapping = arguments.has("--mapping")
    writesClasses = arguments.has("--swift")
    path = arguments["--at"]
    form = try DocumentOption.form(arguments)
    if diagram != nil, showsMapping {
      throw arguments.error("--diagram and --mapping exclude each other.")
    }
    guard let file = arguments["--from"] else {
      for option in ["--entity", "--at", "--format", "--swift"] where arguments.has(option) {
        throw arguments.error("\(option) goes with --from.")
      }
      guard let model = arguments.operands.first else { throw arguments.error("MODEL is missing.") }
      guard arguments.operands.count == 1 else {
        throw arguments.error("“\(arguments.operands[1])” is one word too many.")
      }
      work = .show(URL(filePath: model))
      entity = nil
      return
    }
    if diagram != nil || showsMapping {
      throw arguments.error("--from excludes --diagram and --mapping.")
    }
    let files = [file] + arguments.operands
    guard files.count(where: { $0 == "-" }) < 2 else {
      throw arguments.error("The standard input can be read once.")
    }
    work = .draw(files)
    entity = arguments["--entity"]
    if let entity, !DraftNames.isEntity(entity) {
      throw arguments.error(
        "“\(entity)” cannot be the name of an entity: it takes letters and digits.")
    }
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    switch work {
    case .draw(let files):
      let draft = try await draw(files, terminal)
      for line in draft.advice { terminal.note(line) }
      terminal.write(
        writesClasses ? DraftClasses(draft: draft).text : DraftDocument(draft: draft).text)
    case .show(let url):
      let model = try ManagedObjectModel(contentsOf: url)
      switch diagram {
      case .mermaid: terminal.write(MermaidDiagram(model: model).text)
      case .dot: terminal.write(DotDiagram(model: model).text)
      case nil:
        if showsMapping {
          terminal.print(MappingDescription(of: model).description)
        } else {
          terminal.print(ModelText(model: model).lines(width: terminal.outputWidth))
        }
      }
    }
    return .done
  }

  private func draw(_ files: [String], _ terminal: Terminal) async throws -> ModelDraft {
    try await PayloadDrafting(
      inputs: files.map { try DraftInput($0, form: form) }, entity: entity, path: path,
      terminal: terminal
    ).draft()
  }
}
