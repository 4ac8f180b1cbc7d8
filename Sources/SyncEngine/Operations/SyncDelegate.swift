public import SyncCore

/// Takes part in a sync as it runs.
public protocol SyncDelegate: AnyObject, Sendable {
  /// Is asked before an item becomes a new object, nested ones too, and answers the JSON to use:
  /// the item itself, or another one. Its key is decided from the answer, so that an object stored
  /// under that key is updated and not duplicated.
  ///
  /// Called on the thread of the sync, inside its transaction: the stack must not be written to from
  /// here, and a store in memory must not be read from another thread that this one waits for.
  ///
  /// - Parameters:
  ///   - entityName: Entity of the object to be.
  ///   - parent: The object under whose relationship the item stands; nil at the top.
  /// - Throws: Whatever should end the sync; the store stays as it was.
  func sync(
    _ sync: Sync, willInsert item: JSONValue, in entityName: String, parent: ManagedObjectID?
  ) throws -> JSONValue
}

extension SyncDelegate {
  public func sync(
    _ sync: Sync, willInsert item: JSONValue, in entityName: String, parent: ManagedObjectID?
  ) throws -> JSONValue {
    item
  }
}
