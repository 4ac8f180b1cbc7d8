import Foundation
import Synchronization

/// Watches how much memory of its own the process has in use: pages of mapped files do not count, the
/// system takes them back when it likes.
final class ResidentMemory: Sendable {
  private let peak = Atomic<Int>(0)
  private let isOver = Atomic<Bool>(false)

  /// Begins to watch.
  init() {
    peak.store(ResidentMemory.bytes, ordering: .relaxed)
    Thread.detachNewThread { [self] in
      while !isOver.load(ordering: .relaxed) {
        let now = ResidentMemory.bytes
        if now > peak.load(ordering: .relaxed) { peak.store(now, ordering: .relaxed) }
        usleep(10_000)
      }
    }
  }

  /// Ends watching.
  ///
  /// - Returns: The most that was seen.
  func end() -> Int {
    isOver.store(true, ordering: .relaxed)
    return peak.load(ordering: .relaxed)
  }

  /// What is in use at the moment, where the system can tell; else 0.
  static var bytes: Int {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else {
      return 0
    }
    for line in text.split(separator: "\n") where line.hasPrefix("RssAnon:") {
      return (Int(line.split(whereSeparator: \.isWhitespace)[1]) ?? 0) * 1024
    }
    return 0
  }
}
