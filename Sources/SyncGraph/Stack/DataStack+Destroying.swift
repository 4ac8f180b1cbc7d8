public import Foundation
import SyncStore

extension DataStack {
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
}
