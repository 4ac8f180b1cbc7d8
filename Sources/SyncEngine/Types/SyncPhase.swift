/// A phase of a sync, in the order in which they run.
public enum SyncPhase: String, Sendable, Hashable, CaseIterable, Codable, Comparable {
  /// The payload is read and checked. The store is not touched.
  case parse
  /// Objects of the payload are looked up in the store and compared.
  case match
  /// New objects are written.
  case insert
  /// Changed values of stored objects are written.
  case update
  /// Memberships and orders are written.
  case link
  /// What nobody claimed is deleted.
  case delete
  /// Everything is checked once more and committed.
  case save

  public static func < (left: SyncPhase, right: SyncPhase) -> Bool {
    left.position < right.position
  }

  package var position: Int { SyncPhase.allCases.firstIndex(of: self) ?? 0 }
}

/// The phases of one sync: announces each the first time that it begins, because parts after the
/// first go on with it, and measures them.
struct PhaseClock {
  private let control: SyncControl
  private(set) var durations: [String: Double] = [:]
  private var last = ContinuousClock.now
  /// A bit for each phase that was announced, by its position.
  private var announced: UInt8 = 0

  init(_ control: SyncControl) {
    self.control = control
  }

  /// - Throws: `CancellationError`.
  mutating func begin(_ phase: SyncPhase, total: Int) throws {
    let bit: UInt8 = 1 << UInt8(phase.position)
    guard announced & bit == 0 else { return try control.checkpoint() }
    announced |= bit
    try control.begin(phase, total: total)
  }

  mutating func end(_ phase: SyncPhase) {
    let now = ContinuousClock.now
    let duration = last.duration(to: now).components
    durations[phase.rawValue, default: 0] +=
      Double(duration.seconds) + Double(duration.attoseconds) / 1e18
    last = now
  }
}
