import SyncStack
import TestSupport
import Testing

/// The change set of a sync: all changes, and nothing else. The random sequences against the oracle
/// compare every change set; these are the cases to read.
@Suite struct ChangeSetTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let stored: String
    let payload: String
    let expected: String
  }

  static let cases = [
    Case(
      testDescription: "an unchanged object is not in it",
      stored: #"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]"#,
      payload: #"[{"id": 1, "name": "a"}, {"id": 2, "name": "c"}]"#,
      expected: "User +[] ~[2: name] -[]"),
    Case(
      testDescription: "equal values in another spelling are no change",
      stored: #"[{"id": 1, "age": 5, "isActive": true, "createdAt": "2014-01-02T00:00:00Z"}]"#,
      payload: #"[{"id": "1", "age": "5", "is_active": 1, "created_at": "2014-01-02"}]"#,
      expected: ""),
    Case(
      testDescription: "a new member changes its owner", stored: #"[{"id": 1}]"#,
      payload: #"[{"id": 1, "notes": [{"id": 1}]}]"#,
      expected: "User +[] ~[1: notes] -[]; Note +[1] ~[] -[]"),
    Case(
      testDescription: "a member that goes changes its owner",
      stored: #"[{"id": 1, "notes": [{"id": 1}]}]"#, payload: #"[{"id": 1, "notes": []}]"#,
      expected: "User +[] ~[1: notes] -[]; Note +[] ~[] -[1]"),
    Case(
      testDescription: "a member that moves changes both owners and itself",
      stored: #"[{"id": 1, "notes": [{"id": 1}]}, {"id": 2}]"#,
      payload: #"[{"id": 1}, {"id": 2, "notes": [{"id": 1}]}]"#,
      expected: "User +[] ~[1: notes, 2: notes] -[]; Note +[] ~[1: user] -[]"),
    Case(
      testDescription: "membership of a many-to-many changes both sides",
      stored: #"[{"id": 1, "tags": [{"id": 1}]}]"#, payload: #"[{"id": 1, "tags": []}]"#,
      expected: "User +[] ~[1: tags] -[]; Tag +[] ~[1: users] -[]"),
    Case(
      testDescription: "a to-one changes its destination's list",
      stored: #"[{"id": 1, "company": {"id": 1}}]"#, payload: #"[{"id": 1, "company": null}]"#,
      expected: "User +[] ~[1: company] -[]; Company +[] ~[1: employees] -[]"),
    Case(
      testDescription: "an order alone changes its owner",
      stored: #"[{"id": 1, "tasks": [{"id": 1}, {"id": 2}]}]"#,
      payload: #"[{"id": 1, "tasks": [{"id": 2}, {"id": 1}]}]"#,
      expected: "User +[] ~[1: tasks] -[]"),
    Case(
      testDescription: "the order of an unordered list is nothing",
      stored: #"[{"id": 1, "notes": [{"id": 1}, {"id": 2}], "tags": [{"id": 1}, {"id": 2}]}]"#,
      payload: #"[{"id": 1, "notes": [{"id": 2}, {"id": 1}], "tags": [{"id": 2}, {"id": 1}]}]"#,
      expected: ""),
    Case(
      testDescription: "what a deleted object was linked to changes",
      stored: #"[{"id": 1, "company": {"id": 1}, "tags": [{"id": 1}]}, {"id": 2}]"#,
      payload: #"[{"id": 2}]"#,
      expected:
        "User +[] ~[] -[1]; Company +[] ~[1: employees] -[]; Tag +[] ~[1: users] -[]"),
    Case(
      testDescription: "a cascade is in it",
      stored: #"[{"id": 1, "notes": [{"id": 1}]}, {"id": 2}]"#,
      payload: #"[{"id": 2}]"#, expected: "User +[] ~[] -[1]; Note +[] ~[] -[1]"),
  ]

  @Test(arguments: cases) func aChangeSetHasExactlyTheChanges(_ testCase: Case) throws {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(testCase.stored, "User")
    let (report, changes) = try bench.syncWithChanges(testCase.payload, "User")
    #expect(changes.summary == testCase.expected)
    // The report counts the same.
    #expect(changes.counts == (report.inserted, report.updated, report.deleted))
  }
}
