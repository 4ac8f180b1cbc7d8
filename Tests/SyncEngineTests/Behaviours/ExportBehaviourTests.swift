import Foundation
import SyncStack
import TestSupport
import Testing

/// Objects as JSON.
@Suite(.timeLimit(.minutes(30))) struct ExportBehaviourTests {
  private func export(
    _ stack: DataStack, _ entity: String, _ options: ExportOptions? = nil
  ) throws -> JSONValue {
    try stack.inMain { main in
      let object = try #require(try main.fetch(Fetch<ManagedObject>(entityNamed: entity)).first)
      return try options.map { try object.export(using: $0) } ?? object.export()
    }
  }

  @Test("keys and values of every attribute")
  func attributes() throws {
    let stack = try AttributeBehaviourTests.stack()
    let item = #"""
      [{"id": 1, "first_name": "A", "type": "t", "description": "d", "signed": "s", "age": 3,
        "birth_date": "1989-02-14T00:00:00+00:00", "is_active": true, "double_value": 12.2,
        "decimal_value": "12.20", "uuid": "1f1a67d2-6d2f-4a6a-9e4e-3d4f5b6c7d8e",
        "uri": "https://www.apple.com/", "contract_id": 4, "entities": "a &amp; b",
        "company": {"name": "n"}, "hobbies": ["a"], "registered_transformable": "/Date(0)/"}]
      """#
    try stack.sync(dictionaries(item), inEntityNamed: "User")
    var options = ExportOptions()
    options.dateFormatter = {
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.dateFormat = "yyyy-MM-dd"
      formatter.timeZone = TimeZone(secondsFromGMT: 0)
      return formatter
    }()
    let snake = try export(stack, "User", options)
    #expect(snake["id"] == 1 && snake["first_name"] == "A" && snake["type"] == "t")
    #expect(snake["description"] == "d" && snake["signed"] == "s" && snake["age_of_person"] == 3)
    #expect(snake["birth_date"] == "1989-02-14" && snake["is_active"] == true)
    #expect(snake["double_value"] == 12.2 && snake["decimal_value"] == 12.2)
    #expect(snake["uuid"] == "1F1A67D2-6D2F-4A6A-9E4E-3D4F5B6C7D8E")
    #expect(snake["uri"] == "https://www.apple.com/" && snake["contract_id"] == 4)
    #expect(snake["entities"] == "a &amp; b", "the reverse transformation")
    #expect(snake["company"] == ["name": "n", "address": ["city": nil]])
    #expect(snake["last_name"] == .null, "the key of an empty attribute is there")
    #expect(snake["ignored_transformable"] == nil && snake["registered_transformable"] == nil)
    #expect(snake["hobbies"] == ["a"])
    let camel = try export(stack, "User", .camelCase)
    #expect(camel["firstName"] == "A" && camel["type"] == "t" && camel["contractID"] == 4)
    #expect(camel["age_of_person"] == 3 && camel["id"] == 1 && camel["plannedToIDs"] == .null)
    let dictionary = try stack.inMain { main in
      try #require(try main.fetch(1, inEntityNamed: "User")).exportDictionary()
        .mapValues { "\($0)" }
    }
    #expect(dictionary["first_name"] == "A")
    let report = try stack.sync(
      Data("[\(try export(stack, "User"))]".utf8), inEntityNamed: "User")
    #expect(report.isUnchanged, "\(report)")
  }

  @Test("reserved attributes lose the prefix in both inflections")
  func reserved() throws {
    let stack = try AttributeBehaviourTests.stack()
    for (entity, key) in [
      ("OrderedUser", "type"), ("InflectionUser", "description"),
      ("TwoLetterEntity", "description"),
    ] {
      try stack.sync(dictionaries(#"[{"id": 1, "\#(key)": "x"}]"#), inEntityNamed: entity)
      #expect(try export(stack, entity)[key] == "x")
      #expect(try export(stack, entity, .camelCase)[key] == "x")
    }
    #expect(
      try export(stack, "InflectionUser").objectValue?.keys.contains("planned_to_ids") == true)
  }

  @Test("a dot path gives nested objects that share their root")
  func dotPaths() throws {
    let stack = try AttributeBehaviourTests.stack()
    let json = #"[{"id": 1, "snake_parent": {"value_one": "1", "depth_one": {"depth_two": "2"}}}]"#
    try stack.sync(dictionaries(json), inEntityNamed: "Deep")
    let exported = try export(stack, "Deep")
    #expect(.array([exported]) == (try JSONValue(parsing: json)))
  }

  @Test("relationships: array, nested, none, in both inflections; destroy")
  func relationships() throws {
    let stack = try DataStack.opened("Notes")
    try stack.sync(
      dictionaries(
        #"[{"id": 1, "notes": [{"id": 1, "destroy": true}], "legal_tenant": {"id": 4}}]"#),
      inEntityNamed: "User")
    let array = try export(stack, "User")
    #expect(array["notes"]?[0]?["id"] == 1 && array["notes"]?[0]?["destroy"] == true)
    #expect(array["legal_tenant"]?["id"] == 4 && array["tags"] == [])
    #expect(array["company"] == nil && array["notes"]?[0]?["user"] == nil)
    #expect(try export(stack, "User", .camelCase)["legalTenant"]?["id"] == 4)
    var options = ExportOptions()
    options.relationshipType = .nested
    let nested = try export(stack, "User", options)
    #expect(nested["notes_attributes"]?["0"]?["_destroy"] == true)
    #expect(nested["legal_tenant_attributes"]?["id"] == 4 && nested["tags_attributes"] == [:])
    options.inflectionType = .camelCase
    let camel = try export(stack, "User", options)
    #expect(camel["notesAttributes"]?["0"]?["id"] == 1)
    #expect(camel["legalTenantAttributes"]?["id"] == 4)
    let none = try export(stack, "User", .excludedRelationships)
    #expect(none["notes"] == nil && none["legal_tenant"] == nil && none["id"] == 1)
  }

  @Test("the older spellings: relationships are nested unless said otherwise")
  func olderSpellings() throws {
    let stack = try DataStack.opened("Notes")
    try stack.sync(
      dictionaries(#"[{"id": 1, "legal_tenant": {"id": 4}}]"#), inEntityNamed: "User")
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

  @Test("binary values as the bytes that are stored")
  func bytes() throws {
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

  @Test("trees end in empty lists, ways back are left out, cycles end")
  func cycles() throws {
    let stack = try DataStack.opened("Families")
    try stack.sync(
      dictionaries(#"[{"id": 1, "organizations": [{"id": 2}]}]"#), inEntityNamed: "Organization")
    let tree = try export(stack, "Organization")
    #expect(tree["organizations"]?[0]?["organizations"] == [])
    #expect(tree["organizations"]?[0]?["parent"] == nil)
    try stack.sync(
      dictionaries(#"[{"id": 1, "comments": [{"id": 2, "comments_ids": [1, 2]}]}]"#),
      inEntityNamed: "Comment")
    _ = try export(stack, "Comment")
    let whole = try stack.export("Comment")
    #expect(try stack.sync(whole, inEntityNamed: "Comment").isUnchanged)
  }
}
