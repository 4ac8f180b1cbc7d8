import SyncCore
import SyncStore

/// What a sync that commits per batch leaves for the one that goes on in its place.
struct Resuming {
  let name: String
  var prefix: PrefixFingerprint
  /// Bytes up to which the point is kept each time.
  let smallSize: Int
  var keptPosition = 0
  var keptSize = 0

  /// Bytes of the payload for each byte that is kept of it: what its objects are takes up more and more
  /// room, and to keep that with each small batch would in the end be most of the work. While it is small
  /// nothing has to be worked off once more; what that can change is said at ``ResumePoint``.
  private static let share = 16

  func isDue(at position: Int) -> Bool {
    keptSize < smallSize || position - keptPosition >= keptSize * Resuming.share
  }
}

extension SyncPass {
  /// Goes on where a sync of the same payload was stopped.
  ///
  /// - Returns: False when there is none, or when somebody has written since; then the sync begins at
  ///   the beginning, where it finds what is there already.
  func resume(in transaction: StoreTransaction) throws -> Bool {
    guard var resuming, let point = try ResumePoint.read(resuming.name, in: transaction),
      point.position <= bytes.count,
      resuming.prefix.fingerprint(upTo: point.position) == point.prefix,
      let kept = try point.claims(of: request.plan.model, control),
      try reader.skip(point.itemCount, to: point.position)
    else {
      self.resuming?.prefix = PrefixFingerprint(bytes)
      return false
    }
    try parent?.check(in: transaction)
    claims = kept
    resuming.keptPosition = point.position
    self.resuming = resuming
    report.report.resumedItemCount = point.itemCount
    return true
  }

  /// Keeps how far the sync has come, now and then, in the transaction of what came last. Objects that
  /// are inserted whatever there is would be there twice if they came again, so then each time.
  func keepResumePoint(in transaction: StoreTransaction) throws {
    let position = reader.position
    guard var resuming else { return }
    ResumePoint.keepMark(resuming.name, in: transaction)
    guard
      resuming.isDue(at: position) || request.operations.contains(.alwaysInsert)
    else { return }
    let prefix = resuming.prefix.fingerprint(upTo: position)
    let point = ResumePoint(
      position: position, itemCount: reader.itemCount, low: prefix.low, high: prefix.high,
      claims: KeptPiece(try claims.encoded(model: request.plan.model, control)))
    resuming.keptSize = try point.keep(resuming.name, in: transaction)
    resuming.keptPosition = position
    self.resuming = resuming
  }

  /// The sync is complete: there is nothing to go on with.
  func forgetResumePoint(in transaction: StoreTransaction) throws {
    guard let resuming else { return }
    try ResumePoint.forget(resuming.name, in: transaction)
  }
}
