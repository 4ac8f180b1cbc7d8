import SyncStore
import TestSupport
import Testing

/// The store and memory give the same answers.
@Suite struct FilterAgreementTests {
  @Test(arguments: Proof.seeds(usual: 1...24))
  func randomFiltersSelectTheSameObjects(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let graph = try RandomGraph.make(&random)
    let store = try GraphLoader.load(graph)
    var filters = RandomFilter(graph: graph, seed: seed)
    var used = 0
    var telling = 0
    for _ in 0..<250 {
      let entity = random.pick(graph.model.entities)
      let (format, arguments) = filters.make(entity)
      let filter = Filter(format: format, arguments: arguments)
      let sort = filters.sortKeys(entity)
      var plan = FetchPlan(entity: entity, filter: filter, sort: sort)
      if random.chance(30) { plan.limit = Int.random(in: 0...5, using: &random) }
      if random.chance(20) { plan.offset = Int.random(in: 0...3, using: &random) }
      plan.isReversed = random.chance(20)
      plan.includesSubentities = random.chance(80)
      let fetch: ResolvedFetch
      do {
        fetch = try plan.resolved()
      } catch {
        Issue.record("\(format) \(sort): \(error)")
        continue
      }
      used += 1
      let memory = outcome {
        let matching = try graph.all(entity, includesSubentities: plan.includesSubentities)
          .filter { try fetch.matches($0) }
        return try fetch.places(of: matching).map { matching[$0].row }
      }
      if let memory, plan.limit == nil, plan.offset == 0, !memory.isEmpty,
        memory.count < graph.all(entity, includesSubentities: plan.includesSubentities).count
      {
        telling += 1
      }
      let stored = outcome { try store.read { try $0.fetchIdentifiers(plan).map(\.row) } }
      #expect(
        stored == memory,
        "\(filter) sorted by \(sort): \((try? SelectBuilder(layout: store.layout).rows(plan).text) ?? "")"
      )
      guard plan.limit == nil, plan.offset == 0, let count = memory?.count else { continue }
      #expect(try store.read { try $0.count(plan) } == count)
    }
    Proof.tried("filters and sorts in SQL and in memory", used)
    #expect(used == 250)
    // A filter that selects everything or nothing tells little.
    #expect(telling > 20)
  }

  /// The rows, or nil for an error: a sum that is too large is one on both sides.
  private func outcome(_ body: () throws -> [Int64]) -> [Int64]? {
    do { return try body() } catch { return nil }
  }
}
