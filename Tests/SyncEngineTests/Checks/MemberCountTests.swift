import SyncStack
import TestSupport
import Testing

/// How many members a relationship may have, and required to-one relationships, whichever item is
/// to blame.
@Suite struct MemberCountTests {
  private let bench: SyncBench

  init() throws {
    bench = try SyncBench([
      EntityDraft(
        "Team",
        [
          "id", "name",
          .toMany("players", to: "Player", inverse: "team", minCount: 2, maxCount: 3),
          .toMany("badges", to: "Badge", inverse: "teams", maxCount: 2),
        ]),
      "Player: id, team -> Team.players, coach -> Coach.players required",
      "Coach: id, players ->> Player.coach",
      "Badge: id, teams ->> Team.badges",
    ])
  }

  private static let coach = #""coach": {"id": 1}"#

  private static func players(_ ids: ClosedRange<Int>) -> String {
    ids.map { #"{"id": \#($0), \#(coach)}"# }.joined(separator: ",")
  }

  static let blamed = [
    #"{"id": 2, "players": [\#(players(5...8))]}"#, #"{"id": 2, "players": [\#(players(5...5))]}"#,
    #"{"id": 2, "badges": [{"id": 1}, {"id": 2}, {"id": 3}]}"#,
  ]

  @Test(arguments: blamed)
  func aListThatAnItemGivesCostsTheItemAsThePolicySays(_ item: String) throws {
    let good = #"{"id": 1, "players": [\#(Self.players(1...2))]}"#
    let report = try bench.sync("[\(good), \(item)]", "Team")
    #expect(report.entities["Team"]?.skipped == 1)
    #expect(report.findings(of: .skippedItem).map(\.key) == ["2"])
    #expect(try bench.count("Team") == 1)
    let error = #expect(throws: SyncError.self) {
      try bench.sync("[\(good), \(item)]", "Team") { $0.settings.onItemError = .fail }
    }
    #expect(error?.code == .invalidMemberCount && error?.key == "2" && error?.entity == "Team")
  }

  static let results = [
    // Two items make the list of one team too long.
    #"[{"id": 11, "team_id": 1, \#(coach)}, {"id": 12, "team_id": 1, \#(coach)}]"#,
    // One leaves of two.
    #"[{"id": 1, "team": null}]"#,
  ]

  @Test(arguments: results, [1, nil])
  func aCountThatThePayloadAsAWholeBreaksFailsTheSync(_ payload: String, _ size: Int?) throws {
    try bench.sync(#"[{"id": 1, "players": [\#(Self.players(1...2))]}]"#, "Team")
    let before = try bench.objects("Team") + bench.objects("Player")
    let error = #expect(throws: SyncError.self) {
      try bench.sync(
        payload, "Player",
        operations: [.insert, .update, .insertRelationships, .updateRelationships], parts: size)
    }
    #expect(error?.code == .invalidMemberCount && error?.entity == "Team" && error?.key == "1")
    #expect(error?.property == "players")
    #expect(try bench.objects("Team") + bench.objects("Player") == before)
  }

  @Test func aMoveThatIsWholeInTheEndPasses() throws {
    try bench.sync(#"[{"id": 1, "players": [\#(Self.players(1...2))]}]"#, "Team")
    try bench.sync(
      #"[{"id": 1, "team": null}, {"id": 3, "team_id": 1, \#(Self.coach)}, {"id": 2}]"#, "Player")
    #expect(try bench.objects("Team") == ["id=1 players=[2,3]"])
  }

  @Test func deletingWhatARequiredRelationshipLeadsToFails() throws {
    try bench.sync(#"[{"id": 1, "players": [\#(Self.players(1...2))]}]"#, "Team")
    let error = #expect(throws: SyncError.self) { try bench.sync(#"[{"id": 2}]"#, "Coach") }
    #expect(error?.code == .requiredValueMissing && error?.property == "coach")
    #expect(error?.key == "1" && error?.entity == "Player")
    #expect(try bench.count("Coach") == 1)
  }

  @Test func countingTakesOneStatementHoweverManyOwners() throws {
    let items = (1...700).map {
      #"{"id": \#($0), "players": [\#(Self.players($0 * 2...$0 * 2 + 1))]}"#
    }
    let texts = try bench.store.recorder.record {
      try bench.sync("[\(items.joined(separator: ","))]", "Team")
    }
    #expect(texts.count { $0.contains("count(*)") && $0.contains("GROUP BY") } == 2)
  }
}
