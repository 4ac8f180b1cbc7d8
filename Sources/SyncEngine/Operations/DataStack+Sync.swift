import Foundation
public import SyncCore
public import SyncGraph

/// Syncs in one call. Each makes a ``Sync`` and adds it to the stack's ``DataStack/syncQueue``; set one
/// up yourself for everything that the calls do not offer.
extension DataStack {
  /// Brings the stored objects of an entity in step with JSON.
  ///
  /// Afterwards every context sees the result when it is next used. Cancelling the task cancels the
  /// sync, and the store stays as it was.
  ///
  /// - Parameters:
  ///   - changes: A list of JSON objects: `Data`, the URL of a file, `JSONValue` or dictionaries.
  ///   - entityName: Entity of the items.
  ///   - predicate: Limits the stored objects that may be deleted.
  ///   - parent: The object whose children the items are.
  ///   - parentRelationship: The relationship between the two; needed only when there are several.
  ///   - path: Dotted path to the list inside the document, as in `data.items`.
  /// - Throws: `CancellationError`, ``SyncError``, ``JSONError`` or what the store says.
  @discardableResult
  public func sync(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil, parentRelationship: String? = nil,
    operations: SyncOperations = .all, at path: String? = nil
  ) async throws -> SyncReport {
    let sync = Sync(changes.syncPayload, inEntityNamed: entityName, dataStack: self, at: path)
    sync.filter = predicate
    sync.parent = parent?.objectID
    sync.parentRelationship = parentRelationship
    sync.operations = operations
    return try await self.sync(sync)
  }

  /// Runs a sync on the stack's queue and waits for its result.
  @discardableResult
  public func sync(_ sync: Sync) async throws -> SyncReport {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        sync.whenFinished { continuation.resume(with: $0) }
        syncQueue.addOperation(sync)
      }
    } onCancel: {
      sync.cancel()
    }
  }

  /// Brings the stored objects of an entity in step with JSON.
  ///
  /// - Parameter completion: Called on the main queue, with the error if there was one.
  /// - Returns: The operation, to be observed or cancelled.
  @discardableResult
  public func sync(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil, parentRelationship: String? = nil,
    operations: SyncOperations = .all, at path: String? = nil,
    completion: @escaping @Sendable ((any Error)?) -> Void
  ) -> Sync {
    let sync = Sync(changes.syncPayload, inEntityNamed: entityName, dataStack: self, at: path)
    sync.filter = predicate
    sync.parent = parent?.objectID
    sync.parentRelationship = parentRelationship
    sync.operations = operations
    sync.whenFinished { result in
      DispatchQueue.main.async {
        switch result {
        case .success: completion(nil)
        case .failure(let error): completion(error)
        }
      }
    }
    syncQueue.addOperation(sync)
    return sync
  }
}

extension DataStack {
  /// The conventional mapping plans of the stack.
  package var mappingPlans: MappingPlanCache {
    attachment { MappingPlanCache(transformers: .shared) }
  }
}
