import TestSupport
import Testing

@testable import SyncStore

/// Random histories are taken back in random ranges. `SYNCSTACK_UNDO_COMMITS=200` makes them longer.
@Suite struct UndoTests {
  private static let length =
    Proof.number("UNDO_COMMITS") ?? 60

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func theLatestCommitsAreTakenBackAltogether(_ seed: UInt64) throws {
    let history = try UndoHistory(seed: seed)
    for _ in 0..<Self.length { try history.commit() }
    var random = SeededGenerator(seed: seed + 100)
    for _ in 0..<6 {
      let last = history.states.count - 1
      let first = Int.random(in: max(1, last - 20)...last, using: &random)
      let now = try history.state()
      #expect(try history.undo(first, last) == [])
      let difference = try describe(history.state(), history.states[first - 1])
      #expect(difference == [], "seed \(seed): \(first)...\(last)")
      // And the undo, too.
      let undo = history.states.count - 1
      if undo > last {
        #expect(try history.undo(undo, undo) == [])
        #expect(
          try describe(history.state(), now) == [], "seed \(seed): undo of \(first)...\(last)")
      }
      for _ in 0..<3 { try history.commit() }
    }
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func earlierCommitsAreTakenBackAsFarAsNothingChangedSince(_ seed: UInt64) throws {
    let history = try UndoHistory(seed: seed + 50)
    for _ in 0..<Self.length { try history.commit() }
    var random = SeededGenerator(seed: seed + 200)
    for _ in 0..<10 {
      let latest = history.states.count - 1
      let first = Int.random(in: 1...latest, using: &random)
      let last = Int.random(in: first...min(latest, first + 8), using: &random)
      let (before, after) = (history.states[first - 1], history.states[last])
      let now = try history.state()
      let left = try history.undo(first, last)
      let result = try history.state()
      let named = Set(left.compactMap { left in left.objectID.map { Name($0, left.property) } })
      let wrong = check(before, after, now, result, history.store) { named.contains($0) }
      #expect(wrong == [], "seed \(seed): \(first)...\(last)")
      let problems = try history.store.read { try $0.checkConsistency().map { "\($0)" } }
      #expect(problems == [], "seed \(seed): \(first)...\(last)")
    }
  }

  // MARK: - Comparing

  private struct Name: Hashable {
    let root: String
    let row: Int64
    let property: String?

    init(_ root: String, _ row: Int64, _ property: String?) {
      (self.root, self.row, self.property) = (root, row, property)
    }

    init(_ id: ManagedObjectID, _ property: String?) {
      self.init(id.entity.rootEntity.name, id.row, property)
    }
  }

  private func describe(_ one: UndoHistory.State, _ other: UndoHistory.State) -> [String] {
    let rows = one.rows.symmetricDifference(other.rows).map { "\($0.table) \($0.row)" }
    let facts = Set(one.facts.keys).union(other.facts.keys).filter {
      one.facts[$0] != other.facts[$0]
    }
    return
      (rows
      + facts.map {
        "\($0.table) \($0.row) \($0.column): \(one.facts[$0] ?? "-"), not \(other.facts[$0] ?? "-")"
      }).sorted()
  }

  /// Each fact is as before where it was not changed since, and as it was otherwise, unless it, or
  /// its object, or an object at its other end, was named.
  private func check(
    _ before: UndoHistory.State, _ after: UndoHistory.State, _ now: UndoHistory.State,
    _ result: UndoHistory.State, _ store: Store, isNamed: (Name) -> Bool
  ) -> [String] {
    var wrong: [String] = []
    for row in before.rows.union(after.rows).union(now.rows).union(result.rows) {
      let isTouched = after.rows.contains(row) != now.rows.contains(row)
      let expected = isTouched ? now.rows.contains(row) : before.rows.contains(row)
      if result.rows.contains(row) != expected,
        result.rows.contains(row) != now.rows.contains(row)
          || !isNamedAtAll(row, isNamed)
      {
        wrong.append("\(row.table) \(row.row) is \(expected ? "not " : "")there")
      }
    }
    var touchedLists: Set<UndoHistory.Fact> = []
    for fact in Set(after.facts.keys).union(now.facts.keys)
    where after.facts[fact] != now.facts[fact] {
      if store.layout.links.contains(where: { $0.identifier.name == fact.table }) {
        touchedLists.insert(fact)
      } else if fact.column.hasPrefix("owner") {
        let owner = UndoHistory.Fact(table: fact.table, row: fact.row, column: "owner")
        for state in [after, now] {
          guard let list = state.facts[owner].flatMap({ Int64($0) }) else { continue }
          touchedLists.insert(UndoHistory.Fact(table: "items", row: list, column: ""))
        }
      }
    }
    func isEnd(_ touched: UndoHistory.Fact, of fact: UndoHistory.Fact) -> Bool {
      touched.row == fact.row || touched.column == fact.column
    }
    let facts = [before, after, now, result].reduce(into: Set<UndoHistory.Fact>()) {
      $0.formUnion($1.facts.keys)
    }
    for fact in facts {
      let isLink = store.layout.links.contains { $0.identifier.name == fact.table }
      // Of a link in a list that has changed since only whether it is there counts: its members may
      // have been numbered anew.
      let isBare = isLink && touchedLists.contains { $0.table == fact.table && isEnd($0, of: fact) }
      func shown(_ state: UndoHistory.State) -> String? {
        isBare ? state.facts[fact].map { _ in "there" } : state.facts[fact]
      }
      let expected = shown(after) != shown(now) ? shown(now) : shown(before)
      guard shown(result) != expected, !isExcused(fact, now, result, store, touchedLists, isNamed)
      else { continue }
      wrong.append(
        "\(fact.table) \(fact.row) \(fact.column): \(before.facts[fact] ?? "-"), "
          + "\(after.facts[fact] ?? "-"), \(now.facts[fact] ?? "-") became "
          + "\(result.facts[fact] ?? "-")")
    }
    return wrong.sorted()
  }

  private func isNamedAtAll(_ fact: UndoHistory.Fact, _ isNamed: (Name) -> Bool) -> Bool {
    let names = [
      nil, "id", "name", "score", "seal", "depth", "partner", "owner", "other", "whole", "items",
      "links", "linked", "others", "friends", "parts",
    ]
    return names.contains { isNamed(Name(fact.table, fact.row, $0)) }
  }

  private func isExcused(
    _ fact: UndoHistory.Fact, _ now: UndoHistory.State, _ result: UndoHistory.State,
    _ store: Store, _ touchedLists: Set<UndoHistory.Fact>, _ isNamed: (Name) -> Bool
  ) -> Bool {
    if let link = store.layout.links.first(where: { $0.identifier.name == fact.table }) {
      let ends = store.layout.ends(of: link)
      let target = Int64(fact.column) ?? 0
      let source = UndoHistory.Fact(table: ends.source.name, row: fact.row, column: "")
      let other = UndoHistory.Fact(table: ends.target.name, row: target, column: "")
      return isNamedAtAll(source, isNamed) || isNamedAtAll(other, isNamed)
        || !result.rows.contains(source) || !result.rows.contains(other)
    }
    let isPlace = fact.column.hasSuffix("_position")
    let row = UndoHistory.Fact(table: fact.table, row: fact.row, column: "")
    // An object that stays, or stays away, keeps what it has.
    guard result.rows.contains(row), !isNamed(Name(fact.table, fact.row, nil)) else { return true }
    let property = isPlace ? String(fact.column.dropLast(9)) : fact.column
    if isNamed(Name(fact.table, fact.row, property)) { return true }
    guard isPlace else { return isNamedAtAll(row, isNamed) }
    let owner = UndoHistory.Fact(table: fact.table, row: fact.row, column: property)
    // Under another owner it has the place that it had there.
    if result.facts[owner] != now.facts[owner] || isNamedAtAll(row, isNamed) { return true }
    let list = result.facts[owner].flatMap { Int64($0) }
    return list.map { list in
      isNamed(Name("A", list, "items"))
        || touchedLists.contains(UndoHistory.Fact(table: "items", row: list, column: ""))
    } ?? true
  }
}
