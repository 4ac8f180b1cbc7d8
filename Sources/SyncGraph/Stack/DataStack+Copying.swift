public import Foundation
import SyncStore

extension DataStack {
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

  /// Copies what was committed so far into a file of its own, while the stack is in use: a backup,
  /// a document to hand over. A store in memory can be kept this way.
  ///
  /// - Throws: `StoreError` when there is a file at the place already or it cannot be written,
  ///   ``GraphError`` when the stack was closed; nothing is left behind then.
  public func copyStore(to url: URL) throws {
    try store.copy(to: url)
  }
}
