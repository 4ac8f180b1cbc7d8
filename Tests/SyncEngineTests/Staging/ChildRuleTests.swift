import SyncEngine
import Testing

/// Nested objects: identity, uniqueness, the way back, trees.
@Suite struct ChildRuleTests {
  private static let twoNotes = #"[{"id": 1, "notes": [{"id": 1, "text": "a"}, {"id": 2}]}]"#
  private static let twoTags = #"[{"id": 1, "tags": [{"id": 1, "name": "a"}, {"id": 2}]}]"#

  static let children = [
    SyncCase(
      "one-to-many: new, updated and missing members", .stored("User", twoNotes),
      .sync("User", #"[{"id": 1, "notes": [{"id": 1, "text": "b"}, {"id": 3}]}]"#),
      leaves: ["Note": ["id=1 text=b user=1", "id=3 user=1"]]),
    SyncCase(
      "many-to-many: missing members are unlinked and stay", .stored("User", twoTags),
      .sync("User", #"[{"id": 1, "tags": [{"id": 1, "name": "b"}, {"id": 3}]}]"#),
      leaves: ["Tag": ["id=1 name=b users=[1]", "id=2", "id=3 users=[1]"]]),
    SyncCase(
      "one-to-many: an object of another owner moves here",
      .stored("User", #"[{"id": 2, "notes": [{"id": 1, "text": "a"}]}]"#),
      .sync("User", #"[{"id": 1, "notes": [{"id": 1}]}, {"id": 2}]"#),
      leaves: ["Note": ["id=1 text=a user=1"]], findings: [.movedObject]),
    SyncCase(
      "one-to-many: an object without an owner is taken",
      .stored("Note", #"[{"id": 1, "text": "a"}]"#),
      .sync("User", #"[{"id": 1, "notes": [{"id": 1}]}]"#), leaves: ["Note": ["id=1 text=a user=1"]]
    ),
    SyncCase(
      "many-to-many: a stored object is shared", .stored("User", twoTags),
      .sync("User", #"[{"id": 1}, {"id": 2, "tags": [{"id": 1}]}]"#),
      leaves: ["Tag": ["id=1 name=a users=[1,2]", "id=2 users=[1]"]]),
    SyncCase(
      "an empty list under a custom key deletes too", in: .custom,
      .stored("User", #"[{"id": 1, "annotations": [{"id": 1}]}]"#),
      .sync("User", #"[{"id": 1, "annotations": []}]"#), leaves: ["Note": []]),
    SyncCase(
      "a child without key is skipped, and its list deletes no object", .stored("User", twoNotes),
      .sync("User", #"[{"id": 1, "notes": [{"text": "?"}, {"id": 3, "text": "c"}]}]"#),
      leaves: ["Note": ["id=1 text=a user=1", "id=2 user=1", "id=3 text=c user=1"]],
      findings: [.skippedItem]),
    SyncCase(
      "many-to-many children are one object per key",
      .sync(
        "User", #"[{"id": 1, "tags": [{"id": 0}]}, {"id": 2, "tags": [{"id": 0, "name": "x"}]}]"#),
      leaves: ["Tag": ["id=0 name=x users=[1,2]"]]),
    SyncCase(
      "a key repeated in one list is one object",
      .sync("User", #"[{"id": 1, "notes": [{"id": 0, "text": "a"}, {"id": 0, "text": "b"}]}]"#),
      leaves: ["Note": ["id=0 text=b user=1"]], findings: [.repeatedItem]),
    SyncCase(
      "the way back is set, whatever the child says",
      .sync("User", #"[{"id": 1, "notes": [{"id": 1, "user_id": 7, "user": {"id": 9}}]}]"#),
      leaves: ["User": ["id=1 notes=[1]"]]),
    SyncCase(
      "the owner is always among those a child lists",
      .sync("User", #"[{"id": 2}, {"id": 1, "tags": [{"id": 1, "users_ids": [2]}]}]"#),
      leaves: ["Tag": ["id=1 users=[1,2]"]]),
    SyncCase(
      "only the inverse is set", in: .relationships,
      .sync("A", #"[{"id": 1, "items": [{"id": "x"}]}]"#),
      leaves: ["B": ["id=x owner=1"], "A": ["id=1 items=[x]"]]),
    SyncCase(
      "the way back leads through the superentity", in: .vehicles,
      .sync("Racecar", #"[{"id": 1, "owner": {"id": 5}}]"#),
      leaves: ["Person": ["id=5 vehicles=[1]"]]),
    SyncCase(
      "a tree that is synced again stays as it is", in: .tree,
      .stored("Organization", #"[{"id": 1, "children": [{"id": 2}]}]"#),
      .sync("Organization", #"[{"id": 1, "children": [{"id": 2}]}]"#),
      leaves: ["Organization": ["id=1 children=[2]", "id=2 parent=1"]]),
    SyncCase(
      "a payload that nests does not delete inner nodes of which it says nothing", in: .tree,
      .stored(
        "Organization", #"[{"id": 1, "children": [{"id": 2, "children": [{"id": 4}]}]}, {"id": 3}]"#
      ), .sync("Organization", #"[{"id": 1, "children": [{"id": 2}]}]"#),
      leaves: [
        "Organization": ["id=1 children=[2]", "id=2 parent=1 children=[4]", "id=4 parent=2"]
      ], findings: [.suspendedDeletion]),
    SyncCase(
      "an inner node at the top is found, not doubled", in: .tree,
      .stored("Organization", #"[{"id": 1, "children": [{"id": 2}]}]"#),
      .sync("Organization", #"[{"id": 1}, {"id": 2, "name": "x"}]"#),
      leaves: ["Organization": ["id=1 children=[2]", "id=2 name=x parent=1"]]),
    SyncCase(
      "a flat list with parent keys has the whole entity as its scope", in: .tree,
      .stored("Organization", #"[{"id": 1, "children": [{"id": 2}, {"id": 3}]}]"#),
      .sync("Organization", #"[{"id": 1}, {"id": 2, "parent_id": 1}]"#),
      leaves: ["Organization": ["id=1 children=[2]", "id=2 parent=1"]]),
    SyncCase(
      "a relationship that is its own inverse is many-to-many", in: .relationships,
      .sync("A", #"[{"id": 1, "friends": [{"id": 2}, {"id": 3}]}]"#),
      leaves: ["A": ["id=1 friends=[2,3]", "id=2 friends=[1]", "id=3 friends=[1]"]]),
    SyncCase(
      "a root item nested below itself is one object", in: .relationships,
      .sync("A", #"[{"id": 1, "friends": [{"id": 1}]}]"#), leaves: ["A": ["id=1 friends=[1]"]]),
    SyncCase(
      "a child moves, old owner first",
      .stored("User", #"[{"id": 1, "notes": [{"id": 5, "text": "k"}]}, {"id": 2}]"#),
      .sync("User", #"[{"id": 1, "notes": []}, {"id": 2, "notes": [{"id": 5}]}]"#),
      leaves: ["Note": ["id=5 text=k user=2"]], findings: [.movedObject]),
    SyncCase(
      "a child moves, new owner first",
      .stored("User", #"[{"id": 1, "notes": [{"id": 5, "text": "k"}]}, {"id": 2}]"#),
      .sync("User", #"[{"id": 2, "notes": [{"id": 5}]}, {"id": 1, "notes": []}]"#),
      leaves: ["Note": ["id=5 text=k user=2"]], findings: [.movedObject]),
    SyncCase(
      "one-to-one: an object that is linked leaves the partner it had", in: .relationships,
      .stored("A", #"[{"id": 1, "partner": {"id": "x"}}]"#),
      .sync("A", #"[{"id": 1}, {"id": 2, "partner": {"id": "x"}}]"#),
      leaves: ["A": ["id=1", "id=2 partner=x"], "B": ["id=x partner=2"]]),
    SyncCase(
      "what the payload names survives the deletion of its owner",
      .stored("User", #"[{"id": 1, "notes": [{"id": 5}]}]"#),
      .sync("User", #"[{"id": 2, "notes": [{"id": 5}]}, {"id": 2, "notes_ids": []}]"#),
      leaves: ["User": ["id=2"], "Note": ["id=5"]], findings: [.movedObject, .repeatedItem]),
  ]

  @Test(arguments: children)
  func nestedObjectsFollowTheRules(_ rule: SyncCase) throws { try rule.check() }
}
