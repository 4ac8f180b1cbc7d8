import Foundation
import SyncStack

/// Shows how far work is: a line that changes ten times a second on a terminal, else a line for
/// each phase when it is over.
///
/// `state` is protected by its lock; `updates` is set once.
final class ProgressDisplay: Sendable {
  /// How far the work is at some moment.
  struct Step: Sendable {
    var phase: String
    var completed: Int
    var total: Int
    /// Whether bytes are counted, not objects.
    var isBytes = false
    /// Part of the whole that is done, from 0 to 1.
    var fraction: Double
  }

  private struct State {
    var phase: String?
    var phaseBegin = ContinuousClock.now
    var hasEnded = false
  }

  private let step: @Sendable () -> Step?
  private let terminal: Terminal
  private let begin = ContinuousClock.now
  private let state = Locked(State())
  private let updates: Locked<Task<Void, Never>?> = Locked(nil)

  convenience init(of sync: Sync, on terminal: Terminal) {
    self.init(on: terminal) {
      sync.latestStep.map {
        Step(
          phase: $0.phase.rawValue, completed: $0.completed, total: $0.total,
          isBytes: $0.phase == .parse, fraction: sync.progress.fractionCompleted)
      }
    }
  }

  /// Begins to show work.
  ///
  /// - Parameter step: Says how far it is; nil as long as it has not begun. Called ten times a
  ///   second.
  init(on terminal: Terminal, _ step: @escaping @Sendable () -> Step?) {
    self.step = step
    self.terminal = terminal
    let task = Task.detached { [weak self] in
      while (try? await Task.sleep(for: .milliseconds(100))) != nil { self?.update() }
    }
    updates.withLock { $0 = task }
  }

  /// Takes the line away.
  func end() {
    updates.withLock { $0?.cancel() }
    state.withLock { state in
      guard !state.hasEnded else { return }
      state.hasEnded = true
      if terminal.errorWidth != nil { terminal.overwrite("") } else { note(state, until: .now) }
    }
  }

  /// A line for a phase that is over: how long it took.
  private func note(_ state: State, until end: ContinuousClock.Instant) {
    guard let phase = state.phase else { return }
    terminal.note(ProgressLine.ended(phase, seconds: (end - state.phaseBegin) / .seconds(1)))
  }

  private func update() {
    state.withLock { state in
      guard !state.hasEnded, let step = step() else { return }
      let now = ContinuousClock.now
      let isNew = state.phase != step.phase
      if isNew {
        if terminal.errorWidth == nil { note(state, until: now) }
        (state.phase, state.phaseBegin) = (step.phase, now)
      }
      guard let width = terminal.errorWidth else { return }
      let line = ProgressLine(
        phase: step.phase, completed: step.completed, total: step.total, isBytes: step.isBytes,
        fraction: step.fraction,
        elapsed: (now - begin) / .seconds(1),
        elapsedInPhase: (now - state.phaseBegin) / .seconds(1))
      terminal.overwrite(line.text(width: width - 1))
    }
  }
}
