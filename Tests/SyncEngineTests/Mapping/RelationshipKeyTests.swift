import SyncStack
import TestSupport
import Testing

@Suite struct RelationshipKeyTests {
  private func node(_ relationship: PropertyDraft, _ others: [PropertyDraft] = []) throws
    -> PlanNode
  {
    try plan([
      EntityDraft("User", [.attribute("id", .integer64)] + others + [relationship]),
      "Other: id",
    ]).rootNode
  }

  @Test(arguments: [
    ("legal_tenant", "objects"), ("legalTenant", "objects"), ("legal_tenant_id", "references"),
    ("legalTenantID", "references"), ("legalTenantId", "references"),
    ("LegalTenant", "objects"), ("LEGAL_TENANT", "objects"), ("LegalTenantId", "references"),
  ])
  func aToOneHasKeysForObjectsAndForIdentifiers(key: String, kind: String) throws {
    let node = try node(.toOne("legalTenant", to: "Other"))
    #expect(node.meaning(of: key) == "legalTenant.\(kind)")
  }

  @Test(arguments: [
    ("notes", "objects"), ("notes_ids", "references"), ("notesIDs", "references"),
    ("notesIds", "references"), ("Notes", "objects"), ("NotesIds", "references"),
    ("NoteIds", "references"),
  ])
  func aToManyHasKeysForObjectsAndForIdentifiers(key: String, kind: String) throws {
    #expect(try node(.toMany("notes", to: "Other")).meaning(of: key) == "notes.\(kind)")
  }

  @Test(arguments: [
    ("labels", "label_ids"), ("labels", "labelIds"), ("labels", "labelIDs"),
    ("categories", "category_ids"), ("movies", "movie_ids"), ("addresses", "address_ids"),
    ("houses", "house_ids"), ("boxes", "boxIds"), ("caches", "cache_ids"),
    ("statuses", "status_ids"), ("heroes", "hero_ids"), ("people", "person_ids"),
    ("grandChildren", "grand_child_ids"), ("grandChildren", "grandChildIds"),
    ("children", "child_ids"), ("blockedUsers", "blocked_user_ids"),
    ("blockedUsers", "blockedUserIds"),
  ])
  func aToManyTakesIdentifiersUnderTheEnglishSingularToo(name: String, key: String) throws {
    #expect(try node(.toMany(name, to: "Other")).meaning(of: key) == "\(name).references")
  }

  @Test func aKeyThatSomethingElseHasIsNotTakenForTheSingular() throws {
    let attribute = try node(.toMany("labels", to: "Other"), [.attribute("labelIDs", .string)])
    #expect(attribute.meaning(of: "label_ids") == "labelIDs")
    #expect(attribute.meaning(of: "LABEL_IDS") == "labelIDs")
    #expect(attribute.meaning(of: "labelIds") == "labelIDs")
    #expect(!attribute.relationships[0].referenceKeys.map(\.description).contains("labelIds"))
    let other = try node(.toMany("labels", to: "Other"), [.toMany("label", to: "Other")])
    #expect(other.meaning(of: "label_ids") == "label.references")
    #expect(other.meaning(of: "labels_ids") == "labels.references")
    let custom = try node(
      .toMany("labels", to: "Other"), [.attribute("first", .string, remoteKey: "label_ids.first")])
    #expect(custom.meaning(of: "label_ids") == "")
    let two = try node(
      .toMany("movies", to: "Other"), [.toMany("movie", to: "Other", remoteKey: "movie_ids")])
    #expect(two.meaning(of: "movie_ids") == "movie.either")
  }

  @Test(arguments: [
    (#""category": "Books", "category_id": 2"#, "category=2"),
    (#""category": 7, "categoryID": 2"#, "category=2"),
    (#""category": {"id": 3}, "category_id": 2"#, "category=3"),
    (#""category": 3, "category_id": null"#, "category=3"),
    (#""category": null, "category_id": 2"#, "category=2"),
    (#""category": "3""#, "category=3"),
    (#""tags": ["red", "blue"], "tag_ids": [1, 3]"#, "tags=[1,3]"),
    (#""tags": "red, blue", "tag_ids": [1]"#, "tags=[1]"),
    (#""tags": [{"id": 2}], "tag_ids": [1]"#, "tags=[2]"),
    (#""tags": [2], "tag_ids": null"#, "tags=[2]"),
  ])
  func aKeyCountsBeforeAValueThatIsNoObject(members: String, expected: String) throws {
    let bench = try SyncBench([
      "Post: id, category -> Category, tags ->> Tag", "Category: id", "Tag: id",
    ])
    try bench.sync(#"[{"id": 2}, {"id": 3}]"#, "Category")
    try bench.sync(#"[{"id": 1}, {"id": 2}, {"id": 3}]"#, "Tag")
    try bench.sync("[{\"id\": 1, \(members)}]", "Post")
    #expect(try bench.objects("Post") == ["id=1 \(expected)"])
  }

  @Test func exactSpellingsCountBeforeTheSingularWhateverTheirOrder() throws {
    let bench = try SyncBench([
      "Issue: id, labels ->> Label.issues",
      "Label: id, issues ->> Issue.labels",
    ])
    try bench.sync(#"[{"id": 1}, {"id": 2}]"#, "Label")
    try bench.sync(
      #"[{"id": 1, "label_ids": [1, 2]}, {"id": 2, "labels_ids": [1], "label_ids": [2]}]"#, "Issue")
    #expect(try bench.objects("Issue") == ["id=1 labels=[1,2]", "id=2 labels=[1]"])
  }

  @Test func toOneRelationshipsComeFirstAndRulesMatchTheirNumbers() throws {
    let plan = try plan([
      "User: id, b ->> User, c -> Other, d ->> Other sync.keyScope=owner", "Other: id",
    ])
    let node = plan.rootNode
    #expect(node.relationships.map(\.name) == ["c", "b", "d"])
    #expect(node.meaning(of: "c_id") == "c.references")
    #expect(node.meaning(of: "d") == "d.objects")
    #expect(node.relationships.map(\.keyScopeIsOwner) == [false, false, true])
    #expect(
      node.relationships.map { plan.nodes[$0.node].entity.name } == ["Other", "User", "Other"])
    #expect(plan.nodes.count == 2)
  }
}
