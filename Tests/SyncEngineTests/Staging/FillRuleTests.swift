import SyncStack
import TestSupport
import Testing

/// The effect of JSON on the attributes of one object.
@Suite struct FillRuleTests {
  private let bench: SyncBench

  init() throws {
    bench = try SyncBench([
      EntityDraft(
        "User",
        [
          "id", "companyName from company.name", "companyCity from company.address.city",
          "first from names.0", "extra binary from company.extra",
          .attribute("kind", .string, defaultValue: "plain"), "age integer32 from age_of_person",
        ])
    ])
  }

  private static let before =
    #"[{"id": 1, "company": {"name": "n", "address": {"city": "c"}}, "names": ["f"], "age": 3}]"#
  private static let all = "companyName=n companyCity=c first=f kind=plain age=3"

  struct Case: CustomTestStringConvertible, Sendable {
    let rule: String
    let item: String
    let expected: String
    var findings: [SyncReport.Finding.Kind] = []
    var testDescription: String { rule }
  }

  static let cases = [
    Case(
      rule: "a complete path sets the value, its siblings stay",
      item: #""company": {"address": {"city": "d"}}"#,
      expected: "companyName=n companyCity=d first=f kind=plain age=3"),
    Case(
      rule: "an inner key that is missing leaves the attribute alone",
      item: #""company": {"address": {}, "other": 1}"#, expected: all),
    Case(
      rule: "a root that is null clears every attribute below it", item: #""company": null"#,
      expected: "first=f kind=plain age=3"),
    Case(
      rule: "an inner object that is null clears what is below it",
      item: #""company": {"address": null}"#,
      expected: "companyName=n first=f kind=plain age=3"),
    Case(
      rule: "a root that is a scalar is ignored and reported", item: #""company": "x""#,
      expected: all, findings: [.ignoredValue]),
    Case(
      rule: "an inner step that is a scalar is missing, and reported",
      item: #""company": {"address": 5}"#, expected: all, findings: [.ignoredValue]),
    Case(
      rule: "an inner step that is an array is missing",
      item: #""company": {"address": [{"city": "d"}]}"#, expected: all),
    Case(
      rule: "a step may be a position in an array", item: #""names": ["g", "h"]"#,
      expected: "companyName=n companyCity=c first=g kind=plain age=3"),
    Case(rule: "a position that is not there is missing", item: #""names": []"#, expected: all),
    Case(
      rule: "a binary attribute takes the value at its path",
      item: #""company": {"extra": {"a": [1]}}"#,
      expected: "companyName=n companyCity=c first=f extra=7 bytes kind=plain age=3"),
    Case(
      rule: "a value that cannot be converted keeps the old one",
      item: #""age": "three""#, expected: all, findings: [.refusedConversion]),
    Case(
      rule: "an object for an attribute that holds none changes nothing, and is reported",
      item: #""age": {"x": 1}"#,
      expected: all, findings: [.refusedConversion]),
    Case(
      rule: "of two spellings the custom key wins, whatever the order",
      item: #""age": 8, "age_of_person": 7"#,
      expected: "companyName=n companyCity=c first=f kind=plain age=7"),
    Case(
      rule: "of two spellings the custom key wins, the other way round",
      item: #""age_of_person": 7, "age": 8"#,
      expected: "companyName=n companyCity=c first=f kind=plain age=7"),
    Case(
      rule: "a key that comes twice: the later one", item: #""age": 1, "age": 2"#,
      expected: "companyName=n companyCity=c first=f kind=plain age=2"),
    Case(
      rule: "keys that match nothing are ignored", item: #""zzz": 1, "": 2, "_": 3"#,
      expected: all),
  ]

  @Test(arguments: cases) func attributesFollowTheRules(_ testCase: Case) throws {
    try bench.sync(Self.before, "User")
    #expect(try bench.objects("User") == ["id=1 " + Self.all])
    let item = testCase.item.isEmpty ? "" : ", " + testCase.item
    let report = try bench.sync(#"[{"id": 1\#(item)}]"#, "User")
    let objects = try bench.objects("User").map {
      $0.replacing(#/extra=.* kind/#, with: "extra=7 bytes kind")
    }
    #expect(objects == ["id=1 " + testCase.expected])
    #expect(report.findings.map(\.kind) == testCase.findings)
  }

  @Test
  func aFindingHasThePathOfTheDocumentWhicheverSpellingItHasAndNamesAnOwnerWithoutAKey() throws {
    let bench = try SyncBench([
      "User: id, createdAt date, bestFriend -> User, entries ->> Entry cascade",
      "Entry: day, track -> Track",
      "Track: id required",
    ])
    let report = try bench.sync(
      #"""
      [{"id": 1, "createdAt": "x"}, {"id": 2, "created_at": "x", "bestFriend": {"id": 3, "CreatedAt": "x"}},
       {"id": 4, "bestFriendId": [1]}, {"id": 5, "Entries": [{"day": "a", "Track": {"id": null}}]}]
      """#, "User")
    #expect(
      report.findings.compactMap(\.path) == [
        "$[0].createdAt", "$[1].created_at", "$[1].bestFriend.CreatedAt", "$[2].bestFriendId",
        "$[3].Entries[0].Track",
      ])
    let message = try #require(report.findings(of: .unresolvedReference).first?.message)
    #expect(message.hasPrefix("“track” of Entry (no key) holds"), "\(message)")
  }

  @Test func aNewObjectStartsWithTheDefaultsOfTheModel() throws {
    try bench.sync(#"[{"id": 1}, {"id": 2, "kind": null}, {"id": 3, "kind": "x"}]"#, "User")
    #expect(try bench.objects("User") == ["id=1 kind=plain", "id=2", "id=3 kind=x"])
  }

  /// Two spellings of one value for each type.
  static let spellings: [(AttributeType, String, String)] = [
    (.integer16, "16", #""16""#), (.integer32, "16", "16.0"), (.integer64, "1", "true"),
    (.double, "12.5", #""12.5""#), (.float, "12.2", #""12.20""#), (.decimal, "12.2", #""12.20""#),
    (.boolean, "true", "1"), (.boolean, "false", #""0""#), (.string, "1", #""1""#),
    (.date, #""2015-09-10T12:40:08Z""#, "1441888808"),
    (.date, #""2015-09-10T12:40:08.123456Z""#, #""2015-09-10T14:40:08.123+0200""#),
    (.uuid, #""e621e1f8-c36c-495a-93fc-0c247a3e6e5f""#, #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#),
    (.uri, #""https://a.b/c""#, #""https://a.b/c""#),
    (.binary, #"{"a": 1, "b": [1.0, null]}"#, #"{ "b":[1.0,null],"a":1 }"#),
  ]

  @Test(arguments: spellings) func aValueThatIsEqualAfterConversionLeavesTheObjectClean(
    type: AttributeType, first: String, second: String
  ) throws {
    let bench = try SyncBench([EntityDraft("Thing", ["id", .attribute("value", type)])])
    try bench.sync(#"[{"id": 1, "value": \#(first)}]"#, "Thing")
    let objects = try bench.objects("Thing")
    #expect(objects[0].contains("value="))
    #expect(try bench.sync(#"[{"id": 1, "value": \#(second)}]"#, "Thing").isUnchanged)
    #expect(try bench.objects("Thing") == objects)
  }
}
