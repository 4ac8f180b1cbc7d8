import Dispatch
import SyncCore
import SyncStore

/// Leaving the file alone: an app that is about to be suspended, and memory that is short.
extension DataStack {
  /// Closes the file until ``resume()``: no lock is held and no transaction begins, so that the
  /// system may stop the process. It waits for the write and the reads that run; cancel syncs
  /// before, which takes some milliseconds.
  ///
  /// ```swift
  /// stack.syncQueue.cancelAllOperations()
  /// try await stack.suspend()
  /// ```
  ///
  /// Meanwhile saves, syncs and reads in the background wait and go on afterwards; cancelled syncs
  /// leave at once. The main thread never waits: a save there throws `StoreError` with the code
  /// `suspended`, and a read opens the file for itself and closes it again, which is a lock as long
  /// as it takes. The main thread must not wait for a background context meanwhile. Commits of
  /// other processes are noticed when the stack goes on. Suspending twice is as once, and a store
  /// in memory has nothing to close.
  ///
  /// - Throws: ``GraphError`` with ``GraphError/Code/invalidRequest`` inside a sync, and
  ///   `StoreError` when the stack was closed.
  public func suspend() throws {
    try core.suspend()
  }

  /// Closes the file until ``resume()``, as `suspend()` does, without holding the caller's thread.
  ///
  /// - Throws: as `suspend()`.
  public func suspend() async throws {
    let core = core
    try await DispatchQueue(label: "SyncStack.suspend").result { try core.suspend() }
  }

  /// Lets everything that waits since `suspend()` go on. Does nothing when the stack was not
  /// suspended, and never waits. Any thread may call it.
  public func resume() {
    try? core.store().resume()
  }

  /// Whether the stack was suspended, or is about to be.
  public var isSuspended: Bool { (try? core.store().isSuspended) ?? false }

  /// Gives back the memory that holds pages of the file: some megabytes, for a warning that memory
  /// is short. Connections that read now keep theirs, and a write that runs until it has ended.
  /// Objects are freed when the program lets go of them.
  public func trim() {
    try? core.store().releaseMemory()
  }
}

extension StackCore {
  fileprivate func suspend() throws {
    try storeForWriting("The stack was suspended").suspend()
  }
}
