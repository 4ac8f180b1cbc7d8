// Ctrl-C as an event, and the polite request to end that services and containers get (SIGTERM) with
// it. Where there are POSIX signals a handler writes to a pipe, of which Dispatch tells: Dispatch's
// own source of signals may lose one on Linux, because it raises it once more in the thread that
// got it, and waits for it in another. On Windows the process simply ends, and the store's own
// recovery brings it back to where it was.
import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#endif

/// Calls a handler at the first Ctrl-C or SIGTERM, and lets the second one end the process. Of
/// several, one inside the other, the innermost is called.
///
/// Confined to the command that made it; the handler runs on a queue of its own.
final class Interrupt {
  #if canImport(WinSDK)
    init(_ handler: @escaping @Sendable () -> Void) {}
  #else
    /// Where the signal is written to; -1 when no handler is set.
    private static let output = Atomic<Int32>(-1)

    private static let signals = [SIGINT, SIGTERM]

    private let source: (any DispatchSourceRead)?
    private let ends: (output: Int32, input: Int32)
    /// Where signals were written to before; -1 when no handler was set.
    private let outer: Int32

    init(_ handler: @escaping @Sendable () -> Void) {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else {
        // Without one, Ctrl-C ends the process.
        self.ends = (-1, -1)
        outer = -1
        source = nil
        return
      }
      let (output, input) = (ends[1], ends[0])
      self.ends = (output, input)
      let source = DispatchSource.makeReadSource(
        fileDescriptor: input, queue: DispatchQueue(label: "syncstack.interrupt"))
      source.setEventHandler {
        var byte: UInt8 = 0
        if read(input, &byte, 1) == 1 { handler() }
      }
      source.setCancelHandler { close(input) }
      source.activate()
      self.source = source
      outer = Interrupt.output.exchange(output, ordering: .acquiringAndReleasing)
      for number in Interrupt.signals {
        signal(number) { number in
          // Only calls that a handler of signals may make.
          let code = errno
          _ = signal(number, SIG_DFL)
          var byte: UInt8 = 0
          _ = write(Interrupt.output.load(ordering: .acquiring), &byte, 1)
          errno = code
        }
      }
    }

    deinit {
      guard let source else { return }
      let isOurs = Interrupt.output.compareExchange(
        expected: ends.output, desired: outer, ordering: .acquiringAndReleasing
      ).exchanged
      if isOurs, outer == -1 { for number in Interrupt.signals { signal(number, SIG_DFL) } }
      source.cancel()
      close(ends.output)
    }
  #endif
}
