/// Decides when work that runs by itself has its turn: remote sync, and an outbox that was started.
/// Events in, the next step out. Times count from any moment.
///
/// ```
///                   committed: earlier         due, asked
/// off ─started─▶ working ◀───────────────── waiting
///                   │  └─ended, failed──────────▲
///                   └─failed for good─▶ halted ─asked─▶ working
/// ```
package struct Timetable: Sendable {
  /// How often the work is done.
  package struct Pace: Sendable, Hashable {
    /// How long after a commit; the first pause after a failure.
    package var delay: Duration

    /// How long after a turn the next one comes, when nothing else asks for it. Each that moves
    /// nothing makes it twice as long. Nil is never.
    package var shortest: Duration?

    /// The longest pause of all.
    package var longest: Duration

    package init(delay: Duration, shortest: Duration?, longest: Duration) {
      self.delay = delay
      self.shortest = shortest
      self.longest = longest
    }

    /// A time doubled as often, up to the longest.
    fileprivate func doubled(_ time: Duration, _ count: Int) -> Duration {
      count >= 30 ? longest : min(time * (1 << count), longest)
    }
  }

  package enum Event: Sendable, Hashable {
    case started
    /// Something was committed that travels.
    case committed
    /// The program asks for a turn now, and has reason to believe that it goes through.
    case asked
    /// The server says that something has changed there.
    case signalled
    /// Whether such signals are listened to, from now on; also before the start.
    case listening(Bool)
    /// The time that was waited for may have come.
    case due
    /// A turn went through; the next one comes no later than after `again`, when that is given.
    case ended(hasMoved: Bool, again: Duration? = nil)
    /// It did not, and may later: not before `rest`, when the server says so.
    case failed(rest: Duration?)
    /// It did not, and a person has to do something about that.
    case halted
    case stopped
  }

  package enum Action: Sendable, Hashable {
    /// Running work goes on.
    case none
    case work
    /// Says ``Event/due`` at that time, and at no other.
    case wait(until: Duration)
    /// Waits for nothing.
    case rest
  }

  private enum Phase {
    case off, working, waiting, halted
  }

  package let pace: Pace
  private var phase = Phase.off

  /// When the next turn begins; nil unless it waits for a time.
  package private(set) var next: Duration?

  /// Turns that went through since anything has moved, and those that have failed since one went
  /// through.
  private var quiet = 0
  private var failures = 0

  /// Events during the work, which may not be in it.
  private var isAsked = false
  private var committed: Duration?
  private var isListening = false

  package init(_ pace: Pace) {
    self.pace = pace
  }

  package var isStarted: Bool { phase != .off }

  package mutating func take(_ event: Event, at now: Duration) -> Action {
    if case .listening(let isListening) = event { self.isListening = isListening }
    if phase == .off, event != .started { return .none }
    switch event {
    case .started:
      guard phase == .off else { break }
      return begin()
    case .stopped:
      self = Timetable(pace)
      return .rest
    case .asked: return ask()
    case .signalled:
      if phase != .halted { return ask() }
    case .listening(let isListening):
      if !isListening, let shortest = pace.shortest { return hasten(to: now + shortest) }
    case .committed:
      if phase == .working { committed = committed ?? now }
      return hasten(to: now + pace.delay)
    case .due:
      guard phase == .waiting, let next else { return .none }
      return next <= now ? begin() : .wait(until: next)
    case .ended(let hasMoved, let again): return end(hasMoved, again, at: now)
    case .failed(let rest):
      failures += 1
      return wait(until: now + max(pace.doubled(pace.delay, failures - 1), rest ?? .zero))
    case .halted:
      if isAsked { return begin() }
      (phase, next) = (.halted, nil)
      return .rest
    }
    return .none
  }

  private mutating func end(_ hasMoved: Bool, _ again: Duration?, at now: Duration) -> Action {
    failures = 0
    if hasMoved { quiet = 0 }
    if isAsked { return begin() }
    defer { quiet += 1 }
    let poll = pace.shortest.map { isListening ? pace.longest : pace.doubled($0, quiet) }
    let times = [poll.map { now + $0 }, again.map { now + $0 }, committed.map { $0 + pace.delay }]
    return wait(until: times.compactMap(\.self).min().map { max($0, now) })
  }

  private mutating func ask() -> Action {
    (quiet, failures) = (0, 0)
    if phase != .working { return begin() }
    isAsked = true
    return .none
  }

  /// Waits no longer than until a time, unless it waits because of a failure.
  private mutating func hasten(to time: Duration) -> Action {
    guard phase == .waiting, failures == 0, next.map({ time < $0 }) ?? true else { return .none }
    return wait(until: time)
  }

  private mutating func begin() -> Action {
    (phase, next, committed, isAsked) = (.working, nil, nil, false)
    return .work
  }

  private mutating func wait(until time: Duration?) -> Action {
    (phase, next) = (.waiting, time)
    return time.map { .wait(until: $0) } ?? .rest
  }
}
