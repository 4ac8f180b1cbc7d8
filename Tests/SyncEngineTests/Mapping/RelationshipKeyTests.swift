import SyncCore
import SyncEngine
import Testing

@Suite struct RelationshipKeyTests {
  private func node(_ relationship: PropertyDraft, _ others: [PropertyDraft] = []) throws
    -> PlanNode
  {
    try plan([
      EntityDraft("User", [.attribute("id", .integer64)] + others + [relationship]),
      EntityDraft("Other", [.attribute("id", .integer64)]),
    ]).rootNode
  }

  @Test(
    "a to-one has keys for objects and for identifiers",
    arguments: [
      ("legal_tenant", "objects"), ("legalTenant", "objects"), ("legal_tenant_id", "references"),
      ("legalTenantID", "references"), ("legalTenantId", "references"),
    ])
  func toOne(key: String, kind: String) throws {
    let node = try node(.toOne("legalTenant", to: "Other"))
    #expect(node.meaning(of: key) == "legalTenant.\(kind)")
  }

  @Test(
    "a to-many has keys for objects and for identifiers",
    arguments: [
      ("notes", "objects"), ("notes_ids", "references"), ("notesIDs", "references"),
      ("notesIds", "references"),
    ])
  func toMany(key: String, kind: String) throws {
    #expect(try node(.toMany("notes", to: "Other")).meaning(of: key) == "notes.\(kind)")
  }

  @Test("with a custom key the default keys mean nothing")
  func customKey() throws {
    let node = try node(.toMany("authors", to: "Other", remoteKey: "relationships.authors.data"))
    #expect(node.meaning(of: "relationships", "authors", "data") == "authors.either")
    #expect(node.meaning(of: "authors") == "")
    #expect(node.meaning(of: "authors_ids") == "")
    #expect(node.relationships[0].hasCustomKey)
  }

  @Test("a key may fill an attribute and a relationship")
  func sharedKey() throws {
    let node = try node(.toOne("company", to: "Other"), [.attribute("companyID", .integer64)])
    #expect(node.meaning(of: "company_id") == "company.references companyID")
  }

  @Test("to-one relationships come first, and rules match their numbers")
  func order() throws {
    let plan = try plan([
      EntityDraft(
        "User",
        [
          .attribute("id", .integer64), .toMany("b", to: "User"), .toOne("c", to: "Other"),
          .toMany("d", to: "Other", userInfo: ["sync.keyScope": "owner"]),
        ]), EntityDraft("Other", [.attribute("id", .integer64)]),
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
