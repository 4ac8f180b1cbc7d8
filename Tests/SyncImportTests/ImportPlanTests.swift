import SyncStack
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
      feed("Bout", after: ["Athlete"]), feed("Crew"), feed("Athlete"), feed("Nation"),
    ])
    #expect(plan.needs == [[2], [3], [], []])
  }

  @Test func aNamedOrderCountsMoreThanARequiredObject() throws {
    #expect(try plan([feed("Crew"), feed("Nation", after: ["Crew"])]).needs == [[], [0]])
  }

  @Test(
    arguments: [
      ([], "no feed"), ([("Crew", [])], nil), ([("Crew", ["Crew"])], "waits for itself"),
      ([("Crew", ["Athletes"])], "no feed has that name"),
      ([("Crew", []), ("Crew", [])], "Two feeds"),
      ([("Crew", ["Bout"]), ("Bout", ["Crew"])], "waits for itself"),
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
    #expect {
      try plan([feed("Crew", .changes)], isNamed: false)
    } throws: { ($0 as? FeedError)?.code == .invalidFeeds }
  }
}
