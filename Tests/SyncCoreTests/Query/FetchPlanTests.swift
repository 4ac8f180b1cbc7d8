import SyncCore
import TestSupport
import Testing

@Suite struct FetchPlanTests {
  private let graph: MemoryGraph
  private let person: EntityDescription

  init() throws {
    graph = MemoryGraph(model: try TestModels.queries())
    person = try graph.model.requireEntity(named: "Person")
    let acme = try graph.add("Company", ["name": "Acme"])
    for (name, age) in [("b", 2), ("B", 1), ("a", nil), ("é", 2), ("f", 7)] as [(String, Int64?)] {
      let object = try graph.add(
        "Person", ["name": .string(name), "age": age.map { .int($0) } ?? .null])
      if age == 2 { graph.connect(object, "company", acme) }
    }
  }

  private func names(_ plan: FetchPlan) throws -> String {
    let fetch = try plan.resolved()
    let matching = try graph.all(person).filter { try fetch.matches($0) }
    return try fetch.places(of: matching).map { matching[$0] }
      .map { $0.values[0].description }.joined()
  }

  @Test(
    arguments: [
      ([], "bBaéf"), (["name"], "Babfé"), (["-name"], "éfbaB"), (["age"], "aBbéf"),
      (["-age"], "fbéBa"),
      (["age", "-name"], "aBébf"), (["company.name"], "Bafbé"),
      (["-company.name", "name"], "béBaf"),
      ([SortKey("name", options: .caseInsensitive)], "abBfé"),
      ([SortKey("name", options: [.caseInsensitive, .diacriticInsensitive])], "abBéf"),
    ] as [([SortKey], String)])
  func absentValuesComeFirstAndAgeDecidesLast(sort: [SortKey], order: String) throws {
    var plan = FetchPlan(entity: person, sort: sort)
    #expect(try names(plan) == order)
    plan.isReversed = true
    #expect(try names(plan) == String(order.reversed()))
  }

  @Test func limitAndOffsetCutTheOrder() throws {
    #expect(try names(FetchPlan(entity: person, sort: ["-age"], limit: 2, offset: 1)) == "bé")
    #expect(try names(FetchPlan(entity: person, limit: 0)) == "")
    #expect(try names(FetchPlan(entity: person, offset: 9)) == "")
  }

  @Test func unsavedObjectsAreTheYoungest() {
    let rows: [Int64] = [-2, 3, -1, 1]
    let order = rows.sorted {
      SortPosition(values: [], row: $0).isOlder(than: SortPosition(values: [], row: $1))
    }
    #expect(order == [1, 3, -1, -2])
  }

  @Test(arguments: [
    "", "-", "--age", "a..b", "nme", "notes", "notes.text", "company", "shape", "name.x", "moment",
  ])
  func sortKeysThatMakeNoSenseAreErrors(key: String) throws {
    let plan = FetchPlan(entity: person, sort: [SortKey(key)])
    #expect(throws: FilterError.self) { try plan.resolved() }
  }

  @Test(arguments: [
    ("-age", "age", false), ("age", "age", true), ("company.name", "company.name", true),
  ])
  func aMinusReversesAKey(text: String, path: String, ascending: Bool) {
    let key = SortKey(text)
    #expect(key.keyPath == path && key.ascending == ascending)
    #expect(key.reversed.ascending == !ascending)
    #expect(SortKey(text, ascending: false).ascending == !ascending)
  }

  // MARK: - Values

  private func values(_ columns: [FetchColumn], _ change: (inout FetchPlan) -> Void = { _ in })
    throws
    -> [[Value]]
  {
    var plan = FetchPlan(entity: person)
    plan.output = .values(columns)
    change(&plan)
    return try plan.resolved().values(over: graph.all(person))
  }

  @Test func valuesAreListedInOrder() throws {
    #expect(
      try values([FetchColumn("name"), FetchColumn("company.name")]) { $0.sort = ["-age", "name"] }
        == [["f", nil], ["b", "Acme"], ["é", "Acme"], ["B", nil], ["a", nil]])
    #expect(try values([FetchColumn("age")]) { $0.isDistinct = true } == [[2], [1], [nil], [7]])
    #expect(
      try values([FetchColumn("age")]) { ($0.isDistinct, $0.sort) = (true, ["age"]) }
        == [[nil], [1], [2], [7]])
  }

  @Test func functionsGoOverAllObjectsOrGroups() throws {
    let all: [FetchColumn] = [
      FetchColumn("", as: "n", function: .count), FetchColumn("age", function: .count),
      FetchColumn("age", function: .sum), FetchColumn("age", function: .average),
      FetchColumn("name", function: .min), FetchColumn("age", function: .max),
    ]
    #expect(try values(all) == [[5, 4, 12, 3.0, "B", 7]])
    #expect(try values(all) { $0.filter = .false } == [[0, 0, nil, nil, nil, nil]])
    #expect(
      try values([FetchColumn("age"), FetchColumn("", as: "n", function: .count)]) {
        $0.groupBy = ["age"]
        $0.having = "n > 1 OR age == 7"
        $0.sort = ["-n"]
      } == [[2, 2], [7, 1]])
  }

  @Test func aSumThatDoesNotFitIsAnErrorInAnAnswer() throws {
    try graph.add("Person", ["age": .int(.max)])
    #expect {
      try values([FetchColumn("age", function: .sum)])
    } throws: { ($0 as? FilterError)?.code == .overflow }
  }

  @Test func groupsThatMakeNoSenseAreErrors() throws {
    let count = FetchColumn("", as: "n", function: .count)
    for change in [
      { (plan: inout FetchPlan) in plan.output = .values([FetchColumn("name"), count]) },
      { plan in plan.output = .values([FetchColumn("name", function: .sum)]) },
      { plan in plan.output = .values([FetchColumn("company", function: .max)]) },
      { plan in plan.output = .values([FetchColumn("notes.text")]) },
      { plan in (plan.output, plan.sort) = (.values([count]), ["age"]) },
      { plan in (plan.output, plan.having) = (.values([count]), "age > 1") },
      { plan in plan.having = "age > 1" },
    ] {
      var plan = FetchPlan(entity: person)
      change(&plan)
      #expect(throws: FilterError.self) { try plan.resolved() }
    }
  }
}
