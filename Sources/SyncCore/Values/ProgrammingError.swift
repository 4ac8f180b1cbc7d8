/// Stops the program because of a mistake in it: a wrong queue, a value that was never set, use
/// after close.
///
/// The message tells the remedy, and is printed in release builds too: `precondition` and
/// `preconditionFailure` drop their text under `-O`, and leave the programmer with a bare trap.
@usableFromInline
package func programmingError(
  _ message: String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
  fatalError(message, file: file, line: line)
}

/// Stops the program with a message when a condition does not hold, in every build.
@inlinable
package func require(
  _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String,
  file: StaticString = #fileID, line: UInt = #line
) {
  if !condition() { programmingError(message(), file: file, line: line) }
}
