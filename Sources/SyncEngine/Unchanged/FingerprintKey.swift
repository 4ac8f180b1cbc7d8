import SyncCore

/// Which syncs share fingerprints: those of the same plan, scope and options.
enum FingerprintKey {
  /// Raised when the library reads the same JSON in another way than before, or keeps fingerprints in another form.
  private static let version = 3

  /// The key of a request's fingerprints, or nil when no fingerprints can be used or made: for parts of a payload,
  /// when items go through code of the user's, which may answer differently the next time, and when not
  /// everything that an item says is stored.
  static func of(_ request: SyncRequest) -> ContentFingerprint? {
    guard request.usesFingerprints, request.session == nil, request.parent == nil,
      request.targets.isEmpty, request.willInsert == nil, request.deletes == nil,
      !request.takesMembers, request.rewritten == nil, request.path?.leadsToEach != true,
      request.plan.nodes.allSatisfy({ $0.tombstone == nil }), !request.defersReferences,
      request.operations.isSuperset(of: everything),
      !request.operations.contains(.alwaysInsert), case .whole = request.transaction,
      !request.plan.rootNode.identity.isEmpty, request.plan.isPlain
    else { return nil }
    let parts = [
      "\(version)", "\(request.plan.fingerprint)", request.plan.rootNode.entity.name,
      "\(request.operations.rawValue)", request.onItemError?.rawValue ?? "",
      "\(request.reading.allowsTrailingCommas) \(request.reading.maximumDepth)",
      request.filter?.wholeText ?? "",
    ]
    return ContentFingerprint(parts.joined(separator: "\u{0}"))
  }

  /// What a sync has to be allowed, so that the store agrees with every item afterwards.
  private static let everything: SyncOperations = [
    .insert, .update, .insertRelationships, .updateRelationships, .deleteRelationships,
  ]
}
