import TestSupport
import Testing

@testable import SyncEngine

/// Lists are compared with their stored members as these go by: lists that differ come out whole,
/// and no others.
@Suite struct ListComparisonTests {
  @Test(arguments: UInt64(1)...20) func whatDiffersComesOutWhole(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let owners = (1...200).filter { _ in Bool.random(using: &generator) }.map { Int64($0 * 3) }
    var wanted = MemberLists()
    var stored: [Int64: [Int64]] = [:]
    for owner in owners {
      let list = (1...9).filter { _ in Bool.random(using: &generator) }.map(Int64.init)
        .shuffled(using: &generator)
      wanted.begin(owner)
      for member in list { wanted.appendOnce(member) }
      for member in list.prefix(3) { wanted.appendOnce(member) }
      stored[owner] =
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: []
        case 1: list.dropLast()
        case 2: list + [10]
        case 3: list.shuffled(using: &generator)
        default: list
        }
    }
    #expect(wanted.owners == owners)
    var comparison = ListComparison(wanted, count: owners.count)
    for owner in owners {
      for member in stored[owner] ?? [] { comparison.see(member, of: owner) }
    }
    let different = comparison.finish()
    let found = Dictionary(
      uniqueKeysWithValues: different.owners.enumerated().map {
        (owners[Int($1)], Array(different.members(of: $0)))
      })
    let expected = Dictionary(
      uniqueKeysWithValues: owners.enumerated().compactMap { index, owner in
        let list = Array(wanted.members(of: index))
        return stored[owner] == list ? nil : stored[owner].map { (owner, $0) }
      })
    #expect(found == expected)
    var hint = 0
    for row in (0...610).map(Int64.init) {
      let index = wanted.index(ofOwner: row, hint: &hint)
      #expect(index == owners.firstIndex(of: row))
      #expect(wanted.ownerCount(before: row) == owners.count { $0 < row })
    }
  }

  @Test func aListIsTakenOut() {
    for gone in 0..<3 {
      var lists = MemberLists()
      for owner in 0..<3 {
        lists.begin(Int64(owner))
        for member in 0...owner { lists.append(Int64(10 * owner + member)) }
      }
      lists.remove(at: gone)
      let all: [[Int64]] = [[0], [10, 11], [20, 21, 22]]
      let left = all.enumerated().filter { $0.offset != gone }
      #expect(lists.owners == left.map { Int64($0.offset) })
      #expect(lists.owners.indices.map { Array(lists.members(of: $0)) } == left.map(\.element))
    }
  }

  // MARK: - Owners of mentions

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
