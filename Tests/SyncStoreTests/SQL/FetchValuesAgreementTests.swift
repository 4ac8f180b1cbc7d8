import SyncStore
import TestSupport
import Testing

/// Answers of values are the same from the store and from memory.
@Suite struct FetchValuesAgreementTests {
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func randomAnswersHaveTheSameRows(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed &+ 1000)
    let graph = try RandomGraph.make(&random)
    let store = try GraphLoader.load(graph)
    var filters = RandomFilter(graph: graph, seed: seed)
    for _ in 0..<100 {
      let entity = random.pick(graph.model.entities)
      let plan = plan(for: entity, &random, &filters)
      let fetch = try plan.resolved()
      let sql = try SelectBuilder(layout: store.layout).values(plan).sql.text
      let memory = try? fetch.values(over: graph.all(entity))
      let stored = try? store.read { try $0.fetchValues(plan) }
      #expect(
        stored == memory,
        "\(plan.output) by \(plan.groupBy) having \(plan.having?.description ?? "-"): \(sql)"
      )
    }
  }

  private func plan(
    for entity: EntityDescription, _ random: inout SeededGenerator, _ filters: inout RandomFilter
  ) -> FetchPlan {
    let paths = keyPaths(of: entity)
    var plan = FetchPlan(entity: entity)
    if random.chance(40) {
      let (format, arguments) = filters.make(entity)
      plan.filter = Filter(format: format, arguments: arguments)
    }
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      plan.output = .values([
        FetchColumn(random.pick(paths).path), FetchColumn(random.pick(paths).path),
      ])
      plan.sort = filters.sortKeys(entity)
    case 1:
      let columns = [FetchColumn(random.pick(paths).path), FetchColumn(random.pick(paths).path)]
      plan.output = .values(columns)
      plan.isDistinct = true
      plan.sort =
        random.chance(50) ? [SortKey((random.chance(50) ? "-" : "") + columns[0].name)] : []
    default:
      var columns = (0..<2).map { _ in functionColumn(paths, &random) }
      columns.append(FetchColumn("", as: "n", function: .count))
      if random.chance(80) {
        let key = random.pick(paths).path
        plan.groupBy = [key]
        columns.append(FetchColumn(key))
      }
      plan.output = .values(columns)
      if random.chance(50) {
        plan.having = Filter("n >= %@", Int.random(in: 0...3, using: &random))
      }
      plan.sort = random.chance(50) ? ["-n"] : []
    }
    if random.chance(30) { plan.limit = Int.random(in: 0...4, using: &random) }
    if random.chance(20) { plan.offset = Int.random(in: 0...2, using: &random) }
    plan.isReversed = random.chance(20)
    return plan
  }

  private func functionColumn(
    _ paths: [(path: String, type: AttributeType)], _ random: inout SeededGenerator
  ) -> FetchColumn {
    while true {
      let (path, type) = random.pick(paths)
      let function = random.pick(AggregateFunction.allCases)
      let isNumber = [.decimal, .boolean, .double].contains(type) || type.isInteger
      if function == .sum || function == .average, !isNumber { continue }
      return FetchColumn(
        path, as: "\(function)\(Int.random(in: 0..<1000, using: &random))", function: function)
    }
  }

  /// Attributes of the entity and of the destinations of its to-one relationships.
  private func keyPaths(of entity: EntityDescription) -> [(path: String, type: AttributeType)] {
    func own(_ entity: EntityDescription, _ prefix: String) -> [(String, AttributeType)] {
      entity.attributes.filter { !$0.isTransient && $0.type != .transformable }
        .map { (prefix + $0.name, $0.type) }
    }
    return own(entity, "")
      + entity.relationships.filter { !$0.isToMany }
      .flatMap { own(entity.destination(of: $0), $0.name + ".") }
  }
}
