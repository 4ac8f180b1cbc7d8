import TestSupport
import Testing

@testable import SyncEngine

/// Owners come back as they were appended, whether they follow each other or not.
@Suite struct MentionOwnersTests {
  @Test(arguments: UInt64(1)...20) func ownersAreWhatWasAppended(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let owners = MentionOwners()
    var expected: [Int32] = []
    var next = Int32.random(in: 0..<3, using: &generator)
    // Some lists have no gap, others have one sooner or later.
    let gap = Int.random(in: 1...60, using: &generator)
    for index in 0..<40 {
      if index == 10 { owners.reserve(40) }
      if index > 0, index.isMultiple(of: gap) {
        next = Int32.random(in: 0..<50, using: &generator)
      }
      owners.append(next)
      expected.append(next)
      next += 1
      #expect(owners.last == expected.last)
    }
    #expect(owners.count == 40)
    #expect(Array(owners) == expected)
  }
}
