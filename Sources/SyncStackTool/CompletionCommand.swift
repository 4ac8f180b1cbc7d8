/// `syncstack completion`: a script that lets a shell complete command lines of the tool. Lies
/// above the commands, because it speaks of all of them.
struct CompletionCommand: Command {
  static let syntax = CommandSyntax(
    name: "completion", summary: "Writes a script that teaches a shell to complete command lines.",
    operands: [
      .init("bash|zsh|fish", "the shell; 'source <(syncstack completion bash)' is enough")
    ],
    options: [],
    example: "syncstack completion bash > syncstack.bash")

  private let shell: CompletionScript.Shell

  init(_ arguments: Arguments) throws {
    let word = arguments.operands[0]
    guard let shell = CompletionScript.Shell(rawValue: word) else {
      throw arguments.error("“\(word)” is none of the shells bash, zsh and fish.")
    }
    self.shell = shell
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    terminal.write(CompletionScript(commands: Tool.commands.map { $0.syntax }).text(for: shell))
    return .done
  }
}
