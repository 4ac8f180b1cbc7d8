public import Synchronization

/// A value behind a mutex.
///
/// `Mutex` alone would do, but for the thread sanitizer: a thread that has to wait for a mutex gets
/// it inside the standard library, where the sanitizer does not look on Linux, so it takes the next
/// access for a race. The two atomic operations tell it the order of accesses; they cost about a
/// nanosecond.
///
/// Public, because the compiler carries no `package` function into another module: a call took 805
/// instructions instead of 38. No program that uses the package needs it.
@frozen public struct _Locked<Value>: ~Copyable {
  @usableFromInline let mutex: Mutex<Value>
  @usableFromInline let order: Atomic<Int>

  @inlinable public init(_ value: consuming sending Value) {
    mutex = Mutex(value)
    order = Atomic(0)
  }

  /// Calls the body while no other thread has the value. The body must not call out.
  @inlinable public borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
      _ = order.load(ordering: .acquiring)
      defer { order.store(0, ordering: .releasing) }
      return try body(&value)
    }
  }
}

extension _Locked: Sendable {}

/// The name inside the package.
package typealias Locked = _Locked
