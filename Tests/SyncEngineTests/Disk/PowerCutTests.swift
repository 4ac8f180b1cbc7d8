import Foundation
import SyncStack
import TestSupport
import Testing

/// What a power cut leaves of a store: one that is as after one of its commits.
///
/// The writes and syncs of a program are recorded, cut at any place, and the changes that were not
/// synced happen, are lost, or are torn.
@Suite(.timeLimit(.minutes(5))) struct PowerCutTests {
  @Test(arguments: [StoreDurability.normal, .full], Proof.seeds(usual: 1...2))
  func afterAPowerCutTheStoreIsAsAfterOneOfItsCommits(
    _ durability: StoreDurability, seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let disk = try WatchedDisk()
    disk.record()
    // Three days of five commits, on one of which the log is folded back in between.
    let day = Int.random(in: 0..<3, using: &random)
    let series = CommitSeries(long: day * 5 + 1..<day * 5 + 6)
    for first in [1, 6, 11] {
      let stack = try series.open(disk.file(), durability)
      for commit in first..<first + 5 {
        try await series.make(commit, stack)
        disk.note(commit)
      }
      try stack.close()
    }
    let changes = disk.changes
    for _ in 0..<12 {
      let place = Int.random(in: 0...changes.count, using: &random)
      let cut = PowerCut(after: changes.prefix(place), seed: random.next())
      Proof.tried("power cuts")
      let comment: Comment =
        "\(durability), seed \(seed), cut after \(place) of \(changes.count) changes"
      let commit = try await last(of: series, after: cut, comment)
      #expect(commit <= cut.acknowledged + 1, comment)
      if durability == .full { #expect(commit >= cut.acknowledged, comment) }
    }
  }

  /// The last commit in the store that a cut leaves, which then takes another one.
  private func last(
    of series: CommitSeries, after cut: PowerCut, _ comment: Comment
  ) async throws -> Int {
    let folder = try TemporaryFolder()
    try cut.write(to: folder.url)
    let stack = try series.open(folder.file())
    let commit = try await series.last(in: stack, comment)
    try await series.make(commit + 1, stack)
    #expect(try await series.last(in: stack, comment) == commit + 1, comment)
    try stack.close()
    return commit
  }
}
