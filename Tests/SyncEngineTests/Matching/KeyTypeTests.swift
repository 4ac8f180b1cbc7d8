import SyncStack
import TestSupport
import Testing

/// Keys of every type, in every place where a key stands: at the top, nested, in lists of keys.
@Suite struct KeyTypeTests {
  /// A type, two keys, and the same two keys as another service would write them.
  struct Keys: CustomTestStringConvertible, Sendable {
    let type: AttributeType
    let plain: [String]
    let other: [String]
    var testDescription: String { "\(type): \(plain), \(other)" }
  }

  static let keys = [
    Keys(type: .integer16, plain: ["1", "702377"], other: [#""1""#, #""702377""#]),
    Keys(
      type: .integer64, plain: ["0", "9223372036854775807"],
      other: ["0.0", #""9223372036854775807""#]),
    Keys(type: .string, plain: [#""1""#, #""k""#], other: ["1", #""k""#]),
    Keys(type: .string, plain: [#""é""#, #""e\u0301""#], other: [#""\u00e9""#, #""e\u0301""#]),
    Keys(
      type: .date, plain: [#""2015-09-10T12:40:08Z""#, #""2014-01-02""#],
      other: ["1441888808", #""2014-01-02T00:00:00+00:00""#]),
    Keys(
      type: .uuid,
      plain: [
        #""e621e1f8-c36c-495a-93fc-0c247a3e6e5f""#, #""00000000-0000-0000-0000-000000000000""#,
      ],
      other: [
        #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#, #""00000000-0000-0000-0000-000000000000""#,
      ]),
    Keys(type: .decimal, plain: ["12.2", "0"], other: [#""12.20""#, "0.0"]),
    Keys(type: .double, plain: ["1.5", "2"], other: [#""1.5""#, "2.0"]),
    Keys(
      type: .uri, plain: [#""https://a.b""#, #""x:y""#], other: [#""https://a.b""#, #""x:y""#]),
    Keys(type: .boolean, plain: ["true", "false"], other: ["1", #""0""#]),
  ]

  private func bench(_ type: AttributeType) throws -> SyncBench {
    try SyncBench([
      """
      Owner: id \(type), one -> Child.ones, own ->> Child.owner cascade,
      list ->> Child.lister ordered, shared ->> Child.sharers
      """,
      """
      Child: id \(type), ones ->> Owner.one, owner -> Owner.own, lister -> Owner.list,
      sharers ->> Owner.shared
      """,
    ])
  }

  private func payload(_ keys: [String]) -> String {
    let objects = keys.map { #"{"id": \#($0)}"# }
    let list = "[\(objects.joined(separator: ","))]"
    let reversed = "[\(objects.reversed().joined(separator: ","))]"
    return """
      [{"id": \(keys[0]), "one": \(objects[1]), "own": \(list), "list": \(reversed), "shared": \(list)},
       {"id": \(keys[1])}]
      """
  }

  private func references(_ keys: [String]) -> String {
    let list = "[\(keys.joined(separator: ","))]"
    let reversed = "[\(keys.reversed().joined(separator: ","))]"
    return """
      [{"id": \(keys[0]), "one_id": \(keys[1]), "own_ids": \(list), "list_ids": \(reversed),
        "shared_ids": \(list)},
       {"id": \(keys[1])}]
      """
  }

  @Test(arguments: keys) func theSameKeysInAnotherJSONTypeAreTheSameObjects(_ keys: Keys) throws {
    let bench = try bench(keys.type)
    let first = try bench.sync(payload(keys.plain), "Owner")
    #expect(first.inserted == 4 && first.findings.isEmpty)
    let before = try bench.objects("Owner") + bench.objects("Child")
    for text in [
      payload(keys.plain), payload(keys.other), references(keys.plain), references(keys.other),
    ] {
      let report = try bench.sync(text, "Owner")
      #expect(report.isUnchanged && report.findings.isEmpty, "\(report)\n\(text)")
      #expect(try bench.objects("Owner") + bench.objects("Child") == before)
    }
  }

  @Test(arguments: keys) func listsOfKeysLinkStoredObjectsAndUnlinkTheRest(_ keys: Keys) throws {
    let bench = try bench(keys.type)
    try bench.sync("[\(keys.plain.map { #"{"id": \#($0)}"# }.joined(separator: ","))]", "Child")
    try bench.sync(references(keys.other), "Owner")
    let linked = try bench.objects("Owner")
    let second = try self.bench(keys.type)
    try second.sync(payload(keys.plain), "Owner")
    #expect(try second.objects("Owner") == linked)
    let key = keys.plain[0]
    try bench.sync(
      #"[{"id": \#(key), "one_id": null, "own_ids": [\#(key)], "list_ids": [], "shared_ids": null}]"#,
      "Owner")
    let left = try #require(try bench.objects("Owner").first)
    #expect(left.contains("own=[") && !left.contains("list") && !left.contains("shared"))
    #expect(try bench.count("Child") == 2 && bench.count("Owner") == 1)
  }
}
