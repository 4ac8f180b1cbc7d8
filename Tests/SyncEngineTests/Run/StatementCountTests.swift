import SyncStack
import TestSupport
import Testing

/// How many statements a sync runs.
@Suite struct StatementCountTests {
  /// The statements of a sync, by text: lists of values of any length are one shape.
  private func shapes(_ statements: [String]) -> [String: Int] {
    Dictionary(
      statements.map { statement in
        let plain = statement.replacing(#/\(\?(, ?\?)*\)(, ?\(\?(, ?\?)*\))*/#, with: "(?…)")
        return (plain, 1)
      }, uniquingKeysWith: +)
  }

  /// A way to give relationships, and the statements of a sync of so many objects.
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    var model: @Sendable () throws -> ManagedObjectModel = { try TestModels.social() }
    var entity = "User"
    /// Entities whose objects are stored first.
    var stored: [String] = []
    var filter: String?
    var isChildOfFirstUser = false
    /// The item of a number; the text changes from one sync to the next.
    let item: @Sendable (Int, String) -> String
    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "one-to-many, nested") {
      #"{"id": \#($0), "notes": [{"id": \#($0 * 2), "text": "\#($1)"}, {"id": \#($0 * 2 + 1)}]}"#
    },
    Case(name: "many-to-many, nested") {
      #"{"id": \#($0), "tags": [{"id": \#($0 % 50), "name": "\#($1)"}, {"id": \#($0 % 50 + 50)}]}"#
    },
    Case(name: "ordered, nested") {
      let pair = [#"{"id": \#($0 * 2), "title": "\#($1)"}"#, #"{"id": \#($0 * 2 + 1)}"#]
      return
        #"{"id": \#($0), "tasks": [\#(($1 == "a" ? pair : pair.reversed()).joined(separator: ","))]}"#
    },
    Case(name: "to-one, nested") {
      #"{"id": \#($0), "company": {"id": \#($0 % 30), "name": "\#($1)"}}"#
    },
    Case(name: "lists of keys", stored: ["Note", "Tag", "Task", "Company"]) {
      let other = $1 == "a" ? $0 : $0 + 1
      return #"{"id": \#($0), "notes_ids": [\#(other)], "tags_ids": [\#($0), \#(other)], "#
        + #""tasks_ids": [\#(other)], "company_id": \#(other)}"#
    },
    Case(name: "a predicate", filter: #"name != "zzz""#) { #"{"id": \#($0), "name": "\#($1)"}"# },
    Case(name: "a parent's children", entity: "Note", isChildOfFirstUser: true) {
      #"{"id": \#($0), "text": "\#($1)"}"#
    },
    Case(name: "a parent's shared members", entity: "Tag", isChildOfFirstUser: true) {
      #"{"id": \#($0), "name": "\#($1)"}"#
    },
    Case(name: "a tree", model: TestModels.tree, entity: "Organization") {
      #"{"id": \#($0 * 10), "children": [{"id": \#($0 * 10 + 1), "name": "\#($1)", "#
        + #""children": [{"id": \#($0 * 10 + 2)}]}]}"#
    },
    Case(name: "subentities", model: TestModels.vehicles, entity: "Racecar") {
      #"{"id": \#($0), "team": "\#($1)", "owner": {"id": \#($0 % 20)}}"#
    },
  ]

  /// The statements of a first sync, of the same once more, and of one that changes every object.
  ///
  /// - Parameter parts: In how many parts it is worked off.
  private func statements(_ testCase: Case, count: Int, parts: Int = 1) throws -> [[String]] {
    let bench = try SyncBench(testCase.model())
    for entity in testCase.stored {
      let items = (1...count + 1).map { #"{"id": \#($0)}"# }
      try bench.sync("[\(items.joined(separator: ","))]", entity)
    }
    var parent: ManagedObjectID?
    if testCase.isChildOfFirstUser {
      try bench.sync(#"[{"id": 1}]"#, "User")
      parent = try bench.id("User", 1)
    }
    return try ["a", "a", "b"].map { text in
      let items = (1...count).map { testCase.item($0, text) }
      return try bench.store.recorder.record {
        try bench.sync("[\(items.joined(separator: ","))]", testCase.entity) {
          $0.settings.filter = testCase.filter.map { Filter($0) }
          $0.setup.parent = parent
          $0.settings.deletionGuard = .off
          if parts > 1 {
            $0.tuning.partItems = count / parts
            // Known items run none, where no other part has to do with their objects.
            $0.setup.usesFingerprints = false
          }
        }
      }
    }
  }

  @Test(arguments: cases)
  func statementsDoNotGrowWithThePayloadAndUnchangedItemsCostNone(_ testCase: Case) throws {
    let small = try statements(testCase, count: 40)
    let large = try statements(testCase, count: 240)
    for (step, name) in ["cold", "unchanged", "changed"].enumerated() {
      let (few, many) = (shapes(small[step]).count, shapes(large[step]).count)
      #expect(many <= few + 2 && many < 60, "\(name): \(few) and \(many) shapes")
    }
    // A few more statements for longer lists of keys, none per object.
    #expect(
      large[1].count <= small[1].count + 6, "unchanged: \(small[1].count) and \(large[1].count)")
  }

  @Test(arguments: cases)
  func inPartsStatementsGrowNeitherWithThePayloadNorWithThePartsAndUnchangedItemsCostNone(
    _ testCase: Case
  ) throws {
    let small = try statements(testCase, count: 40, parts: 4)
    let large = try statements(testCase, count: 240, parts: 4)
    let finer = try statements(testCase, count: 240, parts: 20)
    for (step, name) in ["cold", "unchanged", "changed"].enumerated() {
      let counts = [small, large, finer].map { shapes($0[step]).count }
      // Many new rows take up to three of their own for each table.
      #expect(counts[1] <= counts[0] + 6 && counts[2] <= counts[0] + 6, "\(name): \(counts) shapes")
      #expect(counts[1] < 80, "\(name): \(counts) shapes")
    }
    // Some statements for each part, none for each object.
    let counts = [small, large, finer].map { $0[1].count }
    #expect(counts[1] <= counts[0] + 4 * 6, "unchanged: \(counts)")
    #expect(counts[2] <= counts[1] + 16 * 20, "unchanged: \(counts)")
  }

  @Test func newMembersThatAreWrittenInTheOrderOfTheirListCostNoStatementEach() throws {
    let ordered = try #require(Self.cases.first { $0.name == "ordered, nested" })
    let (small, large) = (try statements(ordered, count: 40), try statements(ordered, count: 240))
    #expect(large[0].count < small[0].count + 120, "\(small[0].count) and \(large[0].count)")
  }
}
