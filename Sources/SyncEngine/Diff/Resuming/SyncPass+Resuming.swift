import Foundation
import SyncCore
import SyncStore

/// What a sync that commits per batch leaves for the one that goes on in its place.
struct Resuming {
  let name: String
  var prefix: PrefixFingerprint
  /// Bytes that the steps may come to, however little the whole is.
  let smallSize: Int

  /// What is kept by now; nil before the first batch.
  private var kept: Kept?

  private struct Kept {
    var base: UInt64
    var size: Int
    var stepCount = 0
    var stepSize = 0
    var mark: ClaimsGrowth.Mark
  }

  init(name: String, bytes: UnsafeRawBufferPointer, smallSize: Int) {
    self.name = name
    prefix = PrefixFingerprint(bytes)
    self.smallSize = smallSize
  }

  /// Keeps what a batch said: the whole of what was said by now when there is none, or when the steps behind
  /// it have come to as much, which makes what is written follow the payload all the same.
  ///
  /// - Parameter point: How far the sync came, without what was said.
  mutating func keep(
    _ claims: Claims, _ point: ResumePoint, of model: ManagedObjectModel,
    in transaction: StoreTransaction, _ control: SyncControl
  ) throws {
    var point = point
    if var kept, kept.stepSize < max(kept.size, smallSize) {
      let growth = try ClaimsGrowth(of: claims, since: kept.mark, control)
      point.claims = KeptPiece(try KeptPieces.encode(growth) { try control.checkpoint() })
      point.base = kept.base
      kept.stepSize += try point.keep(step: kept.stepCount, name, in: transaction)
      kept.stepCount += 1
      kept.mark = ClaimsGrowth.Mark(claims)
      self.kept = kept
    } else {
      point.claims = KeptPiece(try claims.encoded(model: model, control))
      let (size, base) = try point.keep(name, in: transaction)
      kept = Kept(base: base, size: size, mark: ClaimsGrowth.Mark(claims))
    }
    ResumePoint.keepMark(name, in: transaction)
  }
}

extension SyncPass {
  /// Goes on where a sync of the same payload was stopped.
  ///
  /// - Returns: False when there is none, or when somebody has written since; then the sync begins at
  ///   the beginning, where it finds what is there already.
  func resume(in transaction: StoreTransaction) throws -> Bool {
    guard var resuming else { return false }
    let points = try ResumePoint.read(resuming.name, in: transaction)
    guard let last = points.last, last.position <= bytes.count,
      resuming.prefix.fingerprint(upTo: last.position) == last.prefix,
      let kept = try ResumePoint.claims(of: points, model: request.plan.model, control),
      try reader.skip(last.itemCount, to: last.position)
    else { return false }
    try parent?.check(in: transaction)
    claims = kept
    self.resuming = resuming
    report.report.resumedItemCount = last.itemCount
    return true
  }

  /// Keeps how far the sync has come in the transaction of what came last.
  func keepResumePoint(in transaction: StoreTransaction) throws {
    guard var resuming else { return }
    let prefix = resuming.prefix.fingerprint(upTo: reader.position)
    let point = ResumePoint(
      position: reader.position, itemCount: reader.itemCount, low: prefix.low, high: prefix.high,
      claims: KeptPiece(Data()))
    try resuming.keep(
      claims, point, of: request.plan.model, in: transaction, control)
    self.resuming = resuming
  }

  /// The sync is complete: there is nothing to go on with.
  func forgetResumePoint(in transaction: StoreTransaction) throws {
    guard let resuming else { return }
    try ResumePoint.forget(resuming.name, in: transaction)
  }
}
