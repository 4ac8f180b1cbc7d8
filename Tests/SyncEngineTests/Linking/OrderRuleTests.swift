import SyncStack
import TestSupport
import Testing

/// Ordered relationships take the order of the payload.
@Suite struct OrderRuleTests {
  /// The kinds of ordered list, by objects and by keys.
  enum List: String, CaseIterable, Sendable {
    case oneToMany = "items"
    case manyToMany = "links"

    func json(_ keys: [Int], byKeys: Bool) -> String {
      let list =
        byKeys
        ? keys.map { "\"\($0)\"" }.joined(separator: ",")
        : keys.map { #"{"id": "\#($0)"}"# }.joined(separator: ",")
      return #"[{"id": 1, "\#(rawValue)\#(byKeys ? "_ids" : "")": [\#(list)]}]"#
    }
  }

  private func order(_ list: List, _ bench: SyncBench) throws -> String {
    let line = try bench.objects("A")[0]
    return String(line.split(separator: " ").first { $0.hasPrefix(list.rawValue) } ?? "")
  }

  static func permutations(_ keys: [Int]) -> [[Int]] {
    guard keys.count > 1 else { return [keys] }
    return keys.flatMap { first in
      permutations(keys.filter { $0 != first }).map { [first] + $0 }
    }
  }

  @Test(arguments: List.allCases, [false, true])
  func everyPermutationOfFourIsTakenAndAnOrderThatStaysIsNoChange(_ list: List, byKeys: Bool) throws
  {
    let bench = try SyncBench(TestModels.relationships())
    try bench.sync(list.json([1, 2, 3, 4], byKeys: false), "A")
    let permutations = OrderRuleTests.permutations([1, 2, 3, 4])
    #expect(permutations.count == 24)
    var previous = [1, 2, 3, 4]
    for keys in permutations {
      let json = list.json(keys, byKeys: byKeys)
      let (_, changes) = try bench.syncWithChanges(json, "A")
      let text = keys.map(String.init).joined(separator: ",")
      #expect(try order(list, bench) == "\(list.rawValue)=[\(text)]")
      // Only the owner changes, and only when the order does.
      #expect(changes.counts == (0, keys == previous ? 0 : 1, 0))
      previous = keys
      #expect(try bench.syncWithChanges(json, "A").changes.isEmpty)
    }
  }

  @Test(arguments: List.allCases, [false, true])
  func longerListsAreOrderedWhoseMembersChangeAsWell(_ list: List, byKeys: Bool) throws {
    let bench = try SyncBench(TestModels.relationships())
    let all = (1...30).map { #"{"id": "\#($0)"}"# }.joined(separator: ",")
    try bench.sync("[\(all)]", "B")
    try bench.sync(#"[{"id": 1}]"#, "A")
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<15 {
      let count = Int.random(in: 0...30, using: &generator)
      let keys = Array((1...30).shuffled(using: &generator).prefix(count))
      try bench.sync(list.json(keys, byKeys: byKeys), "A")
      let text = keys.map(String.init).joined(separator: ",")
      #expect(try order(list, bench) == (keys.isEmpty ? "" : "\(list.rawValue)=[\(text)]"))
    }
  }

  static let rules = [
    SyncCase(
      "[3,4,5,2] over [1,2,3]", .stored("User", list([1, 2, 3])),
      .sync("User", list([3, 4, 5, 2])), leaves: ["User": ["id=1 tasks=[3,4,5,2]"]]),
    SyncCase(
      "repeated and unknown keys are passed over", .stored("Task", #"[{"id": 1}, {"id": 2}]"#),
      .sync("User", #"[{"id": 1, "tasks_ids": [2, 9, 1, 2]}]"#),
      leaves: ["User": ["id=1 tasks=[2,1]"]], findings: [.repeatedItem, .unresolvedReference]),
    SyncCase(
      "identifiers of another JSON type keep their order",
      .stored("Task", #"[{"id": 1}, {"id": 2}]"#),
      .sync("User", #"[{"id": 1, "tasks_ids": ["2", "1"]}]"#),
      leaves: ["User": ["id=1 tasks=[2,1]"]]),
    SyncCase(
      "members that stay without being listed come at the end, in their order",
      .stored("User", list([1, 2, 3, 4])),
      .sync("User", list([4, 2]), SyncOperations.all.subtracting(.deleteRelationships)),
      leaves: ["User": ["id=1 tasks=[4,2,1,3]"]]),
    SyncCase(
      "items without key do not shift the order", .stored("User", list([1, 2, 3])),
      .sync("User", #"[{"id": 1, "tasks": [{"id": 3}, {}, {"id": 2}, {"id": 1}]}]"#),
      leaves: ["User": ["id=1 tasks=[3,2,1]"]], findings: [.skippedItem]),
    SyncCase(
      "an object that joins from its own side comes to the end", .stored("User", list([2, 1])),
      .sync("Task", #"[{"id": 9, "user_id": 1}]"#, [.insert, .update]),
      leaves: ["User": ["id=1 tasks=[2,1,9]"]]),
  ]

  static let newOwners = [
    SyncCase(
      "in the order of the new objects",
      .sync(
        "User", #"[{"id": 1, "tasks": [{"id": 1}, {"id": 2}]}, {"id": 2, "tasks": [{"id": 3}]}]"#),
      leaves: ["User": ["id=1 tasks=[1,2]", "id=2 tasks=[3]"]]),
    SyncCase(
      "in another one, with one twice",
      .sync("User", #"[{"id": 2, "tasks": [{"id": 7}, {"id": 6}, {"id": 7}]}]"#),
      leaves: ["User": ["id=2 tasks=[7,6]"]], findings: [.repeatedItem]),
    SyncCase(
      "an old object behind and between new ones", .stored("Task", #"[{"id": 8}]"#),
      .sync("User", list([5, 8, 6])), leaves: ["User": ["id=1 tasks=[5,8,6]"]]),
    SyncCase(
      "another owner refers to one that the first one nests",
      .sync(
        "User",
        #"""
        [{"id": 1, "tasks": [{"id": 1}, {"id": 2}]}, {"id": 2, "tasks_ids": [3, 2]},
         {"id": 3, "tasks": [{"id": 3}]}]
        """#), leaves: ["User": ["id=1 tasks=[1]", "id=2 tasks=[2]", "id=3 tasks=[3]"]]),
    SyncCase(
      "a new object names its owner itself",
      .sync(
        "Task",
        #"""
        [{"id": 1, "user": {"id": 5, "tasks": [{"id": 9}, {"id": 10}]}}, {"id": 2, "user_id": 5}]
        """#), leaves: ["User": ["id=5 tasks=[9,10,1,2]"]]),
  ]

  @Test(arguments: newOwners)
  func newOwnersGetTheOrderOfThePayload(_ rule: SyncCase) throws { try rule.check() }

  private static func list(_ keys: [Int]) -> String {
    let tasks = keys.map { #"{"id": \#($0)}"# }.joined(separator: ",")
    return #"[{"id": 1, "tasks": [\#(tasks)]}]"#
  }

  @Test(arguments: rules) func ordersFollowTheRules(_ rule: SyncCase) throws { try rule.check() }
}
