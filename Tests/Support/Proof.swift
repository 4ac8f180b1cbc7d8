import Foundation
import SyncCore

/// Random histories: how many there are in this run, and how many were tried.
///
/// The quick run takes a few. `Tests/prove` sets how many more, in ever new ones:
///
/// ```
/// SYNCSTACK_SEEDS=200 SYNCSTACK_FIRST_SEED=1000 swift test --filter ContextAgreementTests
/// ```
package enum Proof {
  private static let environment = ProcessInfo.processInfo.environment

  /// A number of the environment, as `SYNCSTACK_KILLS=300`.
  package static func number(_ name: String) -> Int? {
    environment["SYNCSTACK_\(name)"].flatMap { Int($0) }
  }

  /// Whether this run is longer than the quick one.
  package static var isLong: Bool { number("SEEDS") != nil }

  /// The seeds of a suite; `usual` in the quick run.
  package static func seeds(usual: some Sequence<UInt64>) -> [UInt64] {
    guard let count = number("SEEDS") else { return Array(usual) }
    let first = number("FIRST_SEED") ?? 1
    return (first..<first + count).map { UInt64($0) }
  }

  // MARK: - Counting

  private static let file: Locked<FileHandle?> = {
    guard let path = environment["SYNCSTACK_TALLY"] else { return Locked(nil) }
    guard FileManager.default.createFile(atPath: path, contents: nil) else { return Locked(nil) }
    return Locked(FileHandle(forWritingAtPath: path))
  }()

  /// Notes that so many trials of a kind were made, for the table of `Tests/prove`.
  package static func tried(_ kind: String, _ count: Int = 1) {
    file.withLock { $0?.write(Data("\(count)\t\(kind)\n".utf8)) }
  }
}
