import Foundation
import SyncStack
import TestSupport
import Testing

/// Rules for single attributes, where everything else follows the conventions.
@Suite struct WrittenRuleTests {
  final class Person: ManagedObject {
    @PrimaryKey var id: Int64 = 0
    @Attribute var name: String?
    @Attribute var joinedAt: Date?
    @Attribute var mail: String?
    @ToMany(inverse: "owner") var pets: Set<Pet>
  }

  final class Pet: ManagedObject {
    @PrimaryKey var id: Int64 = 0
    @Attribute var name: String?
    @ToOne(inverse: "pets") var owner: Person?
  }

  private let stack: DataStack

  init() throws {
    stack = try DataStack(model: ManagedObjectModel(Person.self, Pet.self), store: .inMemory)
  }

  private func person() throws -> (name: String?, joinedAt: Date?, mail: String?, pets: [String]) {
    return try stack.inBackground { context in
      let person = try #require(try context.fetch(Fetch<Person>()).first)
      return (person.name, person.joinedAt, person.mail, person.pets.compactMap(\.name).sorted())
    }
  }

  @Test func aRuleTakesThePlaceOfTheConventionsForItsAttributeAlone() async throws {
    try stack.mapping(for: Person.self) { mapping in
      mapping["joinedAt"] = .unixTime(["meta", "joined"])
      mapping["mail"] = .string(["contacts", 1, "mail"])
    }
    try await stack.sync(
      [
        [
          "id": 1, "name": "Ada", "joined_at": "2001-01-01", "mail": "nobody",
          "meta": ["joined": 86400], "contacts": [["mail": "first"], ["mail": "second"]],
          "pets": [["id": 1, "name": "Rex"]],
        ]
      ] as JSONValue, inEntityNamed: "Person")
    let person = try person()
    #expect(person.name == "Ada" && person.pets == ["Rex"])
    #expect(person.joinedAt == Date(timeIntervalSince1970: 86400))
    #expect(person.mail == "second")
  }

  @Test func aRuleCountsWhereverItsEntityIsNested() async throws {
    try stack.mapping(for: Pet.self) { $0["name"] = .string(["tag", "a.b"]) }
    try await stack.sync(
      [["id": 1, "pets": [["id": 1, "tag": ["a.b": "Rex"], "name": "no"]]]] as JSONValue,
      inEntityNamed: "Person")
    #expect(try person().pets == ["Rex"])
  }

  @Test(
    arguments: [
      ("{\"id\": 1}", "old"), ("{\"id\": 1, \"contacts\": null}", "old"),
      ("{\"id\": 1, \"contacts\": []}", "old"), ("{\"id\": 1, \"contacts\": \"x\"}", "old"),
      ("{\"id\": 1, \"contacts\": {\"0\": {\"mail\": \"x\"}}}", "old"),
      ("{\"id\": 1, \"contacts\": [{\"mail\": null}]}", nil),
      ("{\"id\": 1, \"contacts\": [{\"mail\": \"new\"}]}", "new"),
    ] as [(String, String?)])
  func aPathThatLeadsNowhereLeavesTheValueAloneAndNullEmptiesIt(json: String, expected: String?)
    async throws
  {
    try await stack.sync([["id": 1, "mail": "old"]] as JSONValue, inEntityNamed: "Person")
    try stack.mapping(for: Person.self) { $0["mail"] = .string(["contacts", 0, "mail"]) }
    try await stack.sync(Data("[\(json)]".utf8), inEntityNamed: "Person")
    #expect(try person().mail == expected)
  }

  final class Job: ManagedObject {
    @PrimaryKey var id: Int64
    @Attribute(remoteKey: "due.date") var due: Date?
  }

  @Test(arguments: [false, true])
  func nullOnTheWayDoesTheSameByARuleAndByConvention(hasRule: Bool) throws {
    let stack = try DataStack(model: ManagedObjectModel(Job.self), store: .inMemory)
    if hasRule { try stack.mapping(for: Job.self) { $0["due"] = .isoDate("due.date") } }
    try stack.sync(#"[{"id": 1, "due": {"date": "2024-06-01"}}]"#, inEntityNamed: "Job")
    let kept = try stack.sync(#"[{"id": 1, "due": {}}]"#, inEntityNamed: "Job")
    #expect(kept["Job"].unchanged == 1)
    try stack.sync(#"[{"id": 1, "due": null}]"#, inEntityNamed: "Job")
    #expect(try SyncBench(stack).objects("Job") == ["id=1"])
  }

  @Test func aRuleSaysWhatAMissingKeyMeans() async throws {
    try await stack.sync([["id": 1, "mail": "old"]] as JSONValue, inEntityNamed: "Person")
    try stack.mapping(for: Person.self) { $0["mail"] = .string("m").whenMissing(.clear) }
    try await stack.sync([["id": 1]] as JSONValue, inEntityNamed: "Person")
    #expect(try person().mail == nil)
    try stack.mapping(for: Person.self) { $0["mail"] = .string("m").whenMissing(.fail) }
    let sync = Sync(.json([["id": 1]]), inEntityNamed: "Person", dataStack: stack)
    sync.onItemError = .fail
    sync.start()
    let error = sync.error as? SyncError
    #expect(error?.code == .requiredValueMissing && error?.property == "mail")
  }

  @Test func aRuleIsTakenBackWithNil() async throws {
    try stack.mapping(for: Person.self) { $0["mail"] = .string("m") }
    try await stack.sync([["id": 1, "m": "a", "mail": "b"]] as JSONValue, inEntityNamed: "Person")
    #expect(try person().mail == "a")
    try stack.mapping(for: Person.self) { mapping in
      #expect(mapping.properties == ["mail"])
      mapping["mail"] = nil
    }
    try await stack.sync([["id": 1, "m": "a", "mail": "b"]] as JSONValue, inEntityNamed: "Person")
    #expect(try person().mail == "b")
  }

  @Test func aRuleOfAKeyCountsForReferencesToo() async throws {
    try stack.mapping(for: Pet.self) { $0["id"] = .int(["tag", "number"]) }
    try await stack.sync(
      [["tag": ["number": 7], "id": 1, "name": "Rex"]] as JSONValue, inEntityNamed: "Pet")
    let report = try await stack.sync(
      [["id": 1, "pet_ids": ["7"]]] as JSONValue, inEntityNamed: "Person")
    #expect(try person().pets == ["Rex"])
    #expect(report["Pet"].inserted == 0)
  }

  @Test func itemsThatComeAgainAreReadAgainWhenARuleChanged() async throws {
    let item: JSONValue = [["id": 1, "mail": "a", "m": "b"]]
    try await stack.sync(item, inEntityNamed: "Person")
    try stack.mapping(for: Person.self) { $0["mail"] = .string("m") }
    try await stack.sync(item, inEntityNamed: "Person")
    #expect(try person().mail == "b")
  }

  @Test func aDisposableContextKnowsTheRules() throws {
    try stack.mapping(for: Person.self) { $0["mail"] = .string("m") }
    let context = stack.newDisposableMainContext()
    #expect(
      context.mappingPlans.plan(for: try stack.model.requireEntity(named: "Person"))
        .rootNode.members.find("m") >= 0)
  }

  @Test(arguments: [
    ("nickname", Rule.string("n"), MappingError.Code.unknownProperty),
    ("pets", .string("n"), .wrongPropertyKind), ("name", .int("n"), .unsuitableRule),
  ])
  func aMistakeIsNamedAndChangesNothing(attribute: String, rule: Rule, code: MappingError.Code)
    throws
  {
    let error = #expect(throws: MappingError.self) {
      try stack.mapping(for: Person.self) { mapping in
        mapping["mail"] = .string("m")
        mapping[attribute] = rule
      }
    }
    #expect(error?.code == code && error?.entity == "Person" && error?.property == attribute)
    try stack.mapping(for: Person.self) { #expect($0.properties.isEmpty) }
  }

  // MARK: - Export

  @Test func anExportReadsTheRulesTheOtherWay() async throws {
    try stack.mapping(for: Person.self) { mapping in
      mapping["joinedAt"] = .unixTime(["meta", "joined"])
      mapping["mail"] = .string(["contacts", 1, "mail"])
      mapping["name"] = .custom("n") {
        $0.stringValue?.uppercased()
      } encode: {
        .string($0.lowercased())
      }
    }
    let item: JSONValue = [
      "id": 1, "n": "ada", "meta": ["joined": 86400.25],
      "contacts": [nil, ["mail": "second"]], "pets": [],
    ]
    try await stack.sync([item] as JSONValue, inEntityNamed: "Person")
    let context = stack.newBackgroundContext()
    let exported = try context.performAndWait {
      try #require(try context.fetch(Fetch<Person>()).first).export()
    }
    #expect(exported["meta"] == item["meta"] && exported["contacts"] == item["contacts"])
    #expect(exported["n"] == "ada" && exported["name"] == nil && exported["joined_at"] == nil)
    let again = try await stack.sync([exported] as JSONValue, inEntityNamed: "Person")
    #expect(again.isUnchanged)
  }

  // MARK: - Files

  @Test func rulesComeFromAFile() async throws {
    try stack.addMapping([
      "Person": [
        "joinedAt": ["unixTime": ["meta", "joined"]],
        "mail": ["string": "contact.mail", "whenMissing": "clear", "coercing": "strict"],
      ]
    ])
    try await stack.sync(
      [["id": 1, "meta": ["joined": 1], "contact": ["mail": "a"]]] as JSONValue,
      inEntityNamed: "Person")
    #expect(try person().mail == "a" && person().joinedAt == Date(timeIntervalSince1970: 1))
  }

  @Test(
    arguments: [
      ["Person": ["mail": "contact.mail"]], ["Person": ["mail": ["text": "m"]]],
      ["Person": ["mail": ["string": "m", "int": "m"]]], ["Person": ["mail": ["string": 1]]],
      ["Person": ["mail": ["string": ["a", -1]]]],
      ["Person": ["mail": ["string": "m", "whenMissing": "perhaps"]]],
      ["Person": ["mail": ["string": "m", "always": true]]],
    ] as [JSONValue])
  func aMemberThatIsNoRuleIsNamed(json: JSONValue) throws {
    let error = #expect(throws: MappingError.self) { try stack.addMapping(json) }
    #expect(error?.code == .unreadableRule)
    #expect(error?.entity == "Person" && error?.property == "mail")
  }

  @Test(
    arguments: [
      (
        ["Person": ["mail": ["string": "m"]], "Pet": ["name": ["int": "n"]]],
        "MappingError unsuitableRule"
      ),
      (["Person": ["mail": ["string": "m"]], "Cat": [:]], "ModelError unknownEntity"),
      (["Person": []], "RuleError"), ([], "RuleError"),
    ] as [(JSONValue, String)])
  func aFileWithAMistakeAddsNothing(json: JSONValue, code: String) throws {
    expectError(code) { try stack.addMapping(json) }
    try stack.mapping(for: Person.self) { #expect($0.properties.isEmpty) }
  }
}
