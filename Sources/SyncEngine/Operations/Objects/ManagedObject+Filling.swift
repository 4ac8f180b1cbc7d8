import SyncCore
public import SyncGraph

extension ManagedObject {
  /// Sets attributes from a JSON object, as a sync would: the same keys, conversions and
  /// transformers. Relationships are left alone, and nothing is saved.
  ///
  /// - Parameter item: One JSON object. Properties that it does not mention stay; null clears.
  /// - Returns: The findings about values that could not be taken as they stood; the old values are
  ///   still there.
  /// - Throws: ``SyncError`` with ``SyncError/Code/invalidItem`` when it is no JSON object, with
  ///   ``SyncError/Code/invalidRequest`` when the object was deleted, has lost its context, or is
  ///   used on another queue than its own.
  @discardableResult
  public final func fill(with item: some SyncPayloadConvertible) throws -> [SyncReport.Finding] {
    guard let context = managedObjectContext, !isDeleted else {
      throw SyncError(
        .invalidRequest, entity: entity.name, key: objectID.description,
        message: "\(self) cannot be filled: it was deleted, or its context is gone.")
    }
    try context.requireCurrent()
    let item = try item.syncPayload.singleObject()
    let filled = try ItemValues(item, plan: context.mappingPlans.plan(for: entity))
    for (slot, value) in filled.values { setStoredValue(value, at: slot) }
    return filled.findings
  }
}
