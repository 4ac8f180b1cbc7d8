import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

/// Runs command lines as the tool does, in a folder of their own, and keeps their output.
final class ToolBench: Sendable {
  let folder: TemporaryFolder
  private let texts = Locked((output: "", error: ""))

  /// Cells in a line of the terminal; nil is no terminal.
  private let width: Int?

  init(width: Int? = nil) throws {
    self.width = width
    folder = try TemporaryFolder()
  }

  var store: String { folder.file("store.sqlite").path }

  /// Writes a file and gives its path.
  func file(_ name: String, _ text: String) throws -> String {
    let url = folder.file(name)
    try Data(text.utf8).write(to: url)
    return url.path
  }

  typealias Outcome = (code: ExitCode, output: String, error: String)

  func run(_ words: String...) async -> Outcome { await run(words) }

  func run(_ words: [String]) async -> Outcome {
    texts.withLock { $0 = ("", "") }
    let terminal = Terminal(
      outputWidth: width, errorWidth: nil,
      output: { data in self.texts.withLock { $0.output += String(decoding: data, as: UTF8.self) }
      },
      error: { data in self.texts.withLock { $0.error += String(decoding: data, as: UTF8.self) } })
    let code = await Tool.run(words, terminal: terminal)
    let (output, error) = texts.withLock { $0 }
    return (code, output, error)
  }

  /// Imports a snapshot of the countries.
  func countries(_ year: Int, _ more: String...) async -> Outcome {
    let words = [
      "import", Fixtures.exampleData("countries-\(year).json").path, "--model",
      Fixtures.exampleData("Countries.xcdatamodeld").path, "--entity", "Country", "--at",
      "countries", "--store", store, "--quiet",
    ]
    return await run(words + more)
  }
}

/// Expects the code of a command line, and parts of what it has printed.
func expect(
  _ result: ToolBench.Outcome, _ code: ExitCode? = nil,
  output: String..., error: String..., location: SourceLocation = #_sourceLocation
) {
  let text: Comment = "\(result.output)\n\(result.error)"
  #expect(code == nil || result.code == code, text, sourceLocation: location)
  for part in output { #expect(result.output.contains(part), text, sourceLocation: location) }
  for part in error { #expect(result.error.contains(part), text, sourceLocation: location) }
}

/// A tool over cities, which have a number and a name.
struct CityBench {
  let tool: ToolBench
  let model: String

  init() throws {
    tool = try ToolBench()
    model = try tool.file(
      "Cities.xml",
      """
      <model><entity name="City" syncable="YES">
        <attribute name="id" optional="YES" attributeType="Integer 64"/>
        <attribute name="name" optional="YES" attributeType="String"/>
      </entity></model>
      """)
  }

  /// Writes a file of cities and gives its path.
  func file(_ name: String, _ ids: Range<Int>, _ city: String = "city") throws -> String {
    let items = ids.map { "{\"id\": \($0), \"name\": \"\(city) \($0)\"}" }
    return try tool.file(name, "[" + items.joined(separator: ",\n") + "]")
  }

  func stored() throws -> [Int] {
    let stack = try DataStack(
      model: ManagedObjectModel(contentsOf: URL(filePath: model)),
      store: .sqlite(URL(filePath: tool.store)))
    defer { try? stack.close() }
    return try stack.inBackground { context in
      try context.fetch(Fetch<ManagedObject>(entityNamed: "City").sorted(by: "id"))
        .compactMap { ($0["id"] as? Int64).map(Int.init) }
    }
  }
}
