/// A command line that makes no sense, with advice.
struct UsageError: Error, CustomStringConvertible {
  let message: String
  /// The command it is about; nil for the tool as a whole.
  let command: String?

  init(_ message: String, command: String? = nil) {
    self.message = message
    self.command = command
  }

  var description: String {
    message + " Run 'syncstack help\(command.map { " \($0)" } ?? "")' for the options."
  }
}
