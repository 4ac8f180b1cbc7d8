import SyncEngine
import Testing

/// Keys and paths of relationships.
@Suite struct RelationshipRuleTests {
  static let keys = [
    RuleCase(
      rule: "a relationship is reached by its snake name and by its own",
      entity: "User", payload: #"[{"id": 1, "company": {"id": 1}, "tasks": [{"id": 2}]}]"#,
      expected: [("User", ["id=1 company=1 tasks=[2]"])]),
    RuleCase(
      rule: "camelCase identifiers are identifiers", stored: [("Note", #"[{"id": 1}]"#)],
      entity: "User", payload: #"[{"id": 1, "notesIDs": [1]}]"#,
      expected: [("User", ["id=1 notes=[1]"])]),
    RuleCase(
      rule: "a custom key takes objects", model: .custom, entity: "User",
      payload: #"[{"id": 1, "annotations": [{"id": 5}], "super_user": {"id": 2}}]"#,
      expected: [("User", ["id=1 notes=[5] boss=2", "id=2 team=[1]"])]),
    RuleCase(
      rule: "a custom key takes identifiers", model: .custom,
      stored: [("Note", #"[{"id": 5}]"#)], entity: "User",
      payload: #"[{"id": 1, "annotations": [5]}, {"id": 0}, {"id": 2, "super_user": 0}]"#,
      expected: [("User", ["id=0 team=[2]", "id=1 notes=[5]", "id=2 boss=0"])]),
    RuleCase(
      rule: "a custom key may be a path", model: .custom, entity: "User",
      payload: #"[{"id": 1, "relationships": {"team": {"data": [{"id": 2}]}}}]"#,
      expected: [("User", ["id=1 team=[2]", "id=2 boss=1"])]),
    RuleCase(
      rule: "with a custom key the default names are not tried", model: .custom,
      stored: [("User", #"[{"id": 1, "super_user": {"id": 2}}]"#)], entity: "User",
      payload: #"[{"id": 1, "boss": 7, "boss_id": null}, {"id": 2}]"#,
      expected: [("User", ["id=1 boss=2", "id=2 team=[1]"])]),
    RuleCase(
      rule: "the nested object wins over the identifier", entity: "User",
      payload: #"[{"id": 1, "company_id": 3, "company": {"id": 4}}]"#,
      expected: [("User", ["id=1 company=4"]), ("Company", ["id=4 employees=[1]"])]),
    RuleCase(
      rule: "the identifier is that of a nested object without one",
      stored: [("User", #"[{"id": 1, "company": {"id": 3, "name": "old"}}]"#)], entity: "User",
      payload:
        #"[{"id": 1, "company_id": 4, "company": {"name": "new"}}, {"id": 2, "company": {"id": null}, "companyID": 5}]"#,
      expected: [
        ("User", ["id=1 company=4", "id=2 company=5"]),
        (
          "Company",
          ["id=3 name=old", "id=4 name=new employees=[1]", "id=5 employees=[2]"]
        ),
      ]),
    RuleCase(
      rule: "the nested list wins over the identifiers",
      stored: [("Note", #"[{"id": 1}]"#)], entity: "User",
      payload: #"[{"id": 1, "notes_ids": [1], "notes": [{"id": 2}]}]"#,
      expected: [("User", ["id=1 notes=[2]"]), ("Note", ["id=1", "id=2 user=1"])]),
    RuleCase(
      rule: "every element of a mixed list is converted",
      stored: [("Note", #"[{"id": 1}, {"id": 2}]"#)], entity: "User",
      payload: #"[{"id": 1, "notes_ids": [1, "2", "x"]}]"#,
      expected: [("User", ["id=1 notes=[1,2]"])], findings: [.ignoredValue]),
    RuleCase(
      rule: "null clears a to-one and deletes nothing",
      stored: [("User", #"[{"id": 1, "company": {"id": 1}}]"#)], entity: "User",
      payload: #"[{"id": 1, "company_id": null}]"#,
      expected: [("User", ["id=1"]), ("Company", ["id=1"])]),
    RuleCase(
      rule: "an identifier links a stored object", stored: [("Company", #"[{"id": 3}]"#)],
      entity: "User", payload: #"[{"id": 1, "company_id": 3}]"#,
      expected: [("User", ["id=1 company=3"])]),
    RuleCase(
      rule: "an identifier is converted to the type of the key",
      stored: [("Company", #"[{"id": 3}]"#)], entity: "User",
      payload: #"[{"id": 1, "company_id": "3"}]"#, expected: [("User", ["id=1 company=3"])]),
    RuleCase(
      rule: "an unknown identifier changes nothing and is reported",
      stored: [("User", #"[{"id": 1, "company": {"id": 1}}]"#)], entity: "User",
      payload: #"[{"id": 1, "company_id": 9}]"#, expected: [("User", ["id=1 company=1"])],
      findings: [.unresolvedReference]),
    RuleCase(
      rule: "an object of the same payload is found, whatever the order", model: .tree,
      entity: "Organization", payload: #"[{"id": 2, "parent_id": 1}, {"id": 1}]"#,
      expected: [("Organization", ["id=1 children=[2]", "id=2 parent=1"])]),
    RuleCase(
      rule: "a nested object is found by its key anywhere",
      stored: [("Company", #"[{"id": 3, "name": "old"}]"#)], entity: "User",
      payload: #"[{"id": 1, "company": {"id": 3, "name": "new"}}]"#,
      expected: [("Company", ["id=3 name=new employees=[1]"])]),
    RuleCase(
      rule: "without a key the linked object is filled",
      stored: [("User", #"[{"id": 1, "company": {"id": 3, "name": "old"}}]"#)], entity: "User",
      payload: #"[{"id": 1, "company": {"name": "new"}}]"#,
      expected: [("Company", ["id=3 name=new employees=[1]"])]),
    RuleCase(
      rule: "a key that is null is no key",
      stored: [("User", #"[{"id": 1, "company": {"id": 3, "name": "old"}}]"#)], entity: "User",
      payload: #"[{"id": 1, "company": {"id": null, "name": "new"}}]"#,
      expected: [("Company", ["id=3 name=new employees=[1]"])]),
    RuleCase(
      rule: "without a key and a linked object one is created", entity: "User",
      payload: #"[{"id": 1, "company": {"name": "new"}}]"#,
      expected: [("Company", ["name=new employees=[1]"])]),
    RuleCase(
      rule: "null clears, the former destination stays",
      stored: [("User", #"[{"id": 1, "company": {"id": 3}}]"#)], entity: "User",
      payload: #"[{"id": 1, "company": null}]"#,
      expected: [("User", ["id=1"]), ("Company", ["id=3"])]),
    RuleCase(
      rule: "a missing key changes nothing",
      stored: [("User", #"[{"id": 1, "company": {"id": 3}}]"#)], entity: "User",
      payload: #"[{"id": 1}]"#, expected: [("User", ["id=1 company=3"])]),
    RuleCase(
      rule: "a list under a to-one is ignored and reported",
      stored: [("User", #"[{"id": 1, "company": {"id": 3}}]"#)], entity: "User",
      payload: #"[{"id": 1, "company": [4]}]"#, expected: [("User", ["id=1 company=3"])],
      findings: [.ignoredValue]),
    RuleCase(
      rule: "a scalar under the plain name is an identifier",
      stored: [("Company", #"[{"id": 3}]"#)], entity: "User",
      payload: #"[{"id": 1, "company": 3}]"#, expected: [("User", ["id=1 company=3"])]),
    RuleCase(
      rule: "owners that nest one key share one object", entity: "User",
      payload: #"[{"id": 1, "company": {"id": 3}}, {"id": 2, "company": {"id": 3}}]"#,
      expected: [("Company", ["id=3 employees=[1,2]"])]),
    RuleCase(
      rule: "identifiers link and unlink, and delete nothing",
      stored: [("User", #"[{"id": 1, "notes": [{"id": 1}, {"id": 2}]}]"#)], entity: "User",
      payload: #"[{"id": 1, "notes_ids": [2]}]"#,
      expected: [("Note", ["id=1", "id=2 user=1"])]),
    RuleCase(
      rule: "identifiers take objects over from another owner",
      stored: [("User", #"[{"id": 10, "notes": [{"id": 0}, {"id": 1}]}]"#)], entity: "User",
      payload: #"[{"id": 10}, {"id": 12, "notes_ids": [0, 1]}]"#,
      expected: [("User", ["id=10", "id=12 notes=[0,1]"])]),
    RuleCase(
      rule: "null and an empty list of identifiers clear",
      stored: [
        ("User", #"[{"id": 1, "notes": [{"id": 1}]}, {"id": 2, "notes": [{"id": 2}]}]"#)
      ], entity: "User", payload: #"[{"id": 1, "notes_ids": null}, {"id": 2, "notes_ids": []}]"#,
      expected: [("User", ["id=1", "id=2"]), ("Note", ["id=1", "id=2"])]),
    RuleCase(
      rule: "identifiers that cannot be converted unlink no object",
      stored: [("User", #"[{"id": 1, "notes": [{"id": 1}]}]"#)], entity: "User",
      payload: #"[{"id": 1, "notes_ids": ["x"]}]"#, expected: [("User", ["id=1 notes=[1]"])],
      findings: [.ignoredValue]),
    RuleCase(
      rule: "the last owner that lists an identifier has it",
      stored: [("Note", #"[{"id": 1}]"#)], entity: "User",
      payload: #"[{"id": 1, "notes_ids": [1]}, {"id": 2, "notes_ids": [1]}]"#,
      expected: [("User", ["id=1", "id=2 notes=[1]"])]),
  ]

  @Test(arguments: keys)
  func keysAndPathsFollowTheRules(_ rule: RuleCase) throws { try rule.check() }
}
