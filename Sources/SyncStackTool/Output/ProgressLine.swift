/// One line that says how far a sync is: `insert  ██████░░░░  60 %  60,000 of 100,000  81,000/s  0:01 left`.
struct ProgressLine: Sendable {
  /// The name of the phase.
  var phase: String
  var completed: Int
  var total: Int
  /// Whether bytes are counted, not objects.
  var isBytes = false
  /// Part of the whole work that is done, from 0 to 1.
  var fraction: Double
  /// Seconds since the work began.
  var elapsed: Double
  /// Seconds since the phase began.
  var elapsedInPhase: Double

  /// The line, at most as wide as told.
  func text(width: Int) -> String {
    let share = min(1, max(0, fraction.isFinite ? fraction : 0))
    var tail = TextWidth.pad("\(Int((share * 100).rounded(.down))) %", to: 5, right: true)
    if total > 0 { tail += "  \(amount(completed)) of \(amount(total))" }
    if elapsedInPhase >= 0.5, completed > 0 {
      tail += "  \(amount(Int(Double(completed) / elapsedInPhase)))/s"
    }
    if elapsed >= 1, share >= 0.02, share < 1 {
      tail += "  \(Figures.clock(elapsed / share * (1 - share))) left"
    }
    let head = TextWidth.pad(phase, to: 7)
    let room = width - TextWidth.of(head) - TextWidth.of(tail) - 4
    guard room >= 8 else { return TextWidth.cut("\(head)  \(tail)", to: width) }
    return "\(head)  \(bar(share, cells: min(room, 30)))  \(tail)"
  }

  /// The line for a phase that is over, with its time, where lines cannot be overwritten.
  static func ended(_ phase: String, seconds: Double) -> String {
    "\(TextWidth.pad(phase, to: 7))  took \(Figures.duration(seconds))"
  }

  private func amount(_ number: Int) -> String {
    isBytes ? Figures.bytes(number) : Figures.grouped(number)
  }

  private func bar(_ share: Double, cells: Int) -> String {
    let full = Int((share * Double(cells)).rounded(.down))
    return String(repeating: "█", count: full) + String(repeating: "░", count: cells - full)
  }
}
