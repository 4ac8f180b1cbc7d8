import Foundation
import Synchronization

/// Watches how much memory of its own the process has in use: pages of mapped files do not count,
/// the system takes them back when it likes.
public final class ResidentMemory: Sendable {
  private let start: Int
  private let peak: Atomic<Int>
  private let isOver = Atomic<Bool>(false)

  /// Begins to watch.
  public init() {
    start = ResidentMemory.bytes
    peak = Atomic(start)
    Thread.detachNewThread { [self] in
      while !isOver.load(ordering: .relaxed) {
        peak.max(ResidentMemory.bytes, ordering: .relaxed)
        usleep(10_000)
      }
    }
  }

  /// Ends watching.
  ///
  /// - Returns: The most by which it grew.
  public func end() -> Int {
    isOver.store(true, ordering: .relaxed)
    return peak.load(ordering: .relaxed) - start
  }

  /// The bytes in use at the moment, where the system can tell; else 0.
  public static var bytes: Int { ProcessFigures.status("RssAnon:") }
}

/// By how much a job's memory grows at most.
struct MemoryWatch {
  private let start: Int
  /// Watches when pages of the payload's file must not count, which the system's own peak includes.
  private let watch: ResidentMemory?

  /// Begins to watch.
  init(_ scenario: Scenario) {
    ProcessFigures.resetPeak()
    start = ProcessFigures.residentBytes
    watch = scenario == .streamed ? ResidentMemory() : nil
  }

  /// Ends watching.
  ///
  /// - Returns: The growth in bytes.
  func end() -> Int { watch?.end() ?? ProcessFigures.peakBytes - start }
}
