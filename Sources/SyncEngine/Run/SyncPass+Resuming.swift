import SyncCore
import SyncStore

extension SyncPass {
  private var claimsStore: ClaimsStore { ClaimsStore(model: request.plan.model, control: control) }

  /// Goes on where a sync of the same payload was stopped.
  ///
  /// - Returns: False when there is none, or when somebody has written since; then the sync begins at
  ///   the beginning, where it finds what is there already.
  func resume(in transaction: StoreTransaction) throws -> Bool {
    guard var resuming else { return false }
    guard let (sync, state, point) = try resuming.read(claimsStore, in: transaction),
      point.position <= bytes.count,
      resuming.prefix.fingerprint(upTo: point.position) == point.prefix,
      try reader.skip(point.itemCount, to: point.position)
    else {
      try resuming.forget(in: transaction)
      return false
    }
    try parent?.check(in: transaction)
    claims = try claimsStore.read(sync, state, from: transaction)
    self.resuming = resuming
    report.report.resumedItemCount = point.itemCount
    return true
  }

  /// Keeps how far the sync has come in the transaction of what came last.
  func keepResumePoint(in transaction: StoreTransaction) throws {
    guard var resuming else { return }
    let prefix = resuming.prefix.fingerprint(upTo: reader.position)
    let point = ResumePoint(
      position: reader.position, itemCount: reader.itemCount, low: prefix.low, high: prefix.high)
    try resuming.keep(claims, point, claimsStore, in: transaction)
    self.resuming = resuming
  }

  /// The sync is complete: there is nothing to go on with.
  func forgetResumePoint(in transaction: StoreTransaction) throws {
    try resuming?.forget(in: transaction)
  }
}
