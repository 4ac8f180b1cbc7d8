public import TestPayloads

/// A kind of sync that is measured.
public enum Scenario: String, Sendable, CaseIterable, Codable {
  /// Everything is new: the file is empty.
  case cold
  case unchanged
  /// One object in a hundred changed, and one child of each.
  case onePercent
  /// Every object changed, and each child.
  case allChanged
  /// One object in ten is gone and as many came.
  case churn
  /// Everything is new and lies in a file that should not be in memory.
  case streamed

  /// Those whose payload is in memory.
  public static let inMemory: [Scenario] = [
    .cold, .unchanged, .onePercent, .allChanged, .churn,
  ]

  /// Whether the file is empty in the beginning.
  var beginsEmpty: Bool { self == .cold || self == .streamed }

  public var variant: UserPayload.Variant {
    switch self {
    case .cold, .unchanged, .streamed: .base
    case .onePercent: .changed
    case .allChanged: .allChanged
    case .churn: .churned
    }
  }

  /// The report that a sync has to give.
  public func expected(_ payloads: Payloads) -> Counts {
    guard beginsEmpty else { return payloads.outcome(variant) }
    return Counts(inserted: payloads.set == .users ? payloads.count * 4 : payloads.count)
  }
}
