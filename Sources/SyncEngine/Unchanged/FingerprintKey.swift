import SyncCore

/// Which syncs share fingerprints: those of the same plan, scope and options.
enum FingerprintKey {
  /// Raised when the library reads the same JSON in another way than before, or keeps fingerprints
  /// in another form.
  private static let version = 5

  /// The key of a request's fingerprints, or nil when no fingerprints can be used or made: when
  /// items go through code of the user's, which may answer differently the next time, and when not
  /// everything that an item says is stored.
  static func of(_ request: SyncRequest) -> ContentFingerprint? {
    guard request.setup.usesFingerprints, request.setup.parent == nil,
      request.targets.isEmpty, request.hooks.willInsert == nil, request.settings.deletes == nil,
      !request.takesMembers, request.rewritten == nil, request.settings.prepare == nil,
      !request.payload.isJSONAPI, request.setup.path?.leadsToEach != true,
      !request.plan.nodes.contains(where: \.takesAway), !request.settings.deferReferences,
      request.settings.operations.isSuperset(of: everything),
      !request.settings.operations.contains(.alwaysInsert), !request.plan.rootNode.identity.isEmpty,
      request.plan.isPlain
    else { return nil }
    let parts = [
      "\(version)", "\(request.plan.key)", request.plan.rootNode.entity.name,
      "\(request.settings.operations.rawValue)", request.settings.onItemError?.rawValue ?? "",
      "\(request.settings.reading.allowsTrailingCommas) \(request.settings.reading.maximumDepth)",
      request.settings.filter?.wholeText ?? "",
    ]
    return ContentFingerprint(parts.joined(separator: "\u{0}"))
  }

  /// The operations that a sync needs, so that the store agrees with every item afterwards.
  private static let everything: SyncOperations = [
    .insert, .update, .insertRelationships, .updateRelationships, .deleteRelationships,
  ]
}
