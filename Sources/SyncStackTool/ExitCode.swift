/// How the tool ended, as its exit code says.
enum ExitCode: Int32 {
  case done = 0
  /// The work was refused or failed; the store is as it was.
  case failed = 1
  /// The command line makes no sense.
  case usage = 2
  /// The reader of the output has gone: 128 and the number of the signal that ends other tools
  /// then.
  case unread = 141
  /// Stopped by the user; the store is as it was, or as the latest page or batch left it.
  case cancelled = 130
}
