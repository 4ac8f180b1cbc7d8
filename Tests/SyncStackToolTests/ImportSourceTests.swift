import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

/// `import` takes one document or the pages of a list, in one transaction or in many.
@Suite struct ImportSourceTests {
  private let bench: ToolBench
  private let model: String

  init() throws {
    bench = try ToolBench()
    model = try bench.file(
      "Cities.xml",
      """
      <model><entity name="City" syncable="YES">
        <attribute name="id" optional="YES" attributeType="Integer 64"/>
        <attribute name="name" optional="YES" attributeType="String"/>
      </entity></model>
      """)
  }

  private func cities(_ name: String, _ ids: Range<Int>) throws -> String {
    let items = ids.map { "{\"id\": \($0), \"name\": \"city \($0)\"}" }
    return try bench.file(name, "[" + items.joined(separator: ",") + "]")
  }

  private func importing(_ words: String...) async -> (
    code: ExitCode, output: String, error: String
  ) {
    await bench.run(
      ["import"] + words
        + ["--model", model, "--entity", "City", "--store", bench.store, "--quiet"])
  }

  private func stored() throws -> [Int] {
    let stack = try DataStack(
      model: ManagedObjectModel(contentsOf: URL(filePath: model)),
      store: .sqlite(URL(filePath: bench.store)))
    defer { try? stack.close() }
    let context = stack.newBackgroundContext()
    return try context.performAndWait {
      try context.fetch(Fetch<ManagedObject>(entityNamed: "City").sorted(by: "id"))
        .compactMap { ($0["id"] as? Int64).map(Int.init) }
    }
  }

  @Test func filesArePagesOfOneListAndWhatNoneMentionsGoesAtTheEnd() async throws {
    #expect(await importing(try cities("all.json", 0..<30)).code == .done)
    let result = await importing(
      try cities("one.json", 0..<10), try cities("two.json", 10..<25), "--report", "json")
    #expect(result.code == .done, "\(result.error)")
    #expect(try stored() == Array(0..<25))
    let report = try JSONDecoder().decode(SyncReport.self, from: Data(result.output.utf8))
    #expect(report.entities["City"]?.unchanged == 25 && report.entities["City"]?.deleted == 5)
  }

  @Test func aPageThatCannotBeReadDeletesNothing() async throws {
    #expect(await importing(try cities("all.json", 0..<30)).code == .done)
    let result = await importing(
      try cities("one.json", 0..<10), try bench.file("two.json", "[{\"id\": 1"))
    #expect(result.code == .failed)
    #expect(try stored() == Array(0..<30))
  }

  @Test(arguments: [1, 7, 1_000]) func batchesGiveWhatOneTransactionGives(size: Int) async throws {
    let result = await importing(try cities("all.json", 0..<20), "--per-batch", "\(size)")
    #expect(result.code == .done, "\(result.error)")
    #expect(try stored() == Array(0..<20))
  }
}
