import SyncStack
import TestSupport
import Testing

/// Children without a key in lists that own their members, and nested objects without key.
@Suite struct KeylessChildTests {
  private let bench: SyncBench

  init() throws { bench = try SyncBench(Self.model()) }

  /// How the list of fields is declared.
  enum Form: String, CaseIterable, Sendable {
    case inverse, ordered, link, orderedLink

    var isOrdered: Bool { self == .ordered || self == .orderedLink }
    var hasInverse: Bool { self == .inverse || self == .ordered }
  }

  static func model(_ form: Form = .inverse) throws -> ManagedObjectModel {
    var field: [PropertyDraft] = [
      "name", "value", .attribute("weight", .integer64, defaultValue: 1), "isSeen boolean",
      "options ->> Option.field cascade",
    ]
    if form.hasInverse { field.append("profile -> Profile.fields") }
    return try ManagedObjectModel([
      """
      Profile: id, title,
      fields ->> Field\(form.hasInverse ? ".profile" : "") cascade \(form.isOrdered ? "ordered" : ""),
      address -> Address.profile cascade, place -> Address cascade, link -> Link,
      friend -> Profile.friends, friends ->> Profile.friend
      """,
      EntityDraft("Field", field),
      "Option: text, field -> Field.options",
      "Address: street, profile -> Profile.address",
      "Link: url",
    ])
  }

  private func fields(_ bench: SyncBench) throws -> [String] {
    try bench.objects("Field").map { text in
      text.split(separator: " ").filter {
        $0.hasPrefix("name=") || $0.hasPrefix("value=") || $0.hasPrefix("profile=")
      }.joined(separator: " ")
    }.sorted()
  }

  private func payload(_ fields: String) -> String { #"[{"id": 1, "fields": \#(fields)}]"# }

  private static let two = #"[{"name": "a", "value": "1"}, {"name": "b", "value": "2"}]"#

  @Test(arguments: Form.allCases, [true, false])
  func theSameListChangesNothing(_ form: Form, _ usesFingerprints: Bool) throws {
    let bench = try SyncBench(Self.model(form))
    try bench.sync(payload(Self.two), "Profile") { $0.setup.usesFingerprints = usesFingerprints }
    let report = try bench.sync(payload(Self.two), "Profile") {
      $0.setup.usesFingerprints = usesFingerprints
    }
    #expect(report.isUnchanged)
    #expect(try bench.count("Field") == 2)
  }

  @Test(arguments: [true, false])
  func theyGoWithAListThatIsLeftOutWhereThatEmptiesIt(_ usesFingerprints: Bool) throws {
    let bench = try SyncBench([
      """
      Order: id, home -> Home cascade sync.whenMissing=clear,
      lines ->> Line.order cascade sync.whenMissing=clear
      """, "Line: text, order -> Order.lines", "Home: street",
    ])
    for (payload, count) in [
      (#"[{"id": 1, "home": {"street": "a"}, "lines": [{"text": "a"}]}]"#, 1), (#"[{"id": 1}]"#, 0),
    ] {
      try bench.sync(payload, "Order") { $0.setup.usesFingerprints = usesFingerprints }
      #expect(try bench.count("Line") == count)
      #expect(try bench.count("Home") == count)
    }
  }

  @Test(
    arguments: Form.allCases,
    [
      // payload, inserted, updated, deleted
      (#"[{"name": "b", "value": "2"}, {"name": "a", "value": "1"}]"#, 0, 0, 0),
      (#"[{"name": "b", "value": "2"}]"#, 0, 0, 1),
      (#"[{"name": "a", "value": "1"}, {"name": "b", "value": "3"}]"#, 0, 1, 0),
      (
        #"[{"name": "n", "value": "0"}, {"name": "a", "value": "1"}, {"name": "b", "value": "2"}]"#,
        1, 0, 0
      ),
      (#"[{"name": "x", "value": "8"}, {"name": "y", "value": "9"}]"#, 0, 2, 0),
      (#"[{"name": "a", "value": "1"}, {"name": "a", "value": "1"}]"#, 0, 1, 0),
      ("[]", 0, 0, 2), ("null", 0, 0, 2),
    ])
  func listsAreKeptInStep(_ form: Form, _ change: (String, Int, Int, Int)) throws {
    let bench = try SyncBench(Self.model(form))
    try bench.sync(payload(Self.two), "Profile")
    let report = try bench.sync(payload(change.0), "Profile")
    let field = report.entities["Field"]
    #expect(field?.inserted ?? 0 == change.1)
    #expect(field?.updated ?? 0 == change.2)
    #expect(field?.deleted ?? 0 == change.3)
    let fresh = try SyncBench(Self.model(form))
    try fresh.sync(payload(change.0), "Profile")
    #expect(try fields(bench) == fields(fresh))
    #expect(try bench.sync(payload(change.0), "Profile").isUnchanged)
  }

  @Test func anOwnerKeepsItsChildrenWhateverAnotherOneLists() throws {
    let both =
      #"[{"id": 1, "fields": [{"name": "a"}]}, {"id": 2, "fields": [{"name": "a"}, {"name": "b"}]}]"#
    try bench.sync(both, "Profile")
    #expect(try fields(bench) == ["name=a profile=1", "name=a profile=2", "name=b profile=2"])
    #expect(try bench.sync(both, "Profile").isUnchanged)
    try bench.sync(#"[{"id": 1, "fields": [{"name": "b"}]}, {"id": 2}]"#, "Profile")
    #expect(try fields(bench) == ["name=a profile=2", "name=b profile=1", "name=b profile=2"])
    try bench.sync(#"[{"id": 2}]"#, "Profile")
    #expect(try fields(bench) == ["name=a profile=2", "name=b profile=2"])
  }

  @Test func anObjectThatTakesThePlaceOfAnotherKeepsNothingOfIt() throws {
    try bench.sync(
      payload(
        #"[{"name": "a", "value": "1", "weight": 5, "options": [{"text": "x"}, {"text": "y"}]}]"#),
      "Profile")
    try bench.sync(payload(#"[{"name": "b"}]"#), "Profile")
    #expect(try bench.objects("Field") == ["name=b weight=1 profile=1"])
    #expect(try bench.count("Option") == 0)
  }

  @Test func anObjectOfASerializerInThePlaceOfAnotherKeepsNothingOfItToo() throws {
    let stack = try DataStack(model: Self.model(), store: .inMemory)
    let fields = EntitySerializer(entityNamed: "Field").with {
      $0.mapping = ["name": .string("name"), "value": .string("value"), "weight": .int("weight")]
    }
    let profiles = EntitySerializer(entityNamed: "Profile").by(
      "id", ["id": .int("id"), "fields": .toMany("fields") { fields }])
    try stack.sync(payload(#"[{"name": "a", "value": "1", "weight": 5}]"#), with: profiles)
    let report = try stack.sync(payload(#"[{"name": "b"}]"#), with: profiles)
    #expect(try stack.shown("Field", "name value weight profile") == ["b - 1 1"])
    #expect(report["Field"].updated == 1)
  }

  @Test func anObjectThatIsEqualInAllThatItsItemMentionsStaysAsItIs() throws {
    try bench.sync(payload(#"[{"name": "a", "weight": 5, "isSeen": true}]"#), "Profile")
    #expect(try bench.sync(payload(#"[{"name": "a", "weight": 5}]"#), "Profile").isUnchanged)
  }

  @Test(arguments: [
    #"[{"name": "a"}, {"name": "a", "value": "1"}]"#,
    #"[{"name": "a", "value": "1"}, {"name": "a"}]"#,
  ])
  func theMostExactItemChoosesFirst(_ list: String) throws {
    try bench.sync(payload(#"[{"name": "a", "value": "1"}, {"name": "a"}]"#), "Profile")
    #expect(try bench.sync(payload(list), "Profile").isUnchanged)
    #expect(try fields(bench) == ["name=a profile=1", "name=a value=1 profile=1"])
  }

  @Test func childrenOfChildrenFollowTheirOwners() throws {
    let list =
      #"[{"name": "a", "options": [{"text": "x"}]}, {"name": "b", "options": [{"text": "x"}, {"text": "y"}]}]"#
    try bench.sync(payload(list), "Profile")
    #expect(try bench.sync(payload(list), "Profile").isUnchanged)
    try bench.sync(payload(#"[{"name": "b", "options": [{"text": "y"}]}]"#), "Profile")
    #expect(try bench.objects("Option") == ["text=y field=#2"])
    try bench.sync("[]", "Profile")
    #expect(try bench.count("Field") + bench.count("Option") == 0)
  }

  @Test(arguments: [Form.ordered, .orderedLink])
  func anOrderIsThatOfThePayload(_ form: Form) throws {
    let bench = try SyncBench(Self.model(form))
    try bench.sync(payload(#"[{"name": "a"}, {"name": "b"}, {"name": "c"}]"#), "Profile")
    try bench.sync(payload(#"[{"name": "c"}, {"name": "a"}, {"name": "b"}]"#), "Profile")
    #expect(try bench.objects("Profile") == ["id=1 fields=[#3,#1,#2]"])
    try bench.sync(payload(#"[{"name": "d"}, {"name": "a"}, {"name": "b"}]"#), "Profile")
    #expect(try bench.objects("Profile") == ["id=1 fields=[#3,#1,#2]"])
  }

  @Test func ofTwoListsOfOneOwnerTheLastCountsAndNoChildIsLeftOver() throws {
    for _ in 0..<2 {
      try bench.sync(
        #"[{"id": 1, "fields": [{"name": "a"}]}, {"id": 1, "fields": [{"name": "b"}]}]"#, "Profile")
      #expect(try fields(bench) == ["name=b profile=1"])
    }
  }

  @Test(arguments: [
    #"{"id": 2, "friend": {"id": 1, "fields": LIST}}, {"id": 1, "title": "t", "fields": LIST}"#,
    #"{"id": 1, "title": "t", "fields": LIST}, {"id": 2, "friend": {"id": 1, "fields": LIST}}"#,
    #"{"id": 1, "title": "t", "fields": []}, {"id": 2, "friend": {"id": 1, "fields": LIST}}"#,
    #"{"id": 2, "friend": {"id": 1, "fields": []}}, {"id": 1, "fields": LIST}"#,
    #"{"id": 1, "friends": [{"id": 2}], "fields": LIST}, {"id": 2, "friend": {"id": 1, "fields": LIST}}"#,
    #"{"id": 1, "fields": LIST}, {"id": 3, "friends": [{"id": 1, "fields": LIST}]}"#,
  ])
  func theLastListCountsWhereTheOwnerStandsAtTwoDepths(_ items: String) throws {
    try bench.sync(#"[{"id": 1, "fields": \#(Self.two)}, {"id": 2}]"#, "Profile")
    let report = try bench.sync("[\(items.replacing("LIST", with: Self.two))]", "Profile")
    let field = report.entities["Field"]
    #expect(field?.unchanged == 2 && field?.inserted == 0 && field?.deleted == 0)
    #expect(try fields(bench) == ["name=a value=1 profile=1", "name=b value=2 profile=1"])
  }

  @Test func withoutDeletingAMemberThatIsNotListedStays() throws {
    try bench.sync(payload(Self.two), "Profile")
    try bench.sync(payload(#"[{"name": "b", "value": "2"}]"#), "Profile") {
      $0.settings.operations.remove(.deleteRelationships)
    }
    #expect(try bench.count("Field") == 2)
  }

  @Test(arguments: [1, 2]) func inPartsAndBatchesItIsTheSame(_ size: Int) throws {
    let before =
      #"[{"id": 1, "fields": [{"name": "a"}, {"name": "b"}]}, {"id": 2, "fields": [{"name": "c"}]}, {"id": 3}]"#
    let after =
      #"[{"id": 3, "fields": [{"name": "a"}]}, {"id": 1, "fields": [{"name": "b"}]}, {"id": 2, "fields": []}]"#
    for payload in [before, after, after] { try bench.sync(payload, "Profile", parts: size) }
    #expect(try fields(bench) == ["name=a profile=3", "name=b profile=1"])
  }

  @Test func childrenOfAGivenParentNeedNoKey() throws {
    try bench.sync(#"[{"id": 1}, {"id": 2, "fields": [{"name": "z"}]}]"#, "Profile")
    for (list, expected) in [
      (#"[{"name": "a"}, {"name": "b"}]"#, ["a", "b"]), (#"[{"name": "b"}]"#, ["b"]),
      (#"[{"name": "c"}]"#, ["c"]),
    ] {
      for _ in 0..<2 { try bench.sync(list, "Field", under: bench.id("Profile", 1)) }
      #expect(try fields(bench) == expected.map { "name=\($0) profile=1" } + ["name=z profile=2"])
    }
    expectError("SyncError noPrimaryKey") { try bench.sync(#"[{"name": "a"}]"#, "Field") }
  }

  @Test(arguments: ["address", "place"])
  func nestedObjectsWithoutKeyGoWithTheNullThatUnlinksThem(_ name: String) throws {
    try bench.sync(#"[{"id": 1, "\#(name)": {"street": "s"}}]"#, "Profile")
    try bench.sync(#"[{"id": 1, "\#(name)": {"street": "t"}}]"#, "Profile")
    #expect(try bench.count("Address") == 1)
    try bench.sync(#"[{"id": 1}]"#, "Profile")
    #expect(try bench.count("Address") == 1)
    let report = try bench.sync(#"[{"id": 1, "\#(name)": null}]"#, "Profile")
    #expect(try bench.count("Address") == 0)
    #expect(report.entities["Address"]?.deleted == 1)
  }

  @Test(arguments: [
    #"{}"#, #"{"code": "invalid_id", "message": "gone"}"#, #"{"id": null, "name": "a"}"#,
  ])
  func anObjectWithoutTheKeyThatItNeedsFillsTheLinkedOneOrIsNoneAndCostsNothingElse(author: String)
    throws
  {
    let bench = try SyncBench([
      "Post: id, author -> Author.posts",
      "Author: id required, name, posts ->> Post.author",
    ])
    let linked = #"{"id": 2, "author": {"id": 7}}"#
    try bench.sync("[\(linked)]", "Post")
    for _ in 0..<2 {
      let report = try bench.sync(
        #"[{"id": 1, "author": \#(author)}, {"id": 2, "author": \#(author)}]"#, "Post")
      #expect(try bench.objects("Post") == ["id=1", "id=2 author=7"])
      #expect(try bench.count("Author") == 1)
      let finding = try #require(report.findings.first)
      #expect(report.findings.count == 1 && finding.kind == .unresolvedReference)
      #expect(
        finding.entity == "Post" && finding.property == "author" && finding.path == "$[0].author")
      #expect(finding.message.contains("“id”"))
    }
  }

  @Test func withoutCascadeTheyStay() throws {
    try bench.sync(#"[{"id": 1, "link": {"url": "s"}}]"#, "Profile")
    try bench.sync(#"[{"id": 1, "link": null}]"#, "Profile")
    #expect(try bench.count("Link") == 1)
  }

  @Test(arguments: [false, true])
  func theCostOfManyChildrenFollowsTheirNumber(_ reversed: Bool) throws {
    let names = (0..<3_000).map { #"{"name": "n\#($0)", "value": "v"}"# }
    try bench.sync(payload("[\(names.joined(separator: ","))]"), "Profile")
    let list = reversed ? names.reversed() : names
    #expect(try bench.sync(payload("[\(list.joined(separator: ","))]"), "Profile").isUnchanged)
  }
}
