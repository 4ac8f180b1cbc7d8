import Synchronization

/// A value behind a mutex.
///
/// `Mutex` alone would do, but for the thread sanitizer: a thread that has to wait for a mutex gets
/// it inside the standard library, where the sanitizer does not look on Linux, so it takes the next
/// access for a race. The two atomic operations tell it the order of accesses; they cost about a
/// nanosecond.
package struct Locked<Value>: ~Copyable {
  private let mutex: Mutex<Value>
  private let order = Atomic<Int>(0)

  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Calls the body while no other thread has the value. The body must not call out.
  package borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
      _ = order.load(ordering: .acquiring)
      defer { order.store(0, ordering: .releasing) }
      return try body(&value)
    }
  }
}

extension Locked: Sendable {}
