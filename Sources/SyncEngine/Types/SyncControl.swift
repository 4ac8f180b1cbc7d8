import SyncCore
import Synchronization

/// The line between a running sync and its starter: cancellation in, progress out.
///
/// Protected by atomics; usable from every thread.
package final class SyncControl: Sendable {
  private let cancelled = Atomic<Bool>(false)
  private let passed = Atomic<Int>(0)
  private let observer = Locked(Observer())
  private let interruption = Locked(Interruption())

  // Closures are kept in structs: a generic box would wrap a bare one once more each time it is
  // read, so that the hundredth step would go through a hundred wrappers.
  private struct Observer {
    var tell: (@Sendable (SyncStep) -> Void)?
  }

  private struct Interruption {
    var interrupt: (@Sendable () -> Void)?
  }

  /// - Parameter observer: Called on the thread of the sync as a phase begins and every few hundred
  ///   records inside one.
  package init(observer: (@Sendable (SyncStep) -> Void)? = nil) {
    observe(observer)
  }

  /// Sets the closure that is told the progress of the sync; nil is none.
  package func observe(_ observer: (@Sendable (SyncStep) -> Void)?) {
    self.observer.withLock { $0.tell = observer }
  }

  private func tell(_ step: SyncStep) {
    // Taken out of its struct inside the lock's closure it would be wrapped for each step.
    let observer = observer.withLock { $0 }
    observer.tell?(step)
  }

  /// Asks the sync to stop at its next checkpoint.
  package func cancel() {
    cancelled.store(true, ordering: .releasing)
    let interrupt = interruption.withLock { $0.interrupt }
    interrupt?()
  }

  /// Sets the closure that stops the current wait of the sync: its place at the gate, or a long
  /// statement. Called at once when the sync was cancelled already.
  func onCancel(_ interrupt: (@Sendable () -> Void)?) {
    interruption.withLock { $0.interrupt = interrupt }
    if isCancelled { interrupt?() }
  }

  package var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// Stops the sync here when it was cancelled.
  ///
  /// - Throws: `CancellationError`.
  package func checkpoint() throws {
    if isCancelled { throw CancellationError() }
    passed.wrappingAdd(1, ordering: .relaxed)
  }

  /// How many checkpoints the sync has passed: how finely it can be stopped.
  package var checkpointCount: Int { passed.load(ordering: .relaxed) }

  /// Reports that a phase begins, and stops the sync here when it was cancelled.
  func begin(_ phase: SyncPhase, total: Int) throws {
    try checkpoint()
    tell(SyncStep(phase: phase, completed: 0, total: total, begins: true))
    try checkpoint()
  }

  /// Reports how far a phase is, and stops the sync here when it was cancelled.
  func advance(_ phase: SyncPhase, to completed: Int, of total: Int) throws {
    tell(SyncStep(phase: phase, completed: completed, total: total, begins: false))
    try checkpoint()
  }

  /// Records between two checkpoints: often enough to stop within a few milliseconds, and too
  /// seldom to cost anything.
  static let stride = 256
}

/// How far a sync is.
package struct SyncStep: Sendable {
  package let phase: SyncPhase
  /// Bytes read in the parse phase, records in the others.
  package let completed: Int
  package let total: Int
  package let begins: Bool
}

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
  /// Deletes the rows that no part claims.
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
