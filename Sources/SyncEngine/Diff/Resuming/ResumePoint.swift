import Foundation
import SyncCore
import SyncStore

/// How far a sync has come that commits per batch, kept in the store with the batch it speaks of: a sync
/// of the same payload with the same settings goes on there, as long as nobody has written meanwhile.
///
/// Two states are kept: the point itself, now and then, and with each batch that the store is as that
/// batch left it. A small point is kept with each batch, and going on from it is exact. Batches behind a
/// larger one (``Resuming/isDue(at:)``) are worked off once more, as if somebody else had stored them: what
/// comes out is the same unless they and other batches speak of one thing. Then an object that they brought
/// counts as stored, which matters where only one of inserting and updating is allowed; and where an object
/// belonged, and what a list held, before the payload is read from what they stored, which matters where a
/// relationship is given twice or several objects have one key.
struct ResumePoint: Codable {
  /// Bytes of the payload that were worked off, and items at its top.
  var position: Int
  var itemCount: Int

  /// Stands for those bytes.
  var low: UInt64
  var high: UInt64

  /// What they said.
  var claims: KeptPiece

  var prefix: ContentFingerprint { ContentFingerprint(low: low, high: high) }

  private static let kind = "resume"

  /// What those bytes said; nil when it cannot be read.
  ///
  /// - Throws: `CancellationError`.
  func claims(of model: ManagedObjectModel, _ control: SyncControl) throws -> Claims? {
    let claims = try? Claims(decoding: claims.data, model: model, control)
    try control.checkpoint()
    return claims
  }

  /// The name that syncs with the same settings share, or nil when a sync cannot be resumed.
  static func name(of request: SyncRequest) -> String? {
    guard case .perBatch = request.transaction, !request.isDryRun, request.session == nil else {
      return nil
    }
    let parts = [
      "\(request.plan.fingerprint)", "\(request.operations.rawValue)",
      request.onItemError?.rawValue ?? "", request.path ?? "",
      "\(request.reading.allowsTrailingCommas) \(request.reading.maximumDepth)",
      request.filter.map { "\($0)" } ?? "", request.parent.map { "\($0)" } ?? "",
      request.parentRelationship ?? "", "\(request.defersReferences)",
    ]
    let settings = ContentFingerprint(parts.joined(separator: "\u{0}"))
    return "\(request.plan.rootNode.entity.name)/\(String(settings.low, radix: 16))"
  }

  /// The point that was kept, when nothing was committed since.
  static func read(_ name: String, in transaction: StoreTransaction) throws -> ResumePoint? {
    guard try transaction.keptGeneration(kind, mark(name)) == transaction.generation(),
      let data = try transaction.kept(kind, name)
    else { return nil }
    return try? KeptPieces.decode(ResumePoint.self, from: data) {}
  }

  /// Keeps the point with what the transaction changes.
  ///
  /// - Returns: How many bytes that takes.
  func keep(_ name: String, in transaction: StoreTransaction) throws -> Int {
    let data = try KeptPieces.encode(self) {}
    try transaction.keep(ResumePoint.kind, name, data)
    return data.count
  }

  /// Keeps that the last to write was a sync that can be resumed.
  static func keepMark(_ name: String, in transaction: StoreTransaction) {
    transaction.keepGeneration(kind, mark(name))
  }

  static func forget(_ name: String, in transaction: StoreTransaction) throws {
    try transaction.keep(kind, name, nil)
    try transaction.keep(kind, mark(name), nil)
  }

  private static func mark(_ name: String) -> String { name + "/mark" }
}
