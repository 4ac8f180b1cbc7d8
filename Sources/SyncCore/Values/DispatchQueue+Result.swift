package import Dispatch

extension DispatchQueue {
  /// The result of a body that runs on the queue: for work that waits for the disk, a writer or
  /// another process, which the threads of tasks may not.
  ///
  /// A cancelled task waits for the body, too.
  package func result<T: Sendable>(of body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      async { continuation.resume(with: Result { try body() }) }
    }
  }
}
