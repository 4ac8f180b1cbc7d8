import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

/// Help, version and completion.
@Suite struct HelpTests {
  @Test(arguments: [60, 80, 132]) func helpFitsTheTerminal(_ width: Int) async throws {
    let bench = try ToolBench(width: width)
    for words in [["help"]] + Tool.commands.map({ ["help", $0.syntax.name] }) {
      let help = await bench.run(words).output
      for line in help.split(separator: "\n") {
        #expect(TextWidth.of(line) <= width, "\(line)")
      }
      // Broken between words, not cut.
      #expect(!help.contains("…"))
    }
  }

  @Test func everyOptionIsInTheHelpWithWhatItMeans() {
    for command in Tool.commands {
      let words = Set(
        HelpText(syntax: command.syntax).text().split { $0 == " " || $0.isNewline })
      for option in command.syntax.options {
        #expect(words.contains(Substring(option.name)), "\(command.syntax.name)")
        for word in option.help.split(separator: " ") { #expect(words.contains(word)) }
      }
    }
  }

  @Test func theVersionIsThatOfTheChangelog() async throws {
    let changelog = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "CHANGELOG.md")
    let heading = try String(contentsOf: changelog, encoding: .utf8)
      .split(separator: "\n").first { $0.hasPrefix("## ") }
    let version = try #require(heading?.split(separator: " ").dropFirst().first)
    let result = await (try ToolBench()).run("--version")
    #expect(result.code == .done)
    #expect(result.output == "syncstack \(version)\n")
  }

  // MARK: - Completion

  @Test(arguments: CompletionScript.Shell.allCases)
  func scriptsNameEveryCommandAndOption(_ shell: CompletionScript.Shell) async throws {
    let result = await (try ToolBench()).run("completion", shell.rawValue)
    #expect(result.code == .done)
    for command in Tool.commands {
      #expect(result.output.contains(command.syntax.name))
      for option in command.syntax.options {
        let name = shell == .fish ? "-l \(option.name.dropFirst(2)) " : option.name
        #expect(result.output.contains(name), "\(name)")
      }
    }
  }

  /// What bash itself makes of the script.
  @Test(
    .enabled("no bash") { FileManager.default.isExecutableFile(atPath: "/bin/bash") },
    arguments: [
      ("im", "import"), ("--v", "--version"), ("help exp", "export"),
      ("import --on-e", "--on-error"), ("import --on-error q", "quarantine"),
      ("import --guard o", "off on"), ("completion ", "bash fish zsh"),
      ("model --diagram ", "dot mermaid svg"), ("import 'my us", "my users.json"),
      ("show --store 'my", "my users.json"), ("show Us", ""), ("show User --where n", ""),
      ("import --store= --entity ", ""),
    ])
  func bashCompletesCommandLines(_ line: String, _ expected: String) async throws {
    let bench = try ToolBench()
    _ = try bench.file("my users.json", "[]")
    let script = try bench.file("completion.bash", await bench.run("completion", "bash").output)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.currentDirectoryURL = bench.folder.url
    // The words as bash gives them: without quotation marks.
    let words = "syncstack \(line)".split(separator: " ", omittingEmptySubsequences: false)
    let joined =
      line.contains("'")
      ? words.prefix { !$0.hasPrefix("'") }.map(String.init)
        + [words.drop { !$0.hasPrefix("'") }.joined(separator: " ").replacing("'", with: "")]
      : words.map(String.init)
    process.arguments =
      [
        "-c",
        #"source "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _syncstack && printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '"#,
        script,
      ] + joined
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let found = String(decoding: data, as: UTF8.self).trimmingCharacters(
      in: .whitespacesAndNewlines)
    #expect(found == expected)
  }
}
