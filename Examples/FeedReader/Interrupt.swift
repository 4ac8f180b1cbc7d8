// Ctrl-C as an event. Dispatch tells of signals where there are POSIX signals; on Windows the process
// simply ends, and the store's own recovery brings it back to where it was.
import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Calls a handler at the first Ctrl-C, and lets the second one end the process.
final class Interrupt {
  #if canImport(WinSDK)
    init(_ handler: @escaping @Sendable () -> Void) {}
  #else
    private let source: any DispatchSourceSignal

    init(_ handler: @escaping @Sendable () -> Void) {
      signal(SIGINT, SIG_IGN)
      source = DispatchSource.makeSignalSource(
        signal: SIGINT, queue: DispatchQueue(label: "FeedReader.interrupt"))
      source.setEventHandler {
        signal(SIGINT, SIG_DFL)
        handler()
      }
      source.activate()
    }

    deinit {
      source.cancel()
      signal(SIGINT, SIG_DFL)
    }
  #endif
}
