import Foundation
import SyncStack
import TestSupport

@testable import SyncStackTool

/// Runs command lines as the tool does, in a folder of their own, and keeps what they write.
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

  func run(_ words: String...) async -> (code: ExitCode, output: String, error: String) {
    await run(words)
  }

  func run(_ words: [String]) async -> (code: ExitCode, output: String, error: String) {
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
  func countries(_ year: Int, _ more: String...) async -> (code: ExitCode, output: String) {
    let words = [
      "import", Fixtures.exampleData("countries-\(year).json").path, "--model",
      Fixtures.exampleData("Countries.xcdatamodeld").path, "--entity", "Country", "--at",
      "countries",
      "--store", store, "--quiet",
    ]
    let result = await run(words + more)
    return (result.code, result.output)
  }
}
