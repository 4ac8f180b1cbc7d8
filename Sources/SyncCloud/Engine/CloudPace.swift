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
}
