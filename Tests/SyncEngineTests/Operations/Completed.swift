/// Waits for a call with a completion, and throws its error.
func completed(_ call: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws {
  let error: (any Error)? = await withCheckedContinuation { continuation in
    call { continuation.resume(returning: $0) }
  }
  if let error { throw error }
}
