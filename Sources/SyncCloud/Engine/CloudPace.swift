/// When an engine that was started pulls and pushes; see ``CloudEngine/start(pace:clock:)``.
public struct CloudPace: Sendable, Hashable {
  /// How long after a commit it is sent; further commits until then go with it. After a failure
  /// that may pass the first wait is as long, and each further one twice as long as the one before.
  public var delay: Duration

  /// How long after a sync the next one comes. Each that moves nothing makes it twice as long, up
  /// to ``longest``.
  public var shortest: Duration

  /// The longest time between two syncs, whatever happens. While the transport gives live signals
  /// it is the only one.
  public var longest: Duration

  public init(
    delay: Duration = .seconds(2), shortest: Duration = .seconds(10),
    longest: Duration = .seconds(300)
  ) {
    self.delay = max(delay, .zero)
    self.shortest = max(shortest, .milliseconds(10))
    self.longest = max(longest, self.shortest)
  }

  /// A time doubled as often, up to the longest.
  fileprivate func doubled(_ time: Duration, _ count: Int) -> Duration {
    count >= 30 ? longest : min(time * (1 << count), longest)
  }
}

/// Decides when an engine syncs: events in, what to do next out. Times count from any moment.
///
/// ```
///                   committed: earlier         due, asked
/// off ─started─▶ working ◀───────────────── waiting
///                   │  └─ended, failed──────────▲
///                   └─failed for good─▶ halted ─asked─▶ working
/// ```
struct CloudTimetable: Sendable {
  enum Event: Sendable, Hashable {
    case started
    /// Something was committed that travels.
    case committed
    /// Somebody asks for a sync now, and has reason to believe that it goes through.
    case asked
    /// The server says that something has changed there.
    case signalled
    /// Whether such signals are listened to, from now on.
    case listening(Bool)
    /// The time that was waited for may have come.
    case due
    /// A sync went through.
    case ended(hasMoved: Bool)
    /// It did not, and may later: not before `rest`, when the server says so.
    case failed(rest: Duration?)
    /// It did not, and somebody has to do something about that.
    case halted
    case stopped
  }

  enum Action: Sendable, Hashable {
    /// What is going on goes on.
    case none
    case sync
    /// Says ``Event/due`` at that time, and at no other.
    case wait(until: Duration)
    /// Waits for nothing.
    case rest
  }

  private enum Phase {
    case off, working, waiting, halted
  }

  let pace: CloudPace
  private var phase = Phase.off

  /// When the next sync begins; nil unless it waits.
  private(set) var next: Duration?

  /// Syncs that went through since anything has moved, and those that have failed since one went
  /// through.
  private var quiet = 0
  private var failures = 0

  /// What came while a sync was working, and so may not be in it.
  private var isAsked = false
  private var committed: Duration?
  private var isListening = false

  init(_ pace: CloudPace) {
    self.pace = pace
  }

  var isStarted: Bool { phase != .off }

  mutating func take(_ event: Event, at now: Duration) -> Action {
    if phase == .off, event != .started { return .none }
    switch event {
    case .started:
      guard phase == .off else { break }
      return begin()
    case .stopped:
      self = CloudTimetable(pace)
      return .rest
    case .asked: return ask()
    case .signalled:
      if phase != .halted { return ask() }
    case .listening(let isListening):
      self.isListening = isListening
      if !isListening { return hasten(to: now + pace.shortest) }
    case .committed:
      if phase == .working { committed = committed ?? now }
      return hasten(to: now + pace.delay)
    case .due:
      guard phase == .waiting, let next else { return .none }
      return next <= now ? begin() : .wait(until: next)
    case .ended(let hasMoved):
      failures = 0
      if hasMoved { quiet = 0 }
      if isAsked { return begin() }
      defer { quiet += 1 }
      let poll = now + (isListening ? pace.longest : pace.doubled(pace.shortest, quiet))
      return wait(until: min(poll, max(committed.map { $0 + pace.delay } ?? poll, now)))
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

  private mutating func ask() -> Action {
    (quiet, failures) = (0, 0)
    if phase != .working { return begin() }
    isAsked = true
    return .none
  }

  /// Waits no longer than until a time, unless it waits because of a failure.
  private mutating func hasten(to time: Duration) -> Action {
    guard phase == .waiting, failures == 0, let next, time < next else { return .none }
    return wait(until: time)
  }

  private mutating func begin() -> Action {
    (phase, next, committed, isAsked) = (.working, nil, nil, false)
    return .sync
  }

  private mutating func wait(until time: Duration) -> Action {
    (phase, next) = (.waiting, time)
    return .wait(until: time)
  }
}
