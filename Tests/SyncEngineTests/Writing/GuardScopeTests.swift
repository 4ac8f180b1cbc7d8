import SyncStack
import TestSupport
import Testing

/// The deletion guard decides the same, with the same figures, however many parts a payload is
/// worked off in. The guard is one of 50 objects, so that the payloads are small.
@Suite struct GuardScopeTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let entity: String
    let stored: String
    let payload: String
    let isRefused: Bool
    /// The number of notes that are left.
    let notes: Int
    var operations: SyncOperations = .all
  }

  private static func notes(_ keys: some Sequence<Int>, _ rest: String = "") -> String {
    keys.map { #"{"id": \#($0)\#(rest)}"# }.joined(separator: ",")
  }

  /// Nested objects may be deleted, those that are not in the payload at all stay.
  private static let nested = SyncOperations.all.subtracting(.delete)

  /// A user whose notes the payload leaves out, and as many or more that say themselves that they
  /// are its.
  private static func spoken(_ others: Int, late: Bool) -> Case {
    let before = (2...61).map { #"{"id": \#($0), "user_id": 1}"# }
    let spoken = (101..<(101 + others)).map { #"{"id": \#($0), "user_id": 1}"# }
    let list = #"{"id": 1, "user": {"id": 1, "notes": [{"id": 1}]}}"#
    let items = late ? [list] + spoken : spoken + [list]
    return Case(
      testDescription:
        "\(others) that say where they belong, \(late ? "after" : "before") the list",
      entity: "Note", stored: "[\((before + spoken).joined(separator: ","))]",
      payload: "[\(items.joined(separator: ","))]", isRefused: others < 60,
      notes: others < 60 ? 60 + others : 1 + others, operations: nested)
  }

  static let cases = [
    spoken(59, late: false), spoken(61, late: false), spoken(59, late: true),
    spoken(61, late: true),
    Case(
      testDescription: "objects that moved away count where they were",
      entity: "User",
      stored: #"[{"id": 1, "notes": [\#(notes(1...120))]}, {"id": 2}]"#,
      payload: #"[{"id": 1, "notes": []}, {"id": 2, "notes": [\#(notes(1...61))]}]"#,
      isRefused: false, notes: 61),
    Case(
      testDescription: "new members do not make the scope larger",
      entity: "User", stored: #"[{"id": 1, "notes": [\#(notes(1...60))]}, {"id": 2}]"#,
      payload: #"[{"id": 1, "notes": []}, {"id": 2, "notes": [\#(notes(101...200))]}]"#,
      isRefused: true, notes: 60),
    Case(
      testDescription: "owners of whose lists nothing is said do not make the scope larger",
      entity: "Note",
      stored: "[\(notes(2...61, #", "user_id": 1"#)),\(notes(101...201, #", "user_id": 2"#))]",
      payload: #"[{"id": 1, "user": {"id": 1, "notes": [{"id": 1}]}}, "#
        + notes(101...201, #", "user_id": 2"#) + "]",
      isRefused: true, notes: 161, operations: nested),
    Case(
      testDescription: "new objects do not make the scope of the root larger",
      entity: "Note", stored: "[\(notes(1...100))]",
      payload: "[\(notes(Array(1...45) + Array(201...240)))]", isRefused: true, notes: 100),
    Case(
      testDescription: "half of the root may go", entity: "Note", stored: "[\(notes(1...110))]",
      payload: "[\(notes(1...55))]", isRefused: false, notes: 55),
  ]

  @Test(arguments: cases) func partsDecideAsTheWhole(_ testCase: Case) throws {
    var outcomes: [String] = []
    for size in [nil, 1, 7] {
      let bench = try SyncBench(TestModels.social())
      if testCase.entity == "Note" { try bench.sync(#"[{"id": 1}, {"id": 2}]"#, "User") }
      try bench.sync(testCase.stored, testCase.entity)
      do {
        let report = try bench.sync(testCase.payload, testCase.entity) {
          $0.tuning.partItems = size
          $0.settings.deletionGuard = .on(count: 50)
          $0.settings.operations = testCase.operations
        }
        outcomes.append("deleted \(report.deleted)")
        #expect(!testCase.isRefused, "\(size ?? 0)")
      } catch let error as SyncError where error.code == .deletionRefused {
        outcomes.append(error.message)
        #expect(testCase.isRefused, "\(size ?? 0)")
      }
      #expect(try bench.count("Note") == testCase.notes, "\(size ?? 0)")
    }
    #expect(Set(outcomes).count == 1, "\(outcomes)")
  }
}
