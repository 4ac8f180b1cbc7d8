import SyncCore

/// The deletion guard.
extension Deleter {
  /// More than 500 objects, whatever takes them away, and more than half of what is in scope: of the
  /// objects at the top, or of the members of the lists that the payload speaks of.
  func checkGuard(
    _ deleted: Int, roots: Int, of scopeCount: Int, members: Int
  ) throws {
    guard guardsDeletion, deleted > Deleter.guardedCount else { return }
    let isMostOfRoots = roots > 0 && roots * 2 > scopeCount
    var memberCount = claims.memberCount
    if case .members = scope.kind { memberCount += scopeCount }
    let isMostOfMembers = members > 0 && members * 2 > memberCount
    guard isMostOfRoots || isMostOfMembers else { return }
    throw refusal(deleted, "that is more than half of what is stored")
  }

  private static let guardedCount = 500

  /// Refuses payloads that cannot be meant: nothing at all, or items of which none can be used.
  func checkPayload(_ scopeCount: Int, unmentioned: Int) throws {
    guard scopeCount > 0 else { return }
    if claims.itemCount == 0, scopeCount > Deleter.emptyCount {
      throw refusal(scopeCount, "the payload is empty")
    }
    if claims.itemCount > 0, claims.usableItemCount == 0,
      claims.isRootSuspended || unmentioned > 0
    {
      throw refusal(
        scopeCount,
        "none of the \(claims.itemCount) items of the payload can be used\(firstReason)")
    }
  }

  /// Why the first item was left out.
  private var firstReason: String {
    guard let finding = report.report.findings.first(where: { $0.kind == .skippedItem }) else {
      return ""
    }
    return " (\(finding.path ?? "$"): \(finding.message))"
  }

  /// Objects an empty payload may delete.
  private static let emptyCount = 100

  private func refusal(_ count: Int, _ reason: String) -> SyncError {
    SyncError(
      .deletionRefused, entity: entity.name,
      message: """
        The sync would delete \(count) objects: \(reason). Nothing was changed. If it is meant, set \
        deletionGuard to off; if the payload is only a part, leave .delete out of the operations, or \
        use a predicate or a page session.
        """)
  }
}
