import Foundation
import TestSupport
import Testing

/// A program at random against servers of all dialects: whatever is lost, refused, in conflict,
/// late, edited and synced meanwhile, and whenever the program is ended, in the end the server has
/// all edits, once, nothing waits, and no request has referred to an object that the server did not
/// know.
///
/// `DIALECT_LOG=1` prints the events of those
/// that fail. The dialect follows from the seed.
@Suite struct DialectTests {
  private static let environment = ProcessInfo.processInfo.environment

  @Test(arguments: Proof.seeds(usual: 0..<16)) func everythingArrivesOnceWhateverTheApiDoes(
    seed: UInt64
  ) async throws {
    defer { Proof.tried("programs of edits against an API of one of nine dialects") }
    let program = try DialectProgram(seed: seed)
    for _ in 0..<30 { try await program.step() }
    let problems = try await program.settle()
    guard !problems.isEmpty else { return }
    let log = Self.environment["DIALECT_LOG"] == nil ? [] : program.line.log
    Issue.record(
      "\(seed), \(program.dialect):\n\((problems + log).joined(separator: "\n"))")
  }
}
