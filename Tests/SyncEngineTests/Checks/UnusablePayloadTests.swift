import Foundation
import SyncStack
import TestSupport
import Testing

/// Documents of which nothing can be used are refused, also where nothing is stored that they could
/// delete.
@Suite struct UnusablePayloadTests {
  private let bench: SyncBench

  init() throws { bench = try Self.makeBench() }

  private static func makeBench() throws -> SyncBench {
    try SyncBench(["Order: id, total decimal"])
  }

  @Test(
    arguments: [
      (
        #"{"data":{"orders":[{"id":1}]},"next":null}"#, nil, SyncError.Code.missingKey,
        "data.orders"
      ),
      (#"{"orders":[{"id":1}],"users":[{"id":2}]}"#, nil, .missingKey, "orders, users"),
      (#"{"data":{"orders":[{"id":1}]}}"#, "data", .missingKey, "data.orders"),
      (#"{"error":"unauthorised"}"#, nil, .missingKey, "at: \"data.items\""),
      (
        #"[{"orders":[{"id":1}]}]"#, nil, .missingKey,
        "The only item is one object with a list at *.orders"
      ),
      (#"{"data":[{"orders":[{"id":1}]}]}"#, "data", .missingKey, "at data[].orders"),
      (#"["a","b"]"#, nil, .invalidItem, "None of the 2 items"),
      (#"[null]"#, nil, .invalidItem, "The only item"),
    ] as [(String, String?, SyncError.Code, String)],
    [SyncOperations.all, [.insert, .update]])
  func anErrorDocumentOrAnEnvelopeIsAnErrorThatSaysWhereAListIs(
    _ payload: (String, String?, SyncError.Code, String), operations: SyncOperations
  ) throws {
    let error = #expect(throws: SyncError.self) {
      try bench.sync(payload.0, "Order") {
        $0.setup.path = payload.1.map { JSONPath($0) }
        $0.settings.operations = operations
      }
    }
    #expect(error?.code == payload.2 && error?.entity == "Order")
    #expect(error?.message.contains(payload.3) == true, "\(String(describing: error))")
    #expect(try bench.count("Order") == 0)
  }

  @Test func oneObjectThatSaysNothingButItsKeyIsNoneWhereObjectsMayBeDeleted() throws {
    let payload = #"{"id":401,"message":"unauthorised"}"#
    expectError("SyncError invalidItem") { try bench.sync(payload, "Order") }
    #expect(try bench.count("Order") == 0)
    try bench.sync(payload, "Order", operations: [.insert, .update])
    #expect(try bench.count("Order") == 1)
  }

  @Test func whereObjectsAreStoredItSaysHowManyWouldHaveGone() throws {
    try bench.sync(#"[{"id":1,"total":2}]"#, "Order")
    let error = #expect(throws: SyncError.self) {
      try bench.sync(#"{"data":{"orders":[{"id":1}]}}"#, "Order")
    }
    #expect(error?.code == .deletionRefused)
    #expect(error?.message.contains("data.orders") == true)
    #expect(throws: SyncError.self) {
      try bench.sync(#"{"error":"none"}"#, "Order", operations: [.insert, .update])
    }
    #expect(try bench.count("Order") == 1)
  }

  @Test(arguments: [
    (#"[{"id":1},{"id":2}]"#, 2), (#"[{"error":"none"},{"id":2,"total":"1101.10"}]"#, 1),
    ("[]", 0),
    (#"{"id":1,"total":null}"#, 1),
  ])
  func payloadsWithSomethingOfUseAreTaken(payload: String, count: Int) throws {
    try bench.sync(payload, "Order")
    #expect(try bench.count("Order") == count)
  }

  @Test func itemsInQuarantineAreKeptAllOfThemToo() throws {
    let report = try bench.sync(#"{"error":"none"}"#, "Order") {
      $0.settings.onItemError = .quarantine
    }
    #expect(report.quarantined == 1)
  }

  @Test func itIsDecidedOnceOverAllPagesOfASession() async throws {
    let stack = try DataStack(model: Self.makeBench().model, store: .inMemory)
    let session = try SyncSession(entity: "Order", dataStack: stack)
    try await session.sync(#"{"error":"none"}"#)
    await #expect(throws: SyncError.self) { try await session.finish() }
    try await session.sync(#"[{"id":1,"total":1}]"#)
    try await session.finish()
  }
}
