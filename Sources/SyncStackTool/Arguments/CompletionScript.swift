/// Scripts that teach shells the command line, made of the syntax of the commands.
struct CompletionScript {
  enum Shell: String, CaseIterable { case bash, zsh, fish }

  let commands: [CommandSyntax]

  func text(for shell: Shell) -> String {
    let lines =
      switch shell {
      case .bash: bash
      case .zsh: zsh
      case .fish: fish
      }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: - bash

  private var bash: [String] {
    let names = commands.map(\.name).joined(separator: " ")
    return [
      "# bash completion of syncstack: source <(syncstack completion bash)",
      "_syncstack() {",
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}",
      "  local options='' choices='' files='' IFS=$' \\t\\n'",
      "  COMPREPLY=()",
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then command=''; fi",
      "  case \"$command\" in",
      "    '') choices='\(names) help --help --version' ;;",
      "    help) choices='\(names)' ;;",
    ] + commands.map(bashWords) + [
      "  esac",
      "  case \"$command $before\" in",
    ] + commands.flatMap(bashValues) + [
      "  esac",
      "  case \"$word\" in -*) choices=\"$options $choices\" files='' ;; esac",
      "  COMPREPLY=($(compgen -W \"$choices\" -- \"$word\"))",
      "  # Names of files may hold blanks.",
      "  IFS=$'\\n'",
      "  if [ -n \"$files\" ]; then COMPREPLY+=($(compgen -f -- \"$word\")); fi",
      "}",
      "complete -o filenames -F _syncstack syncstack",
    ]
  }

  /// The line of the script with the words of a command.
  private func bashWords(_ command: CommandSyntax) -> String {
    let options = command.options.map(\.name) + ["--help"]
    let choices = command.operands.flatMap(\.choices).joined(separator: " ")
    let files = command.operands.contains(where: \.takesFile) ? "yes" : ""
    return "    \(command.name)) options='\(options.joined(separator: " "))' choices='\(choices)' "
      + "files='\(files)' ;;"
  }

  /// The lines of the script with the values of its options.
  private func bashValues(_ command: CommandSyntax) -> [String] {
    command.options.filter { $0.placeholder != nil }.map { option in
      let choices = option.choices.joined(separator: " ")
      return "    '\(command.name) \(option.name)') options='' choices='\(choices)' "
        + "files='\(option.takesFile ? "yes" : "")' ;;"
    }
  }

  // MARK: - zsh

  private var zsh: [String] {
    var lines = [
      "#compdef syncstack",
      "# zsh completion of syncstack: a file _syncstack in a folder of $fpath, or",
      "# source <(syncstack completion zsh) behind compinit.",
      "_syncstack() {",
      "  local -a commands",
      "  commands=(",
    ]
    lines += commands.map { "    \(quoted("\($0.name):\($0.summary)"))" }
    lines += [
      "    'help:Lists the options of a command.'",
      "  )",
      "  if (( CURRENT == 2 )); then",
      "    _describe command commands",
      "    compadd -- --help --version",
      "    return",
      "  fi",
      "  local command=$words[2]",
      "  shift words",
      "  (( CURRENT-- ))",
      "  case $command in",
      "    help) _describe command commands ;;",
    ]
    for command in commands {
      lines.append("    \(command.name)) _arguments -S \\")
      for option in command.options {
        let value = option.placeholder.map {
          ":\(zshText($0)):\(zshAction(option.choices, option.takesFile))"
        }
        lines.append(
          "      \(quoted("\(option.name)\(value == nil ? "" : "=")[\(zshText(option.help))]\(value ?? "")")) \\"
        )
      }
      for operand in command.operands {
        let action = zshAction(operand.choices, operand.takesFile)
        lines.append(
          "      \(quoted("\(operand.repeats ? "*" : ""):\(zshText(operand.name)):\(action)")) \\")
      }
      lines.append("      '--help[lists the options]' ;;")
    }
    return lines + [
      "  esac",
      "}",
      // Sourced, the script names the command that it completes; found through $fpath, it is the
      // function itself.
      #"if [ "$funcstack[1]" = _syncstack ]; then _syncstack "$@"; else compdef _syncstack syncstack; fi"#,
    ]
  }

  private func zshAction(_ choices: [String], _ takesFile: Bool) -> String {
    if takesFile { return "_files" }
    return choices.isEmpty ? " " : "(\(choices.joined(separator: " ")))"
  }

  /// The text without characters that mean something in a specification of `_arguments`.
  private func zshText(_ text: String) -> String {
    text.replacing("[", with: "(").replacing("]", with: ")").replacing(":", with: "\\:")
  }

  // MARK: - fish

  private var fish: [String] {
    var lines = [
      "# fish completion of syncstack: syncstack completion fish > ~/.config/fish/completions/syncstack.fish",
      "complete -c syncstack -f",
      "complete -c syncstack -n __fish_use_subcommand -l version -d 'says which version this is'",
      "complete -c syncstack -l help -d 'lists the options'",
    ]
    lines +=
      (commands.map { ($0.name, $0.summary) } + [("help", "Lists the options of a command.")])
      .map { "complete -c syncstack -n __fish_use_subcommand -a \($0) -d \(fishQuoted($1))" }
    let names = commands.map(\.name).joined(separator: " ")
    lines.append("complete -c syncstack -n '__fish_seen_subcommand_from help' -a '\(names)'")
    for command in commands {
      let start = "complete -c syncstack -n '__fish_seen_subcommand_from \(command.name)'"
      for option in command.options {
        var line = start + " -l \(option.name.dropFirst(2))"
        if option.takesFile {
          line += " -r -F"
        } else if option.placeholder != nil {
          line += " -x"
          if !option.choices.isEmpty { line += " -a '\(option.choices.joined(separator: " "))'" }
        }
        lines.append("\(line) -d \(fishQuoted(option.help))")
      }
      let choices = command.operands.flatMap(\.choices)
      if !choices.isEmpty { lines.append("\(start) -a '\(choices.joined(separator: " "))'") }
      if command.operands.contains(where: \.takesFile) { lines.append("\(start) -F") }
    }
    return lines
  }

  // MARK: - Quoting

  /// As one word of a shell of the Bourne family.
  private func quoted(_ text: String) -> String {
    "'\(text.replacing("'", with: #"'\''"#))'"
  }

  private func fishQuoted(_ text: String) -> String {
    "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }
}
