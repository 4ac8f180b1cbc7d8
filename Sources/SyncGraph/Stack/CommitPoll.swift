import Dispatch

/// Looks now and then whether other processes have committed, for contexts that are not entered and
/// observers that nothing else would wake. Ends when it is let go of.
final class CommitPoll: @unchecked Sendable {
  // Unchecked: the timer is set up here and cancelled in the end; Dispatch allows both on any
  // thread.
  private let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))

  /// - Parameter look: Takes some microseconds when there is nothing new.
  init(_ look: @escaping @Sendable () -> Void) {
    timer.setEventHandler(handler: look)
    timer.schedule(
      deadline: .now() + .seconds(1), repeating: .seconds(1), leeway: .milliseconds(200))
    timer.resume()
  }

  deinit {
    timer.cancel()
  }
}
