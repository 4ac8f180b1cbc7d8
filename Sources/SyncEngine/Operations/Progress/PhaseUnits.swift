/// How far each phase of a sync is, in the phase's own units: bytes while the payload is read,
/// records afterwards.
///
/// 1. A phase never goes back, and is complete when the next one begins, not before.
/// 2. A payload that is worked off in parts goes through the phases from parse to link again and
///    again. They then go on together, by the bytes that were read.
struct PhaseUnits {
  /// How far one phase is.
  struct Units {
    var completed: Int64 = 0
    var total: Int64 = 1

    /// Never complete, and never back.
    mutating func move(to reached: Int, of all: Int) {
      guard completed < total else { return }
      total = max(Int64(all), total)
      completed = max(min(Int64(reached), total - 1), completed)
    }

    mutating func complete() { completed = total }
  }

  /// By the position of the phase.
  private(set) var phases = Array(repeating: Units(), count: SyncPhase.allCases.count)
  private var isInParts = false

  /// Share of each phase in a sync that inserts everything, in percent.
  static func weight(of phase: SyncPhase) -> Int64 {
    switch phase {
    case .parse: 30
    case .match, .insert: 25
    case .update: 8
    case .link, .delete, .save: 4
    }
  }

  /// Share of the whole sync that is done, from 0 to 1.
  var fraction: Double {
    var sum = 0.0
    for (phase, units) in zip(SyncPhase.allCases, phases) {
      let share = Double(units.completed) / Double(units.total)
      sum += Double(PhaseUnits.weight(of: phase)) * share
    }
    return sum / 100
  }

  /// Whether a good part of the payload was not read when the first part of it is matched.
  private var hasMoreToRead: Bool {
    let parse = phases[SyncPhase.parse.position]
    return parse.completed < parse.total / 10 * 9
  }

  mutating func follow(_ step: SyncStep) {
    if step.phase == .match, step.begins { isInParts = hasMoreToRead }
    guard isInParts, step.phase <= .link else {
      if step.begins { complete(before: step.phase.position) }
      return phases[step.phase.position].move(to: step.completed, of: step.total)
    }
    guard step.phase == .parse else { return }
    for position in SyncPhase.parse.position...SyncPhase.link.position {
      phases[position].move(to: step.completed, of: step.total)
    }
  }

  /// Closes all phases.
  mutating func complete() { complete(before: phases.count) }

  private mutating func complete(before position: Int) {
    for index in 0..<position { phases[index].complete() }
  }
}
