import SyncCore
import SyncStack
import TestSupport
import Testing

@Suite struct DeferredReferenceTests {
  static let cases = [
    SyncCase(
      "without the setting an unknown key is forgotten",
      .sync("User", #"[{"id": 1, "company_id": 7}]"#),
      .sync("Company", #"[{"id": 7}]"#),
      leaves: ["User": ["id=1"]]),
    SyncCase(
      "an object that arrives later is linked to all owners that nested it", in: .tree,
      .sync(
        "Organization",
        #"[{"id": 3, "parent": {"id": 1}}, {"id": 4, "parent": {"id": 1}}, {"id": 1}]"#,
        .all.subtracting(.insertRelationships)),
      leaves: ["Organization": ["id=1 children=[3,4]", "id=3 parent=1", "id=4 parent=1"]]),
  ]

  @Test(arguments: cases, [nil, 1, 2])
  func withoutTheSettingReferencesFollowTheRules(_ rule: SyncCase, parts: Int?) throws {
    try rule.check(parts: parts)
  }

  private func sync(_ json: String, _ entity: String, _ bench: SyncBench) throws -> SyncReport {
    try bench.sync(json, entity) { $0.settings.deferReferences = true }
  }

  @Test func aReferenceIsLinkedWhenALaterSyncBringsItsObject() throws {
    let bench = try SyncBench(TestModels.social())
    let first = try sync(
      #"[{"id": 1, "company_id": 7, "notes_ids": [3], "tags_ids": [4]}]"#, "User", bench)
    #expect(first.count(of: .unresolvedReference) == 3)
    let second = try sync(#"[{"id": 7, "name": "Acme"}]"#, "Company", bench)
    #expect(
      second.count(of: .unresolvedReference) == 2, "the others are listed until they are linked")
    _ = try sync(#"[{"id": 3}]"#, "Note", bench)
    _ = try sync(#"[{"id": 4}]"#, "Tag", bench)
    #expect(try bench.objects("User") == ["id=1 notes=[3] company=7 tags=[4]"])
    #expect(try bench.store.read { try $0.openSyncs("references") }.isEmpty)
  }

  @Test func aRelationshipThatIsGivenAgainEndsTheWait() throws {
    let bench = try SyncBench(TestModels.social())
    _ = try sync(#"[{"id": 1, "company_id": 7}]"#, "User", bench)
    _ = try sync(#"[{"id": 1, "company_id": null}]"#, "User", bench)
    _ = try sync(#"[{"id": 7}]"#, "Company", bench)
    #expect(try bench.objects("User") == ["id=1"])
  }

  @Test func anOwnerThatGoesEndsTheWait() throws {
    let bench = try SyncBench(TestModels.social())
    _ = try sync(#"[{"id": 1, "company_id": 7}, {"id": 2}]"#, "User", bench)
    _ = try sync(#"[{"id": 2}]"#, "User", bench)
    #expect(try bench.store.read { try $0.openSyncs("references") }.isEmpty)
  }

  @Test func aRelationshipThatWasSetMeanwhileEndsTheWait() throws {
    let bench = try SyncBench(TestModels.social())
    _ = try sync(#"[{"id": 1, "company_id": 7}]"#, "User", bench)
    try bench.sync(#"[{"id": 1, "company": {"id": 8}}]"#, "User")
    _ = try sync(#"[{"id": 7}, {"id": 8}]"#, "Company", bench)
    #expect(try bench.objects("User") == ["id=1 company=8"])
  }

  /// The former object is not the one that the payload names.
  @Test func aRelationshipIsEmptyWhileItWaitsForAnotherObject() throws {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(#"[{"id": 1, "company": {"id": 8}}]"#, "User")
    let report = try sync(#"[{"id": 1, "company_id": 7}]"#, "User", bench)
    #expect(report.count(of: .unresolvedReference) == 1)
    #expect(try bench.objects("User") == ["id=1"])
    _ = try sync(#"[{"id": 7}, {"id": 8}]"#, "Company", bench)
    #expect(try bench.objects("User") == ["id=1 company=7"])
  }

  @Test func aPartnerIsLetGoWhileAnotherOneIsAwaited() throws {
    let bench = try SyncBench(TestModels.relationships())
    try bench.sync(#"[{"id": 1, "partner": {"id": "b"}}]"#, "A")
    _ = try sync(#"[{"id": 1, "partner_id": "c"}]"#, "A", bench)
    #expect(try bench.objects("A") == ["id=1"])
    #expect(try bench.objects("B") == ["id=b"])
    _ = try sync(#"[{"id": "b"}, {"id": "c"}]"#, "B", bench)
    #expect(try bench.objects("A") == ["id=1 partner=c"])
    #expect(try bench.objects("B") == ["id=b", "id=c partner=1"])
  }

  /// A required relationship cannot be empty, so that nothing is remembered of it.
  @Test func aRequiredRelationshipKeepsItsFormerObject() throws {
    let bench = try SyncBench(["Crew: id", "Sailor: id, crew -> Crew required"])
    try bench.sync(#"[{"id": 1, "crew": {"id": 8}}]"#, "Sailor")
    let report = try sync(#"[{"id": 1, "crew_id": 7}]"#, "Sailor", bench)
    #expect(report.count(of: .unresolvedReference) == 1)
    #expect(try bench.objects("Sailor") == ["id=1 crew=8"])
    #expect(try bench.store.read { try $0.openSyncs("references") }.isEmpty)
  }

  /// The parent nests the object below itself: it is the one that the item means, and no other
  /// owner's.
  @Test(arguments: [1, nil])
  func anItemThatCouldNotBeMadeIsTheObjectThatItsParentNests(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 2}]"#, "Organization")
    try bench.sync(
      #"[{"id": 1}, {"id": 2, "children": [{"id": 1}]}]"#, "Organization",
      under: bench.id("Organization", 2), by: "children",
      operations: [.update, .insertRelationships, .updateRelationships], parts: size)
    #expect(try bench.objects("Organization") == ["id=1 parent=2", "id=2 parent=2 children=[1,2]"])
  }
}
