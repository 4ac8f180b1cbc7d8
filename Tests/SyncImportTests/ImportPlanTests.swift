import SyncCore
import SyncEngine
import SyncGraph
import Testing

@testable import SyncImport

@Suite struct ImportPlanTests {
  private func plan(_ feeds: [Feed], isNamed: Bool = true) throws -> ImportPlan {
    try ImportPlan(feeds, try DataStack.league().model, isNamed: isNamed)
  }

  private func feed(
    _ entity: String, _ kind: Feed.Kind = .snapshot, named: String? = nil, after: [String] = []
  ) -> Feed {
    Feed(entity, kind, named: named, after: after) { _ in FeedPage("[]") }
  }

  @Test func aFeedWaitsForRequiredObjectsAndForThoseThatItNames() throws {
    let plan = try plan([
      feed("Match", after: ["Player"]), feed("Team"), feed("Player"), feed("Country"),
    ])
    #expect(plan.needs == [[2], [3], [], []])
  }

  @Test func aNamedOrderCountsMoreThanARequiredObject() throws {
    #expect(try plan([feed("Team"), feed("Country", after: ["Team"])]).needs == [[], [0]])
  }

  @Test(
    arguments: [
      ([], "no feed"), ([("Team", [])], nil), ([("Team", ["Team"])], "waits for itself"),
      ([("Team", ["Players"])], "no feed has that name"),
      ([("Team", []), ("Team", [])], "Two feeds"),
      ([("Team", ["Match"]), ("Match", ["Team"])], "waits for itself"),
    ] as [([(String, [String])], String?)])
  func feedsThatDoNotFitAreNamed(feeds: [(String, [String])], text: String?) throws {
    let made = feeds.map { feed($0.0, after: $0.1) }
    guard let text else {
      _ = try plan(made)
      return
    }
    let error = #expect(throws: FeedError.self) { try plan(made) }
    #expect(error?.code == .invalidFeeds && error?.message.contains(text) == true)
  }

  @Test func changesNeedANameToGoOn() throws {
    let error = #expect(throws: FeedError.self) {
      try plan([feed("Team", .changes)], isNamed: false)
    }
    #expect(error?.code == .invalidFeeds)
  }
}
