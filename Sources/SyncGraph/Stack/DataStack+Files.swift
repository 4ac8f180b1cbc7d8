import Dispatch
public import Foundation
import SyncCore
import SyncStore

extension DataStack {
  /// Closes the store, for good: a new stack opens it again. Everything afterwards throws
  /// `StoreError` with `StoreError.Code.closed`; objects keep the values they have. A value or list
  /// that has not been read yet can be read no more, and stops the program with a message: let go
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
    try await DispatchQueue.global().result { try core.drop() }
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

  /// Removes the files of a store that no stack has open, so that the next stack begins with an
  /// empty one: the way out when a store cannot be opened any more. Nothing is ever removed
  /// unasked.
  ///
  /// ```swift
  /// do { stack = try DataStack(model: model, store: .sqlite(url)) } catch let error as StoreError
  ///   where error.code == .notADatabase
  /// {
  ///   try DataStack.destroyStore(at: url)
  ///   stack = try DataStack(model: model, store: .sqlite(url))
  /// }
  /// ```
  ///
  /// - Throws: `StoreError` that names the file that cannot be removed. It is no error when there
  ///   is none.
  public static func destroyStore(at url: URL) throws {
    try Store.destroy(at: url)
  }

  /// Copies a store that no stack has open to a place where there is none: data that comes with the
  /// program.
  ///
  /// ```swift
  /// if !FileManager.default.fileExists(atPath: url.path) { try DataStack.copyStore(from: seed, to: url) }
  /// let stack = try DataStack(model: model, store: .sqlite(url))
  /// ```
  ///
  /// The copy can be written to, even if the original is read only, and one of an older model is
  /// migrated when it is opened. Stacks that are made by the name of a model do this by themselves.
  ///
  /// - Throws: `StoreError` when there is a file at the place already or it cannot be made; nothing
  ///   is left behind then.
  public static func copyStore(from source: URL, to url: URL) throws {
    try Store.copy(from: source, to: url)
  }

  /// Copies the commits so far into a file of its own, while the stack is in use: a backup, a
  /// document to hand over. A store in memory can be kept this way.
  ///
  /// - Throws: `StoreError` when there is a file at the place already or it cannot be written,
  ///   ``GraphError`` when the stack was closed; nothing is left behind then.
  public func copyStore(to url: URL) throws {
    try store.copy(to: url)
  }
}
