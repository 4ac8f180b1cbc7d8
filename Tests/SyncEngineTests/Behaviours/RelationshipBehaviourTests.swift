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
      "legal_tenant reaches legalTenant", "Notes",
      [.init("User", #"[{"id": 1, "legal_tenant": {"id": 5}}]"#)],
      .init("User", "remoteID legalTenant", "1 5")),
    BehaviourCase(
      "legalTenant reaches legalTenant", "Notes",
      [.init("User", #"[{"id": 1, "legalTenant": {"id": 5}}]"#)],
      .init("User", "remoteID legalTenant", "1 5")),
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
      "custom dot paths take objects", "Notes",
      [
        .init(
          "Author",
          #"[{"id": "a", "relationships": {"annotations": {"data": [{"id": "x"}, {"id": "y"}]}}}]"#)
      ],
      .init("Author", "id annotations", "a {x,y}"), .init("Annotation", "id author", "x a", "y a")),
    BehaviourCase(
      "the three shapes: objects", "Notes",
      [
        .init(
          "User",
          #"[{"id": 6, "notes": [{"id": 0, "text": "a"}], "company": {"id": 0, "name": "b"}}]"#)
      ],
      .init("User", "remoteID notes company", "6 {0} 0"), .init("Note", "remoteID text", "0 a"),
      .init("Company", "remoteID name", "0 b")),
    BehaviourCase(
      "the three shapes: ids link what is stored and unlink without deleting", "Notes",
      [
        .init("User", #"[{"id": 6, "notes": [{"id": 0}, {"id": 5}], "company": {"id": 4}}]"#),
        .init("Note", #"[{"id": 0}, {"id": 1}, {"id": 2}, {"id": 5}]"#),
        .init("Company", #"[{"id": 0}, {"id": 4}]"#),
        .init("User", #"[{"id": 6, "notes_ids": [0, 1, 2], "company_id": 0}]"#),
      ],
      .init("User", "remoteID notes company", "6 {0,1,2} 0"),
      .init("Note", "remoteID user", "0 6", "1 6", "2 6", "5 -"),
      .init("Company", "remoteID", "0", "4")),
    BehaviourCase(
      "the three shapes: null unlinks", "Notes",
      [
        .init("User", stored),
        .init("User", #"[{"id": 1, "notes_ids": null, "company_id": null}]"#),
      ],
      .init("User", "remoteID notes company", "1 {} -"),
      .init("Note", "remoteID user", "1 -", "2 -"), .init("Company", "remoteID", "3")),
    BehaviourCase(
      "an unknown id leaves the relationship as it is", "Notes",
      [.init("User", stored), .init("User", #"[{"id": 1, "company_id": 9}]"#)],
      .init("User", "remoteID company", "1 3")),
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
      "a nested object of a key is found anywhere, filled and linked", "Notes",
      [
        .init("Company", #"[{"id": 3, "name": "old"}]"#),
        .init("User", #"[{"id": 1, "company": {"id": 3, "name": "new"}}]"#),
      ],
      .init("Company", "remoteID name users", "3 new {1}")),
    BehaviourCase(
      "null clears and deletes nothing", "Notes",
      [.init("User", stored), .init("User", #"[{"id": 1, "company": null}]"#)],
      .init("User", "remoteID company", "1 -"), .init("Company", "remoteID", "3")),
    BehaviourCase(
      "a missing key changes nothing", "Notes",
      [.init("User", stored), .init("User", #"[{"id": 1, "name": "x"}]"#)],
      .init("User", "remoteID name notes company", "1 x {1,2} 3")),
    BehaviourCase(
      "owners that nest one key share the object", "Notes",
      [
        .init(
          "User",
          #"[{"id": 1, "company": {"id": 0, "name": "a"}}, {"id": 2, "company": {"id": 0, "name": "a"}}]"#
        )
      ],
      .init("Company", "remoteID name users", "0 a {1,2}")),
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
      "ids take over from another owner", "Notes",
      [
        .init("User", #"[{"id": 10, "notes": [{"id": 0}, {"id": 1}]}]"#),
        .init("User", #"[{"id": 10}, {"id": 12, "notes_ids": [0, 1]}]"#),
      ],
      .init("User", "remoteID notes", "10 {}", "12 {0,1}")),
    BehaviourCase(
      "null and [] clear and delete nothing", "Notes",
      [
        .init("User", #"[{"id": 1, "notes": [{"id": 1}]}, {"id": 2, "notes": [{"id": 2}]}]"#),
        .init("User", #"[{"id": 1, "notes_ids": null}, {"id": 2, "notes_ids": []}]"#),
      ],
      .init("Note", "remoteID user", "1 -", "2 -")),
    BehaviourCase(
      "unknown ids are passed over", "Notes",
      [
        .init("Note", #"[{"id": 1}]"#),
        .init("User", #"[{"id": 1, "notes_ids": [1, 99]}]"#),
      ],
      .init("User", "remoteID notes", "1 {1}")),
    BehaviourCase(
      "ids of another JSON type find their objects", "Notes",
      [
        .init("User", #"[{"id": 1, "notes": [{"id": 1}, {"id": 2}]}]"#),
        .init("User", #"[{"id": "1", "notes_ids": ["2", "1"]}]"#),
      ],
      .init("User", "remoteID notes", "1 {1,2}")),
    BehaviourCase(
      "one-to-many: inserted, updated, deleted", "Notes",
      [
        .init("User", #"[{"id": 1, "notes": [{"id": 1, "text": "a"}, {"id": 2}]}]"#),
        .init("User", #"[{"id": 1, "notes": [{"id": 1, "text": "b"}, {"id": 3}]}]"#),
      ],
      .init("Note", "remoteID text user", "1 b 1", "3 - 1")),
    BehaviourCase(
      "many-to-many: inserted, updated, unlinked and kept", "Notes",
      [
        .init("User", #"[{"id": 1, "tags": [{"id": 1, "name": "a"}, {"id": 2}]}]"#),
        .init("User", #"[{"id": 1, "tags": [{"id": 1, "name": "b"}, {"id": 3}]}]"#),
      ],
      .init("Tag", "remoteID name users", "1 b {1}", "2 - {}", "3 - {1}")),
    BehaviourCase(
      "c keys are dates", "Markets",
      [
        .init("Calendar", #"[{"id": 1, "events": [{"day": "2014-01-02", "name": "a"}]}]"#),
        .init(
          "Calendar", #"[{"id": 1, "events": [{"day": "2014-01-02T00:00:00Z", "name": "b"}]}]"#),
      ],
      .init("Event", "day name calendar", "2014-01-02T00:00:00Z b 1")),
    BehaviourCase(
      "a stored object of nobody is updated and taken", "Families",
      [
        .init("Organization", #"[{"id": 1, "name": "alone"}]"#),
        .init("Organization", #"[{"id": 9, "organizations": [{"id": 1, "name": "child"}]}]"#),
      ],
      .init("Organization", "remoteID name parent", "1 child 9", "9 - -")),
    BehaviourCase(
      "a child of another owner is updated and moves", "Notes",
      [
        .init("User", #"[{"id": 1, "notes": [{"id": 5, "text": "a"}]}, {"id": 2}]"#),
        .init("User", #"[{"id": 1}, {"id": 2, "notes": [{"id": 5}]}]"#),
      ],
      .init("Note", "remoteID text user", "5 a 2")),
    BehaviourCase(
      "[] unlinks in a many-to-many", "Notes",
      [
        .init("User", #"[{"id": 1, "tags": [{"id": 1}]}]"#),
        .init("User", #"[{"id": 1, "tags": []}]"#),
      ],
      .init("Tag", "remoteID users", "1 {}")),
    BehaviourCase(
      "null unlinks in a many-to-many", "Notes",
      [
        .init("User", #"[{"id": 1, "tags": [{"id": 1}]}]"#),
        .init("User", #"[{"id": 1, "tags": null}]"#),
      ],
      .init("Tag", "remoteID users", "1 {}")),
    BehaviourCase(
      "[] and null delete in a one-to-many", "Notes",
      [
        .init("User", #"[{"id": 1, "notes": [{"id": 1}]}, {"id": 2, "notes": [{"id": 2}]}]"#),
        .init("User", #"[{"id": 1, "notes": []}, {"id": 2, "notes": null}]"#),
      ],
      .init("Note", "remoteID"), .init("User", "remoteID notes", "1 {}", "2 {}")),
    BehaviourCase(
      "[] under a custom key deletes", "Notes",
      [
        .init(
          "Author", #"[{"id": "a", "relationships": {"annotations": {"data": [{"id": "x"}]}}}]"#),
        .init("Author", #"[{"id": "a", "relationships": {"annotations": {"data": []}}}]"#),
      ],
      .init("Annotation", "id")),
    BehaviourCase(
      "a one-to-many without inverse", "Notes",
      [
        .init("House", #"[{"id": 1, "rooms": [{"id": 1}, {"id": 2}]}]"#),
        .init("House", #"[{"id": 1, "rooms": [{"id": 2, "name": "n"}, {"id": 3}]}]"#),
      ],
      .init("House", "id rooms", "1 {2,3}")),
    BehaviourCase(
      "many-to-many children are shared", "Markets",
      [
        .init(
          "Market",
          #"[{"id": "1", "other_attribute": "m1", "items": [{"id": "1", "name": "i1"}, {"id": "2"}]}, {"id": "2", "items": [{"id": "1", "name": "i1"}]}]"#
        )
      ],
      .init("Market", "uniqueId otherAttribute items", "1 m1 {1,2}", "2 - {1}"),
      .init("Item", "uniqueId name markets", "1 i1 {1,2}", "2 - {1}")),
    BehaviourCase(
      "a third entity reuses the same children", "Markets",
      [
        .init("Market", #"[{"id": "1", "items": [{"id": "1", "name": "i1"}]}]"#),
        .init("Shelf", #"[{"id": 5, "items": [{"id": "1", "name": "i1"}]}]"#),
      ],
      .init("Item", "uniqueId name markets shelves", "1 i1 {1} {5}")),
    BehaviourCase(
      "only the inverse is set", "Markets",
      [.init("Chat", #"[{"id": 1, "owner": {"id": 2, "name": "o"}}]"#)],
      .init("Chat", "id owner participants", "1 2 {}"),
      .init("Person", "id ownedChats chats", "2 {1} {}")),
    BehaviourCase(
      "only the inverse is set, to-many", "Markets",
      [.init("Chat", #"[{"id": 1, "participants": [{"id": 2}, {"id": 3}]}]"#)],
      .init("Chat", "id owner participants", "1 - {2,3}"),
      .init("Person", "id ownedChats chats", "2 {} {1}", "3 {} {1}")),
    BehaviourCase(
      "the way back leads through the superentity", "Families",
      [
        .init("Racecar", #"[{"id": 1, "passengers": [{"id": 1, "car_id": 7}, {"id": 2}]}]"#)
      ],
      .init("Passenger", "id car favourite", "1 1 -", "2 1 -")),
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
      "a relationship that is its own inverse", "Families",
      [
        .init(
          "Comment",
          #"[{"id": 1, "comments": [{"id": 2}, {"id": 3}]}, {"id": 4, "comments": [{"id": 5}]}]"#)
      ],
      .init("Comment", "id comments", "1 {2,3}", "2 {1}", "3 {1}", "4 {5}", "5 {4}")),
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
