import Foundation
import SyncStack
import TestSupport
import Testing

/// Relationships of every kind.
@Suite(.timeLimit(.minutes(30))) struct RelationshipBehaviourTests {
  static let cases = [
    BehaviourCase(
      "custom dot paths take an id and ids", "Notes",
      [
        .init("Serie", #"[{"id": 123, "name": "s"}]"#),
        .init("Author", #"[{"id": "a", "custom": {"serie": 123, "series": [123]}}]"#),
      ],
      .init("Author", "id serie series", "a 123 {123}")),
    BehaviourCase(
      "three nested objects of one key collapse", "Markets",
      [
        .init(
          "Patient",
          #"[{"id": "p", "baseline": {"id": 0, "name": "x"}, "alcohol": {"id": 0, "name": "x"}, "fitness": {"id": 0, "name": "x"}}]"#
        )
      ],
      .init("Measure", "id name patientA patientB patientC", "0 x p p p"),
      .init("Patient", "baseline alcohol fitness", "0 0 0")),
    BehaviourCase(
      "…under different owners too", "Markets",
      [
        .init(
          "Patient",
          #"[{"id": "p", "baseline": {"id": 0}}, {"id": "q", "alcohol": {"id": 0}}, {"id": "r", "fitness": {"id": 0}}]"#
        )
      ],
      .init("Measure", "id patientA patientB patientC", "0 p q r")),
    BehaviourCase(
      "a one-to-many without inverse", "Notes",
      [
        .init("House", #"[{"id": 1, "rooms": [{"id": 1}, {"id": 2}]}]"#),
        .init("House", #"[{"id": 1, "rooms": [{"id": 2, "name": "n"}, {"id": 3}]}]"#),
      ],
      .init("House", "id rooms", "1 {2,3}")),
    BehaviourCase(
      "only the inverse is set, to-many", "Markets",
      [.init("Chat", #"[{"id": 1, "participants": [{"id": 2}, {"id": 3}]}]"#)],
      .init("Chat", "id owner participants", "1 - {2,3}"),
      .init("Person", "id ownedChats chats", "2 {} {1}", "3 {} {1}")),
    BehaviourCase(
      "an ordered relationship without inverse", "Ordered",
      [
        .init("Thing", #"[{"id": 1}, {"id": 2}, {"id": 3}]"#),
        .init("Cart", #"[{"id": 1, "pinned_ids": [3, 1, 2]}]"#),
      ],
      .init("Cart", "id pinned", "1 [3,1,2]")),
    BehaviourCase(
      "a child list that names an object being inserted", "Families",
      [
        .init(
          "Player",
          #"[{"id": 1, "name": "a", "team": {"id": 9, "players": [{"id": 1}, {"id": 2}]}}]"#)
      ],
      .init("Player", "id team", "1 9", "2 9"), .init("Squad", "id players", "9 {1,2}")),
    BehaviourCase(
      "…and the captain of the squad is one of its players", "Families",
      [
        .init(
          "Squad",
          #"[{"id": 9, "captain": {"id": 1, "name": "c"}, "players": [{"id": 1}, {"id": 2}]}]"#)
      ],
      .init("Squad", "id captain players", "9 1 {1,2}"), .init("Player", "id name", "1 c", "2 -")),
  ]

  @Test(arguments: cases)
  func relationshipsAreFilledAsExpected(_ test: BehaviourCase) async throws {
    try await test.check(.asynchronousWithData)
  }

  @Test func severalWaysToTheParentAreAnErrorThatNamesThemUnlessOneIsGiven() throws {
    let stack = try DataStack.opened("Markets")
    try stack.sync(dictionaries(#"[{"id": 6}]"#), inEntityNamed: "Person")
    try stack.inMain { main in
      let parent = try main.fetch(6, inEntityNamed: "Person")
      let chats = try dictionaries(#"[{"id": 1}]"#)
      let error = #expect(throws: SyncError.self) {
        try main.sync(chats, inEntityNamed: "Chat", parent: parent)
      }
      #expect(error?.code == .ambiguousRelationship)
      #expect(error?.message.contains("ownedChats") == true)
      try main.sync(chats, inEntityNamed: "Chat", parent: parent, parentRelationship: "owner")
    }
    #expect(try stack.shown("Person", "ownedChats chats") == ["{1} {}"])
  }
}
