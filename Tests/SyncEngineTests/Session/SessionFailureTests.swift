import Foundation
import SyncStack
import TestSupport
import Testing

/// Pages that fail while others are stored.
@Suite(.timeLimit(.minutes(5))) struct SessionFailureTests {
  /// More of them by hand: `SYNCSTACK_ROUNDS=1000`.
  private static let rounds = Proof.number("ROUNDS") ?? 24

  private static let pages = 5

  private static func json(_ page: Int, isCut: Bool) -> String {
    let text = "[{\"id\": \(page * 2 + 1)}, {\"id\": \(page * 2 + 2), \"name\": \"n\"}]"
    return isCut ? String(text.dropLast(5)) : text
  }

  @Test(arguments: [1, 2, 4, 8], [nil, "nightly"] as [String?])
  func aCommittedPageIsStoredWhicheverFailsBesideIt(width: Int, name: String?) async throws {
    var random = SeededGenerator(seed: UInt64(width) * 2 + (name == nil ? 0 : 1))
    for _ in 0..<Self.rounds / 8 {
      defer { Proof.tried("sessions with pages that fail") }
      let stack = try DataStack.social()
      let session = try SyncSession(entity: "User", dataStack: stack, name: name)
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = width
      let cut = Set(
        (0..<Self.pages).shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)))
      let syncs = (0..<Self.pages).map { page in
        session.page(Self.json(page, isCut: cut.contains(page)), named: "\(page)")
      }
      for sync in syncs { queue.addOperation(sync) }
      await withCheckedContinuation { done in queue.addBarrierBlock { done.resume() } }
      let stored = syncs.indices.filter { (try? syncs[$0].result?.get()) != nil }
      #expect(Set(stored) == Set(0..<Self.pages).subtracting(cut))
      #expect(try session.storedPages() == Set(stored.map(String.init)))
      await #expect(throws: SyncError.self) { try await session.finish() }
      if name != nil {
        let kept = try #require(try stack.keptSessions().first)
        #expect(Set(kept.missingPages) == Set(cut.map(String.init)))
      }
      for page in cut.sorted() {
        try await session.sync(Self.json(page, isCut: false), named: "\(page)")
      }
      try await session.finish()
      #expect(try Set(stack.keys("User")) == Set((1...Int64(Self.pages * 2)).map { $0 }))
      try stack.close()
    }
  }

  @Test(arguments: [nil, "nightly"] as [String?], [["null"], ["null", "null"], [" null "]])
  func anEndWithoutAPageThatSaidAnythingDeletesNothing(name: String?, pages: [String]) async throws
  {
    let bench = try SerializerBench()
    try bench.insert("Batch", [["batchID": 1], ["batchID": 2]])
    let session = try SyncSession(
      with: SerializerBench.batches(), dataStack: bench.stack, name: name)
    for page in pages { try await session.sync(page) }
    let report = try await session.finish()
    #expect(report.deleted == 0)
    #expect(try bench.objects("Batch", "batchID") == ["1", "2"])
  }

  @Test(arguments: ["clicks", "ordered"])
  func norDoesItTakeChildrenFromAParent(_ relationship: String) async throws {
    let bench = try SerializerBench()
    let batch = try bench.stack.inBackground { context in
      let batch = try context.insert(entityNamed: "Batch")
      let clicks = try (1...2).map { number in
        let click = try context.insert(entityNamed: "Click")
        click["clickID"] = number
        return click
      }
      batch[relationship] = relationship == "ordered" ? clicks : Set(clicks)
      try context.save()
      return batch.objectID
    }
    let session = try SyncSession(with: SerializerBench.clicks(), dataStack: bench.stack)
    for operation in [session.page("null"), session.page("null"), session.finishOperation()] {
      operation.parent = batch
      operation.parentRelationship = relationship
      try operation.run()
    }
    #expect(try bench.objects("Batch", links: [relationship]) == ["→ 1,2"])
  }

  @Test(
    arguments: [
      (["null", #"[{"id": 1}]"#], ["1"]), ([#"[{"id": 1}]"#, "null"], ["1"]), (["[]"], []),
      (["null", "[]"], []),
    ] as [([String], [String])], [nil, "nightly"] as [String?])
  func nullSaysNothingBesidePagesThatDoAndAnEmptyListSaysThatThereIsNothing(
    _ pages: ([String], [String]), name: String?
  ) async throws {
    let bench = try SerializerBench()
    try bench.insert("Batch", [["batchID": 1], ["batchID": 2]])
    let session = try SyncSession(
      with: SerializerBench.batches(), dataStack: bench.stack, name: name)
    for page in pages.0 { try await session.sync(page) }
    try await session.finish()
    #expect(try bench.objects("Batch", "batchID") == pages.1)
  }
}
