import Dispatch

extension DataStack {
  /// Closes the store, for good: a new stack opens it again. Everything afterwards throws
  /// `StoreError` with `StoreError.Code.closed`; objects keep the values they have. What an object
  /// or a list has not read yet can be read no more, and stops the program with a message: let go
  /// of objects before you close.
  ///
  /// - Throws: `StoreError` when the store cannot be closed; ``GraphError`` with
  ///   ``GraphError/Code/invalidRequest`` inside a sync.
  public func close() throws {
    try core.close()
  }

  /// Removes everything: objects, unsaved changes of all contexts, and the files of the store. The
  /// stack goes on with an empty store.
  ///
  /// - Throws: `StoreError` when a file cannot be removed, the new store cannot be made, or the
  ///   stack was closed; ``GraphError`` with ``GraphError/Code/invalidRequest`` inside a sync.
  public func drop() throws {
    try core.drop()
    if mainContext.queue.isCurrent { mainContext.mergeInbox() }
  }

  /// Removes everything, as `drop()` does, without holding the caller's thread.
  ///
  /// - Throws: `StoreError` when a file cannot be removed or the new store cannot be made.
  public func drop() async throws {
    let core = core
    let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: Result { try core.drop() })
      }
    }
    try result.get()
  }

  /// Removes everything, as `drop()` does.
  ///
  /// - Parameter completion: Called on the main queue with the error, if there was one.
  public func drop(completion: (@Sendable ((any Error)?) -> Void)?) {
    let core = core
    DispatchQueue.global().async {
      let result = Result { try core.drop() }
      guard let completion else { return }
      DispatchQueue.main.async {
        if case .failure(let error) = result { completion(error) } else { completion(nil) }
      }
    }
  }
}
