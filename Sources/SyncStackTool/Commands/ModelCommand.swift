import Foundation
import SyncStack

/// `syncstack model`: what a model document says, as text, as a diagram, or as a mapping.
struct ModelCommand: Command {
  enum Diagram: String, CaseIterable { case mermaid, dot, svg }

  static let syntax = CommandSyntax(
    name: "model", summary: "Shows what a model document says.",
    operands: [
      .init("MODEL", "the .xcdatamodeld, the .xcdatamodel, or the XML file inside it")
    ],
    options: [
      .init("--diagram", value: "KIND", "a diagram instead of text: mermaid, dot or svg"),
      .init("--mapping", "which JSON key fills what"),
    ])

  private let url: URL
  private let diagram: Diagram?
  private let showsMapping: Bool

  init(_ arguments: Arguments) throws {
    url = URL(filePath: arguments.operands[0])
    diagram = try arguments.choice("--diagram")
    showsMapping = arguments.has("--mapping")
    if diagram != nil, showsMapping {
      throw arguments.error("--diagram and --mapping exclude each other.")
    }
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    let model = try ManagedObjectModel(contentsOf: url)
    switch diagram {
    case .mermaid: terminal.write(MermaidDiagram(model: model).text)
    case .dot: terminal.write(DotDiagram(model: model).text)
    case .svg: terminal.write(SVGDiagram(model: model).text)
    case nil:
      if showsMapping {
        terminal.print(MappingDescription(of: model).description)
      } else {
        terminal.print(ModelText(model: model).lines(width: terminal.outputWidth))
      }
    }
    return .done
  }
}
