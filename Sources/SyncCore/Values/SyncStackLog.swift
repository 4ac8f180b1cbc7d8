/// Findings that no caller can be thrown an error for, told to a handler of the program.
///
/// ```swift
/// SyncStackLog.handler = { print("SyncStack:", $0) }
/// ```
public enum SyncStackLog {
  private static let state = Locked<(@Sendable (String) -> Void)?>(nil)

  /// Called with a sentence for each finding, on the thread that met it; nil, as in the beginning,
  /// drops them.
  public static var handler: (@Sendable (String) -> Void)? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// Tells of something.
  package static func note(_ sentence: @autoclosure () -> String) {
    if let handler { handler(sentence()) }
  }
}
