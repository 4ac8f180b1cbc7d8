import SyncStack
import TestSupport
import Testing

/// The deletions that the guard refuses, by its limits and by the kind of payload.
@Suite struct GuardLimitTests {
  private static func users(_ keys: some Sequence<Int>) -> String {
    "[" + keys.map { #"{"id": \#($0), "name": "n"}"# }.joined(separator: ",") + "]"
  }

  /// Whether a sync over so many users is refused; a refused one changes nothing.
  private func isRefused(
    _ payload: String, over count: Int, by deletionGuard: DeletionGuard = .on
  ) throws -> Bool {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(Self.users(1...count), "User")
    do {
      try bench.sync(payload, "User") { $0.settings.deletionGuard = deletionGuard }
      return false
    } catch let error as SyncError {
      #expect(error.code == .deletionRefused)
      #expect(try bench.count("User") == count)
      return true
    }
  }

  @Test(
    arguments: [
      (DeletionGuard.on, 20, 1, false), (.on(count: 10), 20, 9, true),
      (.on(count: 11), 20, 9, false), (.on(count: 0, share: 0.1), 20, 17, true),
      (.on(count: 0, share: 0.15), 20, 17, false), (.on(count: 0, share: 0), 20, 19, true),
      (.on(count: 0, share: 1), 20, 1, false), (.off, 20, 1, false),
    ] as [(DeletionGuard, Int, Int, Bool)])
  func limitsDecideFromHowManyObjectsOnAndFromWhichShare(
    _ deletionGuard: DeletionGuard, stored: Int, left: Int, expected: Bool
  ) throws {
    #expect(try isRefused(Self.users(1...left), over: stored, by: deletionGuard) == expected)
  }

  @Test(
    arguments: [
      (DeletionGuard.on, 100, false), (.on, 101, true), (.on(emptyPayload: 0), 1, true),
      (.on(emptyPayload: 20), 20, false), (.on(emptyPayload: 20), 21, true), (.off, 101, false),
    ] as [(DeletionGuard, Int, Bool)])
  func anEmptyListDeletesAsManyObjectsAsItMay(
    _ deletionGuard: DeletionGuard, stored: Int, expected: Bool
  ) throws { #expect(try isRefused("[]", over: stored, by: deletionGuard) == expected) }

  @Test(arguments: [
    #"{"id": 401, "message": "unauthorised"}"#, #"{"error": "down"}"#,
    #"[{"id": 401, "message": "unauthorised"}, {"id": 402, "title": {}}]"#,
  ])
  func anErrorDocumentDeletesNothingWhateverTheNumberOfObjectsAndTheLimits(_ payload: String) throws
  {
    #expect(try isRefused(payload, over: 3))
    #expect(try isRefused(payload, over: 3, by: .on(count: 1_000, share: 1, emptyPayload: 1_000)))
    #expect(try !isRefused(payload, over: 3, by: .off))
  }

  @Test(arguments: [
    #"[{"id": 1}]"#, #"[{"id": 1, "name": null, "message": 2}]"#,
    #"[{"id": 1, "notes": [], "message": 2}]"#, #"[{"id": 1, "message": 2}, {"id": 2}]"#,
  ])
  func aPayloadThatCouldBeMeantIsNoErrorDocument(_ payload: String) throws {
    #expect(try !isRefused(payload, over: 3))
  }

  @Test func anEntityThatHasOnlyAKeyKnowsNothingMore() throws {
    let bench = try SyncBench(["Tag: id"])
    try bench.sync(#"[{"id": 1}, {"id": 2}]"#, "Tag")
    try bench.sync(#"[{"id": 1, "text": "x"}]"#, "Tag")
    #expect(try bench.objects("Tag") == ["id=1"])
  }
}
