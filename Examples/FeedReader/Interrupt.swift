import Foundation
import Synchronization

/// Ctrl-C as an event. On Windows it ends the process, and the store is as it was.
enum Interrupt {
  private static let pipe = Pipe()
  private static let output = Atomic<Int32>(-1)

  /// Calls a handler at the first Ctrl-C; a second one ends the process.
  static func handle(_ handler: @escaping @Sendable () -> Void) {
    #if !canImport(WinSDK)
      let input = pipe.fileHandleForReading
      output.store(pipe.fileHandleForWriting.fileDescriptor, ordering: .releasing)
      Thread.detachNewThread { if !input.availableData.isEmpty { handler() } }
      signal(SIGINT) { number in
        // Only calls that a handler of signals may make.
        _ = signal(number, SIG_DFL)
        var byte: UInt8 = 0
        _ = write(Interrupt.output.load(ordering: .acquiring), &byte, 1)
      }
    #endif
  }
}
