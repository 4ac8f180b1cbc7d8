import SyncStack
import TestSupport
import Testing

/// Histories of all that writes are taken back in random ranges: syncs, lists, sessions, saves in the
/// main context and behind it, answers to an outbox, pulls, undos themselves.
///
/// They have 40 steps; with `SYNCSTACK_UNDO_STEPS=200` so many.
@Suite(.timeLimit(.minutes(60))) struct UndoneHistoryTests {
  private static let steps = Proof.number("UNDO_STEPS") ?? 40

  @Test(arguments: Proof.seeds(usual: 1...2))
  func whatNothingHasTouchedSinceIsAsItWas(_ seed: UInt64) async throws {
    defer { Proof.tried("histories of which random ranges are taken back") }
    let history = try WrittenHistory(seed: seed)
    for step in 1...Self.steps {
      try await history.step()
      if step % 10 == 0 { try await takeBackTheLatest(history, seed) }
      if step % 7 == 0 { try await takeBackEarlierOnes(history, seed) }
    }
    let problems = try await history.stack.checkConsistency().problems
    #expect(problems.isEmpty, "seed \(seed)")
    let left = try await history.finish()
    #expect(left == [], "seed \(seed)")
  }

  private func takeBackTheLatest(_ history: WrittenHistory, _ seed: UInt64) async throws {
    let index = history.randomIndex()
    let (before, now) = (history.states[index], try history.content())
    let last = try history.stack.latestHistoryToken()
    guard before.token < last else { return }
    let range = HistoryToken(number: before.token.number + 1)...last
    let name: Comment = "seed \(seed): \(range.lowerBound.number) to \(last.number)"
    let report = try await history.stack.undo(range, deletionGuard: .off)
    #expect(report.left == [], name)
    #expect(try Facts.differences(before.facts, history.content()) == [], name)
    guard let undo = report.token else { return }
    let again = try await history.stack.undo(undo, deletionGuard: .off)
    #expect(again.left == [], name)
    #expect(try Facts.differences(now, history.content()) == [], name)
    try history.note()
  }

  private func takeBackEarlierOnes(_ history: WrittenHistory, _ seed: UInt64) async throws {
    let first = history.randomIndex()
    let last = min(first + history.random(1...3), history.states.count - 1)
    let (before, after) = (history.states[first], history.states[last])
    guard before.token < after.token else { return }
    let now = try history.content()
    let range = HistoryToken(number: before.token.number + 1)...after.token
    let report = try await history.stack.undo(range, deletionGuard: .off)
    let result = try history.content()
    let named = Set(report.left.compactMap { $0.objectID }.map { "\($0.entity.name) \($0.row)" })
    var wrong: [String] = []
    for fact in Facts.all(before.facts, after.facts, now, result) {
      let expected = after.facts[fact] == now[fact] ? before.facts[fact] : now[fact]
      guard result[fact] != expected, !fact.isOrder, !fact.isExcused(named, result) else {
        continue
      }
      wrong.append(
        "\(fact): \(before.facts[fact] ?? "-"), \(after.facts[fact] ?? "-"), \(now[fact] ?? "-") "
          + "became \(result[fact] ?? "-")")
    }
    #expect(wrong == [], "seed \(seed): \(range.lowerBound.number) to \(range.upperBound.number)")
    let problems = try await history.stack.checkConsistency().problems
    #expect(problems.isEmpty, "seed \(seed)")
    try history.note()
  }
}

/// An object that is there, a value of it, a link, or the order of a list.
struct Fact: Hashable, CustomStringConvertible {
  let object: String
  let property: String

  /// The object at the other end of a link.
  var member: String?
  var isOrder = false

  var description: String {
    "\(object) \(property)\(isOrder ? " in order" : "")\(member.map { " to \($0)" } ?? "")"
  }

  /// Whether an undo has named one of its objects, or both ends of a link are gone.
  func isExcused(_ named: Set<String>, _ facts: [Fact: String]) -> Bool {
    if named.contains(object) { return true }
    guard let member else { return false }
    return named.contains(member)
      || [object, member].allSatisfy { facts[Fact(object: $0, property: "")] == nil }
  }
}

enum Facts {
  static func all(_ states: [Fact: String]...) -> Set<Fact> {
    states.reduce(into: []) { $0.formUnion($1.keys) }
  }

  static func differences(_ one: [Fact: String], _ other: [Fact: String]) -> [String] {
    all(one, other).filter { one[$0] != other[$0] }.map {
      "\($0): \(one[$0] ?? "-"), not \(other[$0] ?? "-")"
    }.sorted()
  }
}
