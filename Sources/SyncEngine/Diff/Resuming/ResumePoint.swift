import Foundation
import SyncCore
import SyncStore

/// How far a sync has come that commits per batch, kept in the store with the batch it speaks of: a sync
/// of the same payload with the same settings goes on there, as long as nobody has written meanwhile.
///
/// ```
/// name        │ all that was said up to some batch
/// name/0 …    │ what each batch behind it said, with how far it came
/// name/mark   │ the generation that the last batch led to
/// ```
///
/// So what a batch writes of it follows the batch, however much the payload has said, and going on is exact.
/// When the steps have come to as much as the whole, the whole is written anew and the steps go.
struct ResumePoint: Codable {
  /// Bytes of the payload that were worked off, and items at its top.
  var position: Int
  var itemCount: Int

  /// Stands for those bytes.
  var low: UInt64
  var high: UInt64

  /// What they said: ``Claims`` or, of a step, ``ClaimsGrowth``.
  var claims: KeptPiece

  /// Of a step: stands for the whole that it follows, as it was kept.
  var base: UInt64?

  var prefix: ContentFingerprint { ContentFingerprint(low: low, high: high) }

  private static let kind = "resume"

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

  // MARK: - Reading

  /// The whole and its steps, when nothing was committed since; empty otherwise.
  static func read(_ name: String, in transaction: StoreTransaction) throws -> [ResumePoint] {
    guard try transaction.keptGeneration(kind, mark(name)) == transaction.generation(),
      let data = try transaction.kept(kind, name), let whole = decoded(data)
    else { return [] }
    var points = [whole]
    let base = fingerprint(data)
    while let data = try transaction.kept(kind, step(name, points.count - 1)),
      let point = decoded(data), point.base == base
    {
      points.append(point)
    }
    return points
  }

  private static func decoded(_ data: Data) -> ResumePoint? {
    try? KeptPieces.decode(ResumePoint.self, from: data) {}
  }

  /// What was said up to the last of some points; nil when it cannot be read.
  ///
  /// - Throws: `CancellationError`.
  static func claims(
    of points: [ResumePoint], model: ManagedObjectModel, _ control: SyncControl
  ) throws -> Claims? {
    guard let whole = points.first else { return nil }
    do {
      let claims = try Claims(decoding: whole.claims.data, model: model, control)
      for step in points.dropFirst() {
        let growth = try KeptPieces.decode(ClaimsGrowth.self, from: step.claims.data) {
          try control.checkpoint()
        }
        try growth.add(to: claims, of: model, control)
      }
      return claims
    } catch {
      try control.checkpoint()
      return nil
    }
  }

  // MARK: - Keeping

  /// Keeps the whole with what the transaction changes, in the place of what was kept before.
  ///
  /// - Returns: How many bytes that takes, and what stands for them.
  func keep(_ name: String, in transaction: StoreTransaction) throws -> (size: Int, base: UInt64) {
    try ResumePoint.forgetSteps(name, in: transaction)
    let data = try KeptPieces.encode(self) {}
    try transaction.keep(ResumePoint.kind, name, data)
    return (data.count, ResumePoint.fingerprint(data))
  }

  /// Keeps a step with what the transaction changes.
  ///
  /// - Returns: How many bytes that takes.
  func keep(step number: Int, _ name: String, in transaction: StoreTransaction) throws -> Int {
    let data = try KeptPieces.encode(self) {}
    try transaction.keep(ResumePoint.kind, ResumePoint.step(name, number), data)
    return data.count
  }

  /// Keeps that the last to write was a sync that can be resumed.
  static func keepMark(_ name: String, in transaction: StoreTransaction) {
    transaction.keepGeneration(kind, mark(name))
  }

  static func forget(_ name: String, in transaction: StoreTransaction) throws {
    try forgetSteps(name, in: transaction)
    try transaction.keep(kind, name, nil)
  }

  /// Forgets the mark too.
  private static func forgetSteps(_ name: String, in transaction: StoreTransaction) throws {
    for kept in try transaction.keptNames(kind) where kept.hasPrefix(name + "/") {
      try transaction.keep(kind, kept, nil)
    }
  }

  /// Stands for a whole as it was kept.
  private static func fingerprint(_ data: Data) -> UInt64 {
    data.withUnsafeBytes { ContentFingerprint($0, seed: 0).low }
  }

  private static func mark(_ name: String) -> String { name + "/mark" }
  private static func step(_ name: String, _ number: Int) -> String { "\(name)/\(number)" }
}
