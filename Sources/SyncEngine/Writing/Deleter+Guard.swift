import SyncCore

/// The deletion guard.
extension Deleter {
  /// More objects than may go, whatever takes them away, that are too large a share of what is in
  /// scope: of the objects at the top, or of the members of the lists that the payload speaks of.
  func checkGuard(_ deleted: Int, roots: Int, of scopeCount: Int, members: Int) throws {
    guard limits.isOn, deleted > limits.count else { return }
    let isMostOfRoots = roots > 0 && Double(roots) > limits.share * Double(scopeCount)
    var memberCount = claims.state.memberCount
    if case .members = scope.kind { memberCount += scopeCount }
    let isMostOfMembers = members > 0 && Double(members) > limits.share * Double(memberCount)
    guard isMostOfRoots || isMostOfMembers else { return }
    let share = limits.share == 0.5 ? "half" : "\(limits.share * 100) %"
    throw refusal(deleted, "that is more than \(share) of what is stored")
  }

  /// Refuses payloads that cannot be meant: nothing at all, or items of which none can be used.
  func checkPayload(_ scopeCount: Int, unmentioned: Int) throws {
    guard limits.isOn, scopeCount > 0 else { return }
    if claims.state.itemCount == 0, scopeCount > limits.emptyPayload {
      throw refusal(scopeCount, "the payload is empty")
    }
    if claims.state.itemCount > 0, claims.state.usableItemCount == 0,
      claims.state.isRootSuspended && !node.skipsUnidentified || unmentioned > 0
    {
      let count = claims.state.itemCount
      let items =
        count == 1
        ? "the only item of the payload cannot" : "none of the \(count) items of the payload can"
      throw refusal(
        scopeCount, "\(items) be used\(firstReason)", advice: advice() + " ")
    }
  }

  /// Why the first item was left out.
  private var firstReason: String {
    guard let finding = report.report.findings.first(where: { $0.kind == .skippedItem }) else {
      return
        ": beside their keys they say nothing that “\(entity.name)” knows, as an error document does"
    }
    return " (\(finding.path ?? "$"): \(finding.message))"
  }

  private func refusal(_ count: Int, _ reason: String, advice: String = "") -> SyncError {
    SyncError(
      .deletionRefused, entity: entity.name,
      message: """
        The sync would delete \(count) \(count == 1 ? "object" : "objects"): \(reason). Nothing was \
        changed. \(advice)\(SyncError.deletionAdvice)
        """)
  }
}
