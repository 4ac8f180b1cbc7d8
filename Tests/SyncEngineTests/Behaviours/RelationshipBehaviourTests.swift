import Foundation
import SyncStack
import TestSupport
import Testing

/// Relationships of every kind.
@Suite(.timeLimit(.minutes(30))) struct RelationshipBehaviourTests {
  private static let stored =
    #"[{"id": 1, "notes": [{"id": 1}, {"id": 2}], "company": {"id": 3, "name": "c"}}]"#

  static let toOne = [
    BehaviourCase(
      "a custom key of a to-one takes an id, 0 too", "Notes",
      [
        .init("User", #"[{"id": 0}]"#),
        .init("Note", #"[{"id": 7, "super_user": 0}]"#),
      ],
      .init("Note", "remoteID superUser user", "7 0 -")),
    BehaviourCase(
      "custom dot paths take an id and ids", "Notes",
      [
        .init("Serie", #"[{"id": 123, "name": "s"}]"#),
        .init("Author", #"[{"id": "a", "custom": {"serie": 123, "series": [123]}}]"#),
      ],
      .init("Author", "id serie series", "a 123 {123}")),
    BehaviourCase(
      "a later pass links", "Notes",
      [
        .init("User", #"[{"id": 1, "company_id": 9}, {"id": 2, "company_id": null}]"#),
        .init("Company", #"[{"id": 9}]"#),
        .init("User", #"[{"id": 1, "company_id": 9}, {"id": 2, "company_id": null}]"#),
      ],
      .init("User", "remoteID company", "1 9", "2 -")),
    BehaviourCase(
      "an unknown id is forgotten unless asked otherwise", "Notes",
      [
        .init("User", #"[{"id": 1, "company_id": 9}]"#), .init("Company", #"[{"id": 9}]"#),
      ],
      .init("User", "remoteID company", "1 -")),
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
      "one-to-one, nested", "Notes",
      [.init("User", #"[{"id": 1, "profile": {"id": 2, "type": "t"}}]"#)],
      .init("Profile", "remoteID user type", "2 1 t")),
  ]

  static let toMany = [
    BehaviourCase(
      "c keys are dates", "Markets",
      [
        .init("Calendar", #"[{"id": 1, "events": [{"day": "2014-01-02", "name": "a"}]}]"#),
        .init(
          "Calendar", #"[{"id": 1, "events": [{"day": "2014-01-02T00:00:00Z", "name": "b"}]}]"#),
      ],
      .init("Event", "day name calendar", "2014-01-02T00:00:00Z b 1")),
    BehaviourCase(
      "a one-to-many without inverse", "Notes",
      [
        .init("House", #"[{"id": 1, "rooms": [{"id": 1}, {"id": 2}]}]"#),
        .init("House", #"[{"id": 1, "rooms": [{"id": 2, "name": "n"}, {"id": 3}]}]"#),
      ],
      .init("House", "id rooms", "1 {2,3}")),
    BehaviourCase(
      "a third entity reuses the same children", "Markets",
      [
        .init("Market", #"[{"id": "1", "items": [{"id": "1", "name": "i1"}]}]"#),
        .init("Shelf", #"[{"id": 5, "items": [{"id": "1", "name": "i1"}]}]"#),
      ],
      .init("Item", "uniqueId name markets shelves", "1 i1 {1} {5}")),
    BehaviourCase(
      "only the inverse is set, to-many", "Markets",
      [.init("Chat", #"[{"id": 1, "participants": [{"id": 2}, {"id": 3}]}]"#)],
      .init("Chat", "id owner participants", "1 - {2,3}"),
      .init("Person", "id ownedChats chats", "2 {} {1}", "3 {} {1}")),
    BehaviourCase(
      "trees (organizations-tree)", "Families",
      [
        .init(
          "Organization",
          #"[{"id": 1, "name": "a", "organizations": [{"id": 2, "organizations": [{"id": 3}]}, {"id": 4}]}]"#
        )
      ],
      .init(
        "Organization", "remoteID parent organizations", "1 - {2,4}", "2 1 {3}", "3 2 {}", "4 1 {}")
    ),
    BehaviourCase(
      "trees under a custom key (numbers)", "Families",
      [
        .init("Number", #"[{"id": 1, "numbers": [{"id": 2}]}, {"id": 3, "numbers": []}]"#),
        .init("Number", #"[{"id": 1, "numbers": [{"id": 2}]}]"#),
      ],
      .init("Number", "remoteID parent", "1 -", "2 1")),
    BehaviourCase(
      "a to-one self relationship that is no tree", "Families",
      [
        .init("Spouse", #"[{"id": 1, "spouse": {"id": 2}}, {"id": 3}]"#),
        .init("Spouse", #"[{"id": 1, "name": "x", "spouse_id": 2}, {"id": 2, "spouse_id": 1}]"#),
      ],
      .init("Spouse", "id name spouse", "1 x 2", "2 - 1")),
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
    BehaviourCase(
      "wide keys survive in Integer 16", "Notes",
      [
        .init("User", #"[{"id": 1, "tags": [{"id": 702377, "name": "a"}, {"id": 1}]}]"#),
        .init("User", #"[{"id": 1, "tags": [{"id": 702377, "name": "b"}, {"id": 1}]}]"#),
      ],
      .init("Tag", "remoteID name users", "702377 b {1}", "1 - {1}")),
    BehaviourCase(
      "numbers for a text key (images.json)", "Markets",
      [
        .init("Image", #"[{"url": "http://a", "caption": 1}, {"url": 5, "caption": "x"}]"#),
        .init("Image", #"[{"url": "http://a", "caption": 2}, {"url": "5", "caption": "y"}]"#),
      ],
      .init("Image", "url caption", "http://a 2", "5 y")),
  ]

  @Test("to-one", arguments: toOne, SyncCall.allCases)
  func leadsToOne(_ test: BehaviourCase, _ call: SyncCall) async throws {
    try await test.check(call)
  }

  @Test("to-many", arguments: toMany, SyncCall.allCases)
  func leadsToMany(_ test: BehaviourCase, _ call: SyncCall) async throws {
    try await test.check(call)
  }

  @Test("children of a given parent")
  func objectsForParent() throws {
    let stack = try DataStack.opened("Notes")
    let context = stack.newBackgroundContext()
    try context.performAndWait {
      let user = try context.insert(entityNamed: "User")
      user.setValue(6, forKey: "remoteID")
      user.setValue("Shawn Merrill", forKey: "name")
      user.setValue("firstupdate@ovium.com", forKey: "email")
      try context.save()
    }
    try stack.inMain { main in
      let users = try main.fetch(Fetch<ManagedObject>(entityNamed: "User"))
      #expect(users.count == 1)
      let parent = try #require(users.first)
      try Sync.changes(
        dictionaries(#"[{"id": 0, "text": "a"}, {"id": 1}, {"id": 2}]"#), inEntityNamed: "Note",
        parent: parent, parentRelationship: "user", inContext: main)
      #expect((parent.value(forKey: "notes") as? Set<ManagedObject>)?.count == 3)
      let filter = Filter("user = %@", parent)
      #expect(try main.count(Fetch(entityNamed: "Note", filter)) == 3)
      try stack.sync(
        dictionaries(#"[{"id": 1}]"#), inEntityNamed: "Note", parent: parent,
        parentRelationship: "notes")
      #expect(try main.count(Fetch(entityNamed: "Note")) == 1)
    }
  }

  @Test("several ways to the parent: an error that names them, unless one is given")
  func ambiguousParent() throws {
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
