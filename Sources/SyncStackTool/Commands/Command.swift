/// One thing that the tool can do.
protocol Command: Sendable {
  static var syntax: CommandSyntax { get }

  /// Understands the arguments, without doing anything yet.
  ///
  /// - Throws: ``UsageError``.
  init(_ arguments: Arguments) throws

  /// Does it.
  func run(terminal: Terminal) async throws -> ExitCode
}
