import Foundation
import SyncStack
import TestSupport
import Testing

/// A disk that refuses reads, writes or syncs: the commit throws and leaves nothing, and the next
/// one goes on.
@Suite(.timeLimit(.minutes(5))) struct DiskFaultTests {
  /// Accesses that fail, by the codes that SQLite has for them
  /// (https://www.sqlite.org/rescode.html).
  private static let faults: [(access: WatchedDisk.Access, code: Int32)] = [
    (.writes, 13),  // SQLITE_FULL
    (.writes, 10 | 3 << 8),  // SQLITE_IOERR_WRITE
    (.syncs, 10 | 4 << 8),  // SQLITE_IOERR_FSYNC
    (.reads, 10 | 1 << 8),  // SQLITE_IOERR_READ
  ]

  @Test(arguments: faults.indices, Proof.seeds(usual: 1...2))
  func aCommitThatTheDiskRefusesLeavesNothing(_ index: Int, seed: UInt64) async throws {
    let (access, code) = Self.faults[index]
    var random = SeededGenerator(seed: seed)
    let series = CommitSeries()
    let disk = try WatchedDisk()
    var stack = try series.open(disk.file(), .full)
    var commit = 1
    try await series.make(commit, stack)
    var refused = 0
    for _ in 0..<16 {
      // A store that was opened just now reads everything, another one hardly anything.
      if random.chance(50) {
        try stack.close()
        stack = try series.open(disk.file(), .full)
      }
      let comment: Comment = "\(access) with \(code), seed \(seed), commit \(commit + 1)"
      // A commit syncs once, or twice where a log begins.
      let few = Int.random(in: 0..<(access == .syncs ? 2 : 12), using: &random)
      disk.fail(access, after: few, with: code, isLasting: random.chance(50))
      var error: (any Error)?
      do { try await series.make(commit + 1, stack) } catch let thrown { error = thrown }
      if disk.heal() > 0 { Proof.tried("refusals of a disk") }
      let last = try await series.last(in: stack, comment)
      if let error {
        refused += 1
        #expect(error is StoreError, comment)
        #expect(last == commit, "\(comment): \(error)")
      } else {
        #expect(last == commit + 1, comment)
      }
      if last == commit { try await series.make(commit + 1, stack) }
      commit += 1
      #expect(try await series.last(in: stack, comment) == commit, comment)
    }
    #expect(refused > 0)
    try stack.close()
  }
}
