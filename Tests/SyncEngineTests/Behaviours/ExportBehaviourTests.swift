import Foundation
import SyncStack
import TestSupport
import Testing

/// Objects as JSON.
@Suite(.timeLimit(.minutes(5))) struct ExportBehaviourTests {
  private func export(
    _ stack: DataStack, _ entity: String, _ options: ExportOptions? = nil
  ) throws -> JSONValue {
    try stack.inMain { main in
      let object = try #require(try main.fetch(Fetch<ManagedObject>(entityNamed: entity)).first)
      return try options.map { try object.export(using: $0) } ?? object.export()
    }
  }

  @Test func byTheOlderSpellingsRelationshipsAreNestedUnlessSaidOtherwise() throws {
    let stack = try DataStack.opened("Notes")
    try stack.sync(dictionaries(#"[{"id": 1, "legal_tenant": {"id": 4}}]"#), inEntityNamed: "User")
    let formatter = DateFormatter()
    try stack.inMain { main in
      let user = try #require(try main.fetch(1, inEntityNamed: "User"))
      #expect(try user.hyp_dictionary()["legal_tenant_attributes"] != nil)
      #expect(try user.hyp_dictionary(using: .camelCase)["legalTenantAttributes"] != nil)
      #expect(try user.hyp_dictionary(using: .array)["legal_tenant"] != nil)
      #expect(
        try user.hyp_dictionary(using: .camelCase, andRelationshipType: .array)["legalTenant"]
          != nil)
      #expect(try user.hyp_dictionary(with: formatter)["legal_tenant_attributes"] != nil)
      #expect(
        try user.hyp_dictionary(with: formatter, using: .camelCase)["legalTenantAttributes"] != nil)
      #expect(try user.hyp_dictionary(with: formatter, using: .none)["legal_tenant"] == nil)
      #expect(
        try user.hyp_dictionary(with: formatter, using: .camelCase, andRelationshipType: .array)[
          "legalTenant"] != nil)
    }
  }

  @Test func binaryValuesAreExportedAsTheStoredBytes() throws {
    let stack = try AttributeBehaviourTests.stack()
    try stack.sync(dictionaries(#"[{"id": 1, "hobbies": ["a", {"b": 1}]}]"#), inEntityNamed: "User")
    try stack.inMain { main in
      let user = try #require(try main.fetch(1, inEntityNamed: "User"))
      let stored = try #require(user.value(forKey: "hobbies") as? Data)
      let options = ExportOptions(binaryFormat: .bytes)
      #expect(try user.exportDictionary(using: options)["hobbies"] as? Data == stored)
      #expect(try user.hyp_dictionary()["hobbies"] as? Data == stored)
      #expect(try JSONValue(canonical: stored) == ["a", ["b": 1]])
      user.setValue(Data([0, 255]), forKey: "expenses")
      try main.save()
      let json = try user.export(using: options)
      #expect(json["expenses"] == ["$base64": "AP8="])
      #expect(try user.hyp_dictionary()["expenses"] as? Data == Data([0, 255]))
      #expect(try main.sync(json, inEntityNamed: "User").isUnchanged)
    }
  }
}
