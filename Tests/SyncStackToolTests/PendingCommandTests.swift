import Foundation
import SyncStack
import Testing

@testable import SyncStackTool

/// `syncstack pending` on a store whose edits an API refused in part.
@Suite struct PendingCommandTests {
  private let bench: ToolBench

  init() async throws {
    bench = try ToolBench()
    let model = try ManagedObjectModel(Invoice.self)
    let stack = try DataStack(
      model: model, store: .sqlite(URL(filePath: bench.store)), tracksChanges: true)
    try await stack.sync(
      #"[{"id": 1, "state": "a"}, {"id": 2, "state": "a"}]"#, inEntityNamed: "Invoice")
    let outbox = try Outbox(stack, name: "api")
    outbox.send(Invoice.self) { $0.id == "1" ? .refused("too late") : .accepted() }
    try await stack.performBackgroundTask { context in
      for invoice in try context.fetch(Fetch<Invoice>()) { invoice.state = "b" }
      try context.save()
    }
    try await outbox.send()
    try await stack.performBackgroundTask { context in
      Invoice(context: context).state = "new"
      try context.save()
    }
    try stack.close()
  }

  final class Invoice: ManagedObject {
    @PrimaryKey var id: Int64?
    @Attribute var state: String?
  }

  @Test func whatWaitsAndWhatWasRefusedIsListedWithTheReason() async throws {
    let result = await bench.run("pending", "--store", bench.store)
    expect(result, .done, output: "refused: too late", "insert")
    #expect(result.error.hasPrefix("2 changes, 1 refused;"))
    let lines = await bench.run("pending", "--store", bench.store, "--json", "--keys", "1")
    let line = try JSONValue(parsing: lines.output)
    #expect(line["state"] == "refused")
    #expect(line["reason"] == "too late")
    #expect(line["properties"] == ["state"])
  }

  @Test func refusedChangesAreSentAgainOrGivenUp() async throws {
    let retried = await bench.run("pending", "--store", bench.store, "--retry")
    #expect(retried.error == "1 refused change will be sent again.\n")
    let waiting = await bench.run("pending", "--store", bench.store, "--json")
    #expect(!waiting.output.contains("refused"))
    #expect(waiting.output.split(separator: "\n").count == 2)
    let discarded = await bench.run("pending", "--store", bench.store, "--discard")
    #expect(discarded.error == "0 refused changes given up.\n")
  }

  @Test(arguments: [[], ["--retry"], ["--discard"]])
  func aKeyThatIsNotThereIsAnError(_ action: [String]) async throws {
    let result = await bench.run(["pending", "--store", bench.store, "--keys", "1,99"] + action)
    expect(result, .failed, error: "the key 99 waits", "Nothing was done")
    #expect(await bench.run("pending", "--store", bench.store).output.contains("refused"))
  }

  @Test func theEndOfTheHistoryCountsWhatIsNotSentAnyMore() async throws {
    let result = await bench.run("history", "--store", bench.store, "--stop")
    expect(result, .done, error: "! 2 changes that waited in the outbox “api” will not be sent.")
  }

  @Test func wrongNamesAreErrorsThatListTheRightOnes() async {
    let result = await bench.run("pending", "--store", bench.store, "--outbox", "app")
    expect(result, .failed, error: "There are api.")
    let entity = await bench.run("pending", "--store", bench.store, "--entity", "Bill")
    #expect(entity.code == .failed)
  }
}
