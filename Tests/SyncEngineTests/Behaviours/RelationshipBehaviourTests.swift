import Foundation
import SyncStack
import TestSupport
import Testing

/// Relationships of every kind.
@Suite(.timeLimit(.minutes(5))) struct RelationshipBehaviourTests {
  static let cases = [
    SyncCase(
      "custom dot paths take an id and ids", in: "Notes",
      .sync("Serie", #"[{"id": 123, "name": "s"}]"#),
      .sync("Author", #"[{"id": "a", "custom": {"serie": 123, "series": [123]}}]"#),
      leaves: ["Author": ["id=a serie=123 series=[123]"]]),
    SyncCase(
      "three nested objects of one key collapse", in: "Markets",
      .sync(
        "Patient",
        #"[{"id": "p", "baseline": {"id": 0, "name": "x"}, "alcohol": {"id": 0, "name": "x"}, "fitness": {"id": 0, "name": "x"}}]"#
      ),
      leaves: [
        "Measure": ["id=0 name=x patientA=p patientB=p patientC=p"],
        "Patient": ["id=p alcohol=0 baseline=0 fitness=0"],
      ]),
    SyncCase(
      "nested objects of one key collapse under different owners too", in: "Markets",
      .sync(
        "Patient",
        #"[{"id": "p", "baseline": {"id": 0}}, {"id": "q", "alcohol": {"id": 0}}, {"id": "r", "fitness": {"id": 0}}]"#
      ), leaves: ["Measure": ["id=0 patientA=p patientB=q patientC=r"]]),
    SyncCase(
      "a one-to-many without inverse", in: "Notes",
      .sync("House", #"[{"id": 1, "rooms": [{"id": 1}, {"id": 2}]}]"#),
      .sync("House", #"[{"id": 1, "rooms": [{"id": 2, "name": "n"}, {"id": 3}]}]"#),
      leaves: ["House": ["id=1 rooms=[2,3]"]]),
    SyncCase(
      "only the inverse is set, to-many", in: "Markets",
      .sync("Chat", #"[{"id": 1, "participants": [{"id": 2}, {"id": 3}]}]"#),
      leaves: [
        "Chat": ["id=1 participants=[2,3]"], "Person": ["id=2 chats=[1]", "id=3 chats=[1]"],
      ]),
    SyncCase(
      "an ordered relationship without inverse", in: "Ordered",
      .sync("Thing", #"[{"id": 1}, {"id": 2}, {"id": 3}]"#),
      .sync("Cart", #"[{"id": 1, "pinned_ids": [3, 1, 2]}]"#),
      leaves: ["Cart": ["id=1 pinned=[3,1,2]"]]),
    SyncCase(
      "a child list that names an object being inserted", in: "Families",
      .sync(
        "Player", #"[{"id": 1, "name": "a", "team": {"id": 9, "players": [{"id": 1}, {"id": 2}]}}]"#
      ),
      leaves: ["Player": ["id=1 name=a team=9", "id=2 team=9"], "Squad": ["id=9 players=[1,2]"]]),
    SyncCase(
      "the captain of a squad is one of its players", in: "Families",
      .sync(
        "Squad",
        #"[{"id": 9, "captain": {"id": 1, "name": "c"}, "players": [{"id": 1}, {"id": 2}]}]"#),
      leaves: [
        "Squad": ["id=9 captain=1 players=[1,2]"], "Player": ["id=1 name=c team=9", "id=2 team=9"],
      ]),
  ]

  @Test(arguments: cases) func relationshipsAreFilledAsExpected(_ test: SyncCase) async throws {
    try await test.check(.asynchronousWithData)
  }
}
