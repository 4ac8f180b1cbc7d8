import SyncCore
import SyncStore

/// How far a sync has come that commits per batch, kept in the store with the batch it speaks of: a sync
/// of the same payload with the same settings goes on there, as long as nobody has written meanwhile.
///
/// What the batches said stands in the rows of the ``OpenSync``; what a batch writes of it follows the batch.
struct ResumePoint: Codable {
  /// Bytes of the payload that were worked off, and items at its top.
  var position: Int
  var itemCount: Int

  /// Stands for those bytes.
  var low: UInt64
  var high: UInt64

  var prefix: ContentFingerprint { ContentFingerprint(low: low, high: high) }

  static let kind = "resume"

  /// The name that syncs with the same settings share, or nil when a sync cannot be resumed.
  static func name(of request: SyncRequest) -> String? {
    guard case .perBatch = request.transaction, !request.isDryRun, request.session == nil else {
      return nil
    }
    let parts = [
      "\(request.plan.fingerprint)", "\(request.operations.rawValue)",
      request.onItemError?.rawValue ?? "", request.path?.description ?? "",
      "\(request.reading.allowsTrailingCommas) \(request.reading.maximumDepth)",
      request.filter?.wholeText ?? "", request.parent.map { "\($0)" } ?? "",
      request.parentRelationship ?? "", "\(request.defersReferences)",
    ]
    let settings = ContentFingerprint(parts.joined(separator: "\u{0}"))
    return "\(request.plan.rootNode.entity.name)/\(String(settings.low, radix: 16))"
  }
}

/// What a sync that commits per batch leaves for the one that goes on in its place.
struct Resuming {
  let name: String
  var prefix: PrefixFingerprint

  init(name: String, bytes: UnsafeRawBufferPointer) {
    self.name = name
    prefix = PrefixFingerprint(bytes)
  }

  /// Where a sync with the same settings was stopped; nil when somebody has written since.
  ///
  /// - Throws: Errors of the store.
  func read(
    _ store: ClaimsStore, in reader: StoreReader
  ) throws -> (sync: OpenSync, state: Claims.State, point: ResumePoint)? {
    guard let sync = try reader.openSync(ResumePoint.kind, name),
      try reader.keptGeneration(ResumePoint.kind, name) == reader.generation(),
      let head = store.head(of: sync, ResumePoint.self), head.model == store.model.fingerprint
    else { return nil }
    return (sync, head.state, head.more)
  }

  /// Keeps what a batch said, with how far the sync has come.
  func keep(
    _ claims: Claims, _ point: ResumePoint, _ store: ClaimsStore, in transaction: StoreTransaction
  ) throws {
    let sync = try transaction.keepOpen(ResumePoint.kind, name, head: try store.head(claims, point))
    try store.write(claims, to: sync, in: transaction)
    transaction.keepGeneration(ResumePoint.kind, name)
  }

  func forget(in transaction: StoreTransaction) throws {
    guard let sync = try transaction.openSync(ResumePoint.kind, name) else { return }
    try transaction.forget(sync)
    try transaction.keep(ResumePoint.kind, name, nil)
  }
}
