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
      let words = Set(HelpText(syntax: command.syntax).text().split { $0 == " " || $0.isNewline })
      for option in command.syntax.options {
        #expect(words.contains(Substring(option.name)), "\(command.syntax.name)")
        for word in option.help.split(separator: " ") { #expect(words.contains(word)) }
      }
    }
  }

  @Test func everyHelpHasAnExampleThatTheCommandTakes() async throws {
    for command in Tool.commands {
      let example = command.syntax.example
      let lines = example.split(separator: " > ")[0].replacing("'age > 18'", with: "age>18")
      let words = lines.split(separator: " ").map(String.init)
      #expect(words.prefix(2) == ["syncstack", command.syntax.name])
      _ = try command.init(Arguments(Array(words.dropFirst(2)), syntax: command.syntax))
      let help = await (try ToolBench()).run("help", command.syntax.name).output
      // In lines that a shell takes for one.
      let shown = help.split(separator: "Example:").last.map(String.init) ?? ""
      let joined = shown.replacing("\\\n", with: " ").split(separator: " ").joined(separator: " ")
      #expect(joined.trimmingCharacters(in: .whitespacesAndNewlines) == example)
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
    // Behind it the commit, where no tag says which one it is.
    #expect(result.output.hasPrefix("syncstack \(version)"))
    let rest = result.output.dropFirst("syncstack \(version)".count)
    #expect(rest == "\n" || rest.wholeMatch(of: /\ \([0-9a-f]{10}(, changed)?\)\n/) != nil)
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

  /// The words that bash itself offers by the script.
  @Test(
    .enabled("no bash") { FileManager.default.isExecutableFile(atPath: "/bin/bash") },
    arguments: [
      ("im", "import"), ("--v", "--version"), ("help exp", "export"),
      ("import --on-e", "--on-error"), ("import --on-error q", "quarantine"),
      ("import --guard o", "off on"), ("completion ", "bash fish zsh"),
      ("model --diagram ", "dot mermaid"), ("import 'my us", "my users.json"),
      ("show --store 'my", "my users.json"), ("show Us", ""), ("show User --where n", ""),
      ("import --store= --entity ", ""),
    ])
  func bashCompletesCommandLines(_ line: String, _ expected: String) async throws {
    let bench = try ToolBench()
    _ = try bench.file("my users.json", "[]")
    let script = try bench.file("completion.bash", await bench.run("completion", "bash").output)
    // The words as bash gives them: without quotation marks.
    let words = "syncstack \(line)".split(separator: " ", omittingEmptySubsequences: false)
    let joined =
      line.contains("'")
      ? words.prefix { !$0.hasPrefix("'") }.map(String.init)
        + [words.drop { !$0.hasPrefix("'") }.joined(separator: " ").replacing("'", with: "")]
      : words.map(String.init)
    let found = try shell(
      "/bin/bash", in: bench,
      [
        "-c",
        #"source "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _syncstack && printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '"#,
        script,
      ] + joined)
    #expect(found == expected)
  }

  /// The words that fish itself offers by the script.
  @Test(
    .enabled("no fish") { Self.path(of: "fish") != nil },
    arguments: [
      ("im", "import"), ("--v", "--version"), ("help exp", "export"),
      ("import --on-e", "--on-error"), ("import --on-error q", "quarantine"),
      ("import --guard o", "off on"), ("completion ", "bash fish zsh"),
      ("model --diagram ", "dot mermaid"), ("import us", "users.json"),
      ("import --model us", "users.json"), ("show us", ""),
    ])
  func fishCompletesCommandLines(_ line: String, _ expected: String) async throws {
    let bench = try ToolBench()
    _ = try bench.file("users.json", "[]")
    let script = try bench.file("completion.fish", await bench.run("completion", "fish").output)
    let found = try shell(
      #require(Self.path(of: "fish")), in: bench,
      [
        "--no-config", "-c",
        "source $argv[1]; complete -C $argv[2] | string replace -r '\\t.*' '' | sort | string join ' '",
        script, "syncstack \(line)",
      ])
    #expect(found == expected)
  }

  /// The words that zsh itself hands to its own functions of completion by the script. The marks in
  /// front of them are those of `_arguments`.
  @Test(
    .enabled("no zsh") { Self.path(of: "zsh") != nil },
    arguments: [
      ("''", "describe command commands\nadd --help --version"),
      ("help ''", "describe command commands"),
      ("completion ''", "arguments :bash|zsh|fish:(bash zsh fish) --help[lists the options]"),
      ("model ''", "--diagram=[a diagram instead of text]:mermaid|dot:(mermaid dot)"),
      (
        "import ''",
        "--model=[the .xcdatamodeld, .xcdatamodel or XML file; that of the store unless given]:MODEL:_files"
      ),
    ])
  func zshCompletesCommandLines(_ line: String, _ expected: String) async throws {
    let bench = try ToolBench()
    let script = try bench.file("_syncstack", await bench.run("completion", "zsh").output)
    let found = try shell(
      #require(Self.path(of: "zsh")), in: bench,
      [
        "-f", "-c",
        """
        compdef() { [ "$*" = "_syncstack syncstack" ] }
        _describe() { print -r -- describe "$@" }
        compadd() { shift; print -r -- add "$@" }
        _arguments() { shift; print -r -- arguments "$@" }
        source "$1" || exit
        words=(syncstack \(line)) CURRENT=$#words
        _syncstack
        """, "zsh", script,
      ])
    #expect(found.contains(expected), "\(found)")
  }

  /// Where a shell is that not every system has.
  private static func path(of shell: String) -> String? {
    ["/usr/bin/", "/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + shell }
      .first(where: FileManager.default.isExecutableFile)
  }

  /// The output of a shell, without the line ends around it.
  private func shell(_ path: String, in bench: ToolBench, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.currentDirectoryURL = bench.folder.url
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
