import SyncEngine
import Testing

/// Nested objects: identity, uniqueness, the way back, trees.
@Suite struct ChildRuleTests {
  private static let twoNotes = #"[{"id": 1, "notes": [{"id": 1, "text": "a"}, {"id": 2}]}]"#
  private static let twoTags = #"[{"id": 1, "tags": [{"id": 1, "name": "a"}, {"id": 2}]}]"#

  static let children = [
    RuleCase(
      rule: "one-to-many: new, updated and missing members", stored: [("User", twoNotes)],
      entity: "User", payload: #"[{"id": 1, "notes": [{"id": 1, "text": "b"}, {"id": 3}]}]"#,
      expected: [("Note", ["id=1 text=b user=1", "id=3 user=1"])]),
    RuleCase(
      rule: "many-to-many: missing members are unlinked and stay", stored: [("User", twoTags)],
      entity: "User", payload: #"[{"id": 1, "tags": [{"id": 1, "name": "b"}, {"id": 3}]}]"#,
      expected: [("Tag", ["id=1 name=b users=[1]", "id=2", "id=3 users=[1]"])]),
    RuleCase(
      rule: "one-to-many: an object of another owner moves here",
      stored: [("User", #"[{"id": 2, "notes": [{"id": 1, "text": "a"}]}]"#)], entity: "User",
      payload: #"[{"id": 1, "notes": [{"id": 1}]}, {"id": 2}]"#,
      expected: [("Note", ["id=1 text=a user=1"])], findings: [.movedObject]),
    RuleCase(
      rule: "one-to-many: an object without an owner is taken",
      stored: [("Note", #"[{"id": 1, "text": "a"}]"#)], entity: "User",
      payload: #"[{"id": 1, "notes": [{"id": 1}]}]"#,
      expected: [("Note", ["id=1 text=a user=1"])]),
    RuleCase(
      rule: "many-to-many: a stored object is shared", stored: [("User", twoTags)],
      entity: "User", payload: #"[{"id": 1}, {"id": 2, "tags": [{"id": 1}]}]"#,
      expected: [("Tag", ["id=1 name=a users=[1,2]", "id=2 users=[1]"])]),
    RuleCase(
      rule: "an empty list deletes the members of a one-to-many",
      stored: [("User", twoNotes)], entity: "User", payload: #"[{"id": 1, "notes": []}]"#,
      expected: [("Note", [])]),
    RuleCase(
      rule: "null is an empty list", stored: [("User", twoNotes)], entity: "User",
      payload: #"[{"id": 1, "notes": null}]"#, expected: [("Note", [])]),
    RuleCase(
      rule: "an empty list under a custom key deletes too", model: .custom,
      stored: [("User", #"[{"id": 1, "annotations": [{"id": 1}]}]"#)], entity: "User",
      payload: #"[{"id": 1, "annotations": []}]"#, expected: [("Note", [])]),
    RuleCase(
      rule: "an empty list and null unlink in a many-to-many",
      stored: [
        ("User", #"[{"id": 1, "tags": [{"id": 1}]}, {"id": 2, "tags": [{"id": 2}]}]"#)
      ], entity: "User", payload: #"[{"id": 1, "tags": []}, {"id": 2, "tags": null}]"#,
      expected: [("Tag", ["id=1", "id=2"])]),
    RuleCase(
      rule: "a missing key changes nothing", stored: [("User", twoNotes)], entity: "User",
      payload: #"[{"id": 1}]"#, expected: [("User", ["id=1 notes=[1,2]"])]),
    RuleCase(
      rule: "a scalar is ignored and reported", stored: [("User", twoNotes)], entity: "User",
      payload: #"[{"id": 1, "notes": 5}]"#, expected: [("User", ["id=1 notes=[1,2]"])],
      findings: [.ignoredValue]),
    RuleCase(
      rule: "a child without key is skipped, and its list deletes no object",
      stored: [("User", twoNotes)], entity: "User",
      payload: #"[{"id": 1, "notes": [{"text": "?"}, {"id": 3, "text": "c"}]}]"#,
      expected: [("Note", ["id=1 text=a user=1", "id=2 user=1", "id=3 text=c user=1"])],
      findings: [.skippedItem]),
    RuleCase(
      rule: "two owners that nest one key keep two children", entity: "User",
      payload: #"[{"id": 1, "notes": [{"id": 0}]}, {"id": 2, "notes": [{"id": 0}]}]"#,
      expected: [("Note", ["id=0 user=1", "id=0 user=2"])]),
    RuleCase(
      rule: "many-to-many children are one object per key", entity: "User",
      payload: #"[{"id": 1, "tags": [{"id": 0}]}, {"id": 2, "tags": [{"id": 0, "name": "x"}]}]"#,
      expected: [("Tag", ["id=0 name=x users=[1,2]"])]),
    RuleCase(
      rule: "a key repeated in one list is one object", entity: "User",
      payload: #"[{"id": 1, "notes": [{"id": 0, "text": "a"}, {"id": 0, "text": "b"}]}]"#,
      expected: [("Note", ["id=0 text=b user=1"])],
      findings: [.repeatedItem]),
    RuleCase(
      rule: "the way back is set, whatever the child says", entity: "User",
      payload: #"[{"id": 1, "notes": [{"id": 1, "user_id": 7, "user": {"id": 9}}]}]"#,
      expected: [("User", ["id=1 notes=[1]"])]),
    RuleCase(
      rule: "the owner is always among those a child lists", entity: "User",
      payload: #"[{"id": 2}, {"id": 1, "tags": [{"id": 1, "users_ids": [2]}]}]"#,
      expected: [("Tag", ["id=1 users=[1,2]"])]),
    RuleCase(
      rule: "only the inverse is set", model: .relationships, entity: "A",
      payload: #"[{"id": 1, "items": [{"id": "x"}]}]"#,
      expected: [("B", ["id=x owner=1"]), ("A", ["id=1 items=[x]"])]),
    RuleCase(
      rule: "the way back leads through the superentity", model: .vehicles,
      entity: "Racecar", payload: #"[{"id": 1, "owner": {"id": 5}}]"#,
      expected: [("Person", ["id=5 vehicles=[1]"])]),
    RuleCase(
      rule: "a tree that is synced again stays as it is", model: .tree,
      stored: [("Organization", #"[{"id": 1, "children": [{"id": 2}]}]"#)],
      entity: "Organization", payload: #"[{"id": 1, "children": [{"id": 2}]}]"#,
      expected: [("Organization", ["id=1 children=[2]", "id=2 parent=1"])]),
    RuleCase(
      rule: "a payload that nests does not delete inner nodes of which it says nothing",
      model: .tree,
      stored: [
        (
          "Organization",
          #"[{"id": 1, "children": [{"id": 2, "children": [{"id": 4}]}]}, {"id": 3}]"#
        )
      ],
      entity: "Organization", payload: #"[{"id": 1, "children": [{"id": 2}]}]"#,
      expected: [
        ("Organization", ["id=1 children=[2]", "id=2 parent=1 children=[4]", "id=4 parent=2"])
      ], findings: [.suspendedDeletion]),
    RuleCase(
      rule: "an inner node at the top is found, not doubled", model: .tree,
      stored: [("Organization", #"[{"id": 1, "children": [{"id": 2}]}]"#)],
      entity: "Organization", payload: #"[{"id": 1}, {"id": 2, "name": "x"}]"#,
      expected: [("Organization", ["id=1 children=[2]", "id=2 name=x parent=1"])]),
    RuleCase(
      rule: "a flat list with parent keys has the whole entity as its scope", model: .tree,
      stored: [("Organization", #"[{"id": 1, "children": [{"id": 2}, {"id": 3}]}]"#)],
      entity: "Organization", payload: #"[{"id": 1}, {"id": 2, "parent_id": 1}]"#,
      expected: [("Organization", ["id=1 children=[2]", "id=2 parent=1"])]),
    RuleCase(
      rule: "a relationship that is its own inverse is many-to-many", model: .relationships,
      entity: "A", payload: #"[{"id": 1, "friends": [{"id": 2}, {"id": 3}]}]"#,
      expected: [("A", ["id=1 friends=[2,3]", "id=2 friends=[1]", "id=3 friends=[1]"])]),
    RuleCase(
      rule: "a root item nested below itself is one object", model: .relationships,
      entity: "A", payload: #"[{"id": 1, "friends": [{"id": 1}]}]"#,
      expected: [("A", ["id=1 friends=[1]"])]),
    RuleCase(
      rule: "a child moves, old owner first",
      stored: [("User", #"[{"id": 1, "notes": [{"id": 5, "text": "k"}]}, {"id": 2}]"#)],
      entity: "User", payload: #"[{"id": 1, "notes": []}, {"id": 2, "notes": [{"id": 5}]}]"#,
      expected: [("Note", ["id=5 text=k user=2"])], findings: [.movedObject]),
    RuleCase(
      rule: "a child moves, new owner first",
      stored: [("User", #"[{"id": 1, "notes": [{"id": 5, "text": "k"}]}, {"id": 2}]"#)],
      entity: "User", payload: #"[{"id": 2, "notes": [{"id": 5}]}, {"id": 1, "notes": []}]"#,
      expected: [("Note", ["id=5 text=k user=2"])], findings: [.movedObject]),
    RuleCase(
      rule: "one-to-one: an object that is linked leaves the partner it had", model: .relationships,
      stored: [("A", #"[{"id": 1, "partner": {"id": "x"}}]"#)], entity: "A",
      payload: #"[{"id": 1}, {"id": 2, "partner": {"id": "x"}}]"#,
      expected: [("A", ["id=1", "id=2 partner=x"]), ("B", ["id=x partner=2"])]),
    RuleCase(
      rule: "what the payload names survives the deletion of its owner",
      stored: [("User", #"[{"id": 1, "notes": [{"id": 5}]}]"#)], entity: "User",
      payload: #"[{"id": 2, "notes": [{"id": 5}]}, {"id": 2, "notes_ids": []}]"#,
      expected: [("User", ["id=2"]), ("Note", ["id=5"])], findings: [.movedObject, .repeatedItem]),
  ]

  @Test(arguments: children)
  func nestedObjectsFollowTheRules(_ rule: RuleCase) throws { try rule.check() }
}
