import Foundation

/// Where the tool writes: results to the standard output, everything about their making to the
/// standard error, so that the one can go into a file while the other stays on the screen.
struct Terminal: Sendable {
  /// Cells in a line of the standard output; nil when it is no terminal.
  let outputWidth: Int?

  /// Cells in a line of the standard error; nil when it is no terminal.
  let errorWidth: Int?

  /// Take the bytes for the standard output and the standard error.
  let output: @Sendable (Data) -> Void
  let error: @Sendable (Data) -> Void

  /// The terminal the tool was started in.
  static var current: Terminal {
    Terminal(
      outputWidth: TerminalDevice.output.columns,
      errorWidth: isDumb ? nil : TerminalDevice.error.columns,
      output: { data in
        do {
          try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
          leave(error)
        }
      },
      // No other stream is left for an error of this one.
      error: { try? FileHandle.standardError.write(contentsOf: $0) })
  }

  /// Whether the terminal says that it can do nothing but write one line below the other.
  private static var isDumb: Bool { ProcessInfo.processInfo.environment["TERM"] == "dumb" }

  /// Ends the tool, because its output reaches no reader: quietly when the reader has gone.
  private static func leave(_ error: any Error) -> Never {
    let reason = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    let code = reason?.domain == NSPOSIXErrorDomain ? reason.map { Int32($0.code) } : nil
    if code == EPIPE { exit(ExitCode.unread.rawValue) }
    let advice =
      code == EBADF
      ? "the standard output is closed. Send it to a file or another command."
      : "\(error.localizedDescription) Free some space, or send it elsewhere."
    let text =
      "syncstack: The output cannot be written: \(advice) What the command was to store is stored.\n"
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    exit(ExitCode.failed.rawValue)
  }

  /// Ends the tool at a Ctrl-C.
  ///
  /// - Parameter last: Takes away what is half made; other threads are still at their work.
  func leaveCancelled(_ last: () -> Void = {}) -> Never {
    if errorWidth != nil { overwrite("") }
    note("Cancelled.")
    last()
    _exit(ExitCode.cancelled.rawValue)
  }

  /// Writes a line of the result.
  func print(_ line: String = "") {
    output(Data((line + "\n").utf8))
  }

  /// Writes lines of the result.
  func print(_ lines: [String]) {
    if !lines.isEmpty { print(lines.joined(separator: "\n")) }
  }

  /// Writes a table as wide as the terminal allows.
  func print(_ table: TextTable) {
    print(table.lines(width: outputWidth))
  }

  /// Writes text of the result as it is.
  func write(_ text: String) {
    output(Data(text.utf8))
  }

  /// Writes a value of the result as JSON, for people to read as well.
  func write(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    write(String(decoding: try encoder.encode(value), as: UTF8.self) + "\n")
  }

  /// Writes a line about the course of the work.
  func note(_ line: String) {
    error(Data((line + "\n").utf8))
  }

  /// Names the one of several files at which an error stopped the work, unless it was cancelled.
  func noteStop(at file: String, of count: Int, _ error: any Error) {
    if count > 1, !(error is CancellationError) { note("Stopped at \(file).") }
  }

  /// Writes a question behind which the answer is typed.
  func ask(_ question: String) {
    error(Data(question.utf8))
  }

  /// Writes the line over the one that was there before; an empty line takes it away.
  func overwrite(_ line: String) {
    error(Data("\r\u{1B}[K\(line)".utf8))
  }
}
