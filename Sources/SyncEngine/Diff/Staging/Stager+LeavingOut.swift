import SyncCore

/// Leaving out of what cannot be used.
extension Stager {
  /// An item that stops the sync, as the policy says: nothing behind it is read.
  struct Stop: Error {
    let item: Int
    let error: SyncError
  }

  /// Leaves an object out that nobody can identify, or stops, as the policy says.
  func skip(_ batch: Batch, _ code: SyncError.Code, _ reason: String) throws {
    let error = SyncError(
      code, entity: batch.entity.name,
      property: code == .missingKey ? batch.node.identityName : nil, path: path.description,
      message: reason)
    if onItemError == .fail { throw Stop(item: itemCount - 1, error: error) }
    report[batch.entity].skipped += 1
    report.note(.skippedItem, batch.entity, path: path.description, message: reason)
    if path.isAtItem { note(batch.entity, key: .null, error) }
  }

  /// Reports that the item is left out, of which everything is staged but nothing counts.
  func leaveOut(_ occurrence: Int32) throws {
    guard let error = leftOut[itemCount - 1] else { return }
    let batch = rootBatch
    let key = batch.key(batch.block[Int(occurrence)])
    report[batch.entity].skipped += 1
    report.note(
      .skippedItem, batch.entity, property: error.property, key: key.description,
      path: path.description, message: error.message)
    note(batch.entity, key: key, error)
  }

  private func note(_ entity: EntityDescription, key: Value, _ error: SyncError) {
    leftOutItems.append(
      LeftOutItem(
        index: itemCount - 1, path: path.description, entity: entity, key: key, json: itemText,
        reason: error))
  }

  /// A rule of the plan refuses something in the item: it is left out when the payload is staged again,
  /// or the sync stops, as the policy says.
  func refuse(_ error: SyncError) throws {
    if onItemError == .fail { throw Stop(item: itemCount - 1, error: error) }
    if !isLeavingOut, offenders[itemCount - 1] == nil { offenders[itemCount - 1] = error }
  }
}
