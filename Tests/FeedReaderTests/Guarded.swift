import Foundation

/// A value that one thread at a time has.
final class Guarded<Value>: @unchecked Sendable {
  // Unchecked: the value is only touched with the lock held.
  private let lock = NSLock()
  private var value: Value

  init(_ value: sending Value) {
    self.value = value
  }

  /// Calls the body while no other thread has the value. The body must not call out.
  func with<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
