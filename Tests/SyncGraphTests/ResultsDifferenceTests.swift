import SyncGraph
import TestSupport
import Testing

@Suite struct ResultsDifferenceTests {
  @Test(arguments: 0..<400 as Range<UInt64>)
  func carriedOutItGivesTheNewList(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let size = Int.random(in: 0...40, using: &generator)
    let old = Array(
      (0..<size).shuffled(using: &generator).prefix(Int.random(in: 0...size, using: &generator)))
    var new = old.filter { _ in Int.random(in: 0..<4, using: &generator) > 0 }
    for _ in 0..<Int.random(in: 0...4, using: &generator) where new.count > 1 {
      new.insert(
        new.remove(at: .random(in: new.indices, using: &generator)),
        at: .random(in: 0...(new.count), using: &generator))
    }
    for number in 0..<Int.random(in: 0...5, using: &generator) {
      new.insert(100 + number, at: .random(in: 0...new.count, using: &generator))
    }
    let updated = Set(new.filter { _ in Int.random(in: 0..<5, using: &generator) == 0 })
    let sections = Set(new.filter { _ in Int.random(in: 0..<7, using: &generator) == 0 })

    let plain = ResultsDifference(from: old, to: new, isUpdated: updated.contains)
    #expect(plain.applied(to: old) { new[$0] } == new)
    #expect(plain.deletions.map { old[$0] } == old.filter { !new.contains($0) })
    #expect(plain.insertions.map { new[$0] } == new.filter { !old.contains($0) })
    #expect(Set(plain.updates.map { new[$0.to] }) == updated.intersection(old))
    #expect(plain.updates.allSatisfy { old[$0.from] == new[$0.to] })
    #expect(plain.moves.allSatisfy { old[$0.from] == new[$0.to] })
    let common = new.filter(old.contains).compactMap { old.firstIndex(of: $0) }
    #expect(plain.moves.count == common.count - longestRun(common))

    let sectioned = ResultsDifference(
      from: old, to: new, staysInSection: { old, _ in !sections.contains(old) })
    #expect(sectioned.applied(to: old) { new[$0] } == new)
    let moved = Set(sectioned.moves.map(\.from))
    #expect(common.filter(sections.contains).allSatisfy(moved.contains))
  }

  /// Length of the longest ascending run, the slow way.
  private func longestRun(_ numbers: [Int]) -> Int {
    var lengths: [Int] = []
    for (index, number) in numbers.enumerated() {
      lengths.append(
        1
          + (numbers.indices.prefix(index).filter { numbers[$0] < number }.map { lengths[$0] }.max()
            ?? 0))
    }
    return lengths.max() ?? 0
  }

  @Test func oneObjectThatMovesIsOneMove() {
    let down = ResultsDifference(from: [1, 2, 3, 4, 5], to: [2, 3, 4, 5, 1])
    #expect(down.moves == [.init(from: 0, to: 4)] && down.deletions.isEmpty)
    let up = ResultsDifference(from: [1, 2, 3, 4, 5], to: [5, 1, 2, 3, 4])
    #expect(up.moves == [.init(from: 4, to: 0)] && up.insertions.isEmpty)
    #expect(ResultsDifference(from: [1, 2], to: [1, 2]).isEmpty)
  }
}

extension ResultsDifference {
  /// Carries the difference out.
  ///
  /// - Parameter element: the element at an index of the new list; asked for insertions only.
  fileprivate func applied<Element>(
    to old: [Element], inserting element: (Int) throws -> Element
  ) rethrows -> [Element] {
    let gone = Set(deletions).union(moves.map(\.from))
    var kept = old.indices.lazy.filter { !gone.contains($0) }.makeIterator()
    let origins = Dictionary(uniqueKeysWithValues: moves.map { ($0.to, $0.from) })
    let inserted = Set(insertions)
    var result: [Element] = []
    for index in 0..<(old.count - deletions.count + insertions.count) {
      if inserted.contains(index) {
        result.append(try element(index))
      } else if let place = origins[index] ?? kept.next() {
        result.append(old[place])
      }
    }
    return result
  }
}
