import SyncEngine
import Testing

/// Keys and paths of relationships.
@Suite struct RelationshipRuleTests {
  static let keys = [
    SyncCase(
      "a custom key takes objects", in: .custom,
      .sync("User", #"[{"id": 1, "annotations": [{"id": 5}], "super_user": {"id": 2}}]"#),
      leaves: ["User": ["id=1 notes=[5] boss=2", "id=2 team=[1]"]]),
    SyncCase(
      "a custom key takes identifiers", in: .custom, .stored("Note", #"[{"id": 5}]"#),
      .sync("User", #"[{"id": 1, "annotations": [5]}, {"id": 0}, {"id": 2, "super_user": 0}]"#),
      leaves: ["User": ["id=0 team=[2]", "id=1 notes=[5]", "id=2 boss=0"]]),
    SyncCase(
      "a custom key may be a path", in: .custom,
      .sync("User", #"[{"id": 1, "relationships": {"team": {"data": [{"id": 2}]}}}]"#),
      leaves: ["User": ["id=1 team=[2]", "id=2 boss=1"]]),
    SyncCase(
      "with a custom key the default names are not tried", in: .custom,
      .stored("User", #"[{"id": 1, "super_user": {"id": 2}}]"#),
      .sync("User", #"[{"id": 1, "boss": 7, "boss_id": null}, {"id": 2}]"#),
      leaves: ["User": ["id=1 boss=2", "id=2 team=[1]"]]),
    SyncCase(
      "the nested object wins over the identifier",
      .sync("User", #"[{"id": 1, "company_id": 3, "company": {"id": 4}}]"#),
      leaves: ["User": ["id=1 company=4"], "Company": ["id=4 employees=[1]"]]),
    SyncCase(
      "the identifier is that of a nested object without one",
      .stored("User", #"[{"id": 1, "company": {"id": 3, "name": "old"}}]"#),
      .sync(
        "User",
        #"[{"id": 1, "company_id": 4, "company": {"name": "new"}}, {"id": 2, "company": {"id": null}, "companyID": 5}]"#
      ),
      leaves: [
        "User": ["id=1 company=4", "id=2 company=5"],
        "Company": ["id=3 name=old", "id=4 name=new employees=[1]", "id=5 employees=[2]"],
      ]),
    SyncCase(
      "the nested list wins over the identifiers", .stored("Note", #"[{"id": 1}]"#),
      .sync("User", #"[{"id": 1, "notes_ids": [1], "notes": [{"id": 2}]}]"#),
      leaves: ["User": ["id=1 notes=[2]"], "Note": ["id=1", "id=2 user=1"]]),
    SyncCase(
      "every element of a mixed list is converted", .stored("Note", #"[{"id": 1}, {"id": 2}]"#),
      .sync("User", #"[{"id": 1, "notes_ids": [1, "2", "x"]}]"#),
      leaves: ["User": ["id=1 notes=[1,2]"]], findings: [.ignoredValue]),
    SyncCase(
      "an identifier is converted to the type of the key", .stored("Company", #"[{"id": 3}]"#),
      .sync("User", #"[{"id": 1, "company_id": "3"}]"#), leaves: ["User": ["id=1 company=3"]]),
    SyncCase(
      "an unknown identifier changes nothing and is reported",
      .stored("User", #"[{"id": 1, "company": {"id": 1}}]"#),
      .sync("User", #"[{"id": 1, "company_id": 9}]"#), leaves: ["User": ["id=1 company=1"]],
      findings: [.unresolvedReference]),
    SyncCase(
      "an object of the same payload is found, whatever the order", in: .tree,
      .sync("Organization", #"[{"id": 2, "parent_id": 1}, {"id": 1}]"#),
      leaves: ["Organization": ["id=1 children=[2]", "id=2 parent=1"]]),
    SyncCase(
      "a nested object is found by its key anywhere",
      .stored("Company", #"[{"id": 3, "name": "old"}]"#),
      .sync("User", #"[{"id": 1, "company": {"id": 3, "name": "new"}}]"#),
      leaves: ["Company": ["id=3 name=new employees=[1]"]]),
    SyncCase(
      "without a key the linked object is filled",
      .stored("User", #"[{"id": 1, "company": {"id": 3, "name": "old"}}]"#),
      .sync("User", #"[{"id": 1, "company": {"name": "new"}}]"#),
      leaves: ["Company": ["id=3 name=new employees=[1]"]]),
    SyncCase(
      "a key that is null is no key",
      .stored("User", #"[{"id": 1, "company": {"id": 3, "name": "old"}}]"#),
      .sync("User", #"[{"id": 1, "company": {"id": null, "name": "new"}}]"#),
      leaves: ["Company": ["id=3 name=new employees=[1]"]]),
    SyncCase(
      "without a key and a linked object one is created",
      .sync("User", #"[{"id": 1, "company": {"name": "new"}}]"#),
      leaves: ["Company": ["name=new employees=[1]"]]),
    SyncCase(
      "a scalar under the plain name is an identifier", .stored("Company", #"[{"id": 3}]"#),
      .sync("User", #"[{"id": 1, "company": 3}]"#), leaves: ["User": ["id=1 company=3"]]),
    SyncCase(
      "owners that nest one key share one object",
      .sync("User", #"[{"id": 1, "company": {"id": 3}}, {"id": 2, "company": {"id": 3}}]"#),
      leaves: ["Company": ["id=3 employees=[1,2]"]]),
    SyncCase(
      "identifiers link and unlink, and delete nothing",
      .stored("User", #"[{"id": 1, "notes": [{"id": 1}, {"id": 2}]}]"#),
      .sync("User", #"[{"id": 1, "notes_ids": [2]}]"#), leaves: ["Note": ["id=1", "id=2 user=1"]]),
    SyncCase(
      "identifiers take objects over from another owner",
      .stored("User", #"[{"id": 10, "notes": [{"id": 0}, {"id": 1}]}]"#),
      .sync("User", #"[{"id": 10}, {"id": 12, "notes_ids": [0, 1]}]"#),
      leaves: ["User": ["id=10", "id=12 notes=[0,1]"]]),
    SyncCase(
      "the last owner that lists an identifier has it", .stored("Note", #"[{"id": 1}]"#),
      .sync("User", #"[{"id": 1, "notes_ids": [1]}, {"id": 2, "notes_ids": [1]}]"#),
      leaves: ["User": ["id=1", "id=2 notes=[1]"]]),
  ]

  @Test(arguments: keys)
  func keysAndPathsFollowTheRules(_ rule: SyncCase) throws { try rule.check() }
}
