import Foundation
import TestSupport
import Testing

/// A program at random against servers of all dialects: whatever is lost, refused, in conflict,
/// late, edited and synced meanwhile, and whenever the program is ended, in the end the server has
/// all edits, once, nothing waits, and no request has referred to an object that the server did not
/// know.
///
/// `DIALECT_SEEDS` runs more sequences, from `DIALECT_FIRST` on, as in `DIALECT_FIRST=1000
/// DIALECT_SEEDS=1000 swift test --filter DialectTests`; `DIALECT_LOG=1` prints the events of those
/// that fail. The dialect follows from the seed.
@Suite struct DialectTests {
  private static let environment = ProcessInfo.processInfo.environment

  private static let seeds = {
    let first = environment["DIALECT_FIRST"].flatMap { UInt64($0) } ?? 0
    return first..<first + (environment["DIALECT_SEEDS"].flatMap { UInt64($0) } ?? 16)
  }()

  @Test(arguments: seeds) func everythingArrivesOnceWhateverTheApiDoes(
    seed: UInt64
  ) async throws {
    let program = try DialectProgram(seed: seed)
    for _ in 0..<30 { try await program.step() }
    let problems = try await program.settle()
    guard !problems.isEmpty else { return }
    let log = Self.environment["DIALECT_LOG"] == nil ? [] : program.line.log
    Issue.record(
      "\(seed), \(program.dialect):\n\((problems + log).joined(separator: "\n"))")
  }
}
