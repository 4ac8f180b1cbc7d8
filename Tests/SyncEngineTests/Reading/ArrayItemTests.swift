import SyncStack
import Testing

/// Items that are arrays, whose elements are values by their positions: candles, aircraft, rows of a
/// census.
@Suite struct ArrayItemTests {
  final class Candle: ManagedObject {
    @PrimaryKey(remoteKey: "0") var time: Int64
    @Attribute(remoteKey: "1") var open: Double?
    @Attribute(remoteKey: "2.name") var name: String?
    @ToOne var market: Market?
  }
  final class Market: ManagedObject {
    @PrimaryKey var id: String
    @Attribute var title: String?
    @ToMany(inverse: "market", deleteRule: .cascade) var candles: Set<Candle>
    @ToOne var last: Candle?
  }
  struct CandleSerializer: Serializer {
    typealias Object = Candle
    var identifiers: [String] { ["time"] }
    var mapping: Mapping {
      ["time": .int([0]), "open": .double([1]), "name": .string([2, "name"])]
    }
  }
  struct MarketSerializer: Serializer {
    typealias Object = Market
    var identifiers: [String] { ["id"] }
    var mapping: Mapping {
      [
        "id": .string("id"), "candles": .toMany("candles") { CandleSerializer() },
        "last": .toOne("last") { CandleSerializer() },
      ]
    }
  }

  private let stack: DataStack

  init() throws {
    stack = try DataStack(model: ManagedObjectModel(Candle.self, Market.self), store: .inMemory)
  }

  private func sync(_ json: String, _ entity: String, byHand: Bool) throws -> SyncReport {
    guard byHand else { return try stack.sync(json, inEntityNamed: entity) }
    return entity == "Candle"
      ? try stack.sync(json, with: CandleSerializer())
      : try stack.sync(json, with: MarketSerializer())
  }

  @Test(arguments: [false, true]) func pathsHavePositions(byHand: Bool) throws {
    let json = #"[[1700000000,1.5,{"name":"a"}],[1700000060,1.7]]"#
    #expect(try sync(json, "Candle", byHand: byHand)["Candle"].inserted == 2)
    #expect(
      try SyncBench(stack).objects("Candle") == [
        "time=1700000000 open=1.5 name=a", "time=1700000060 open=1.7",
      ])
    #expect(try sync(json, "Candle", byHand: byHand).isUnchanged)
    let report = try sync(#"[[1700000060,2],[],["x",1]]"#, "Candle", byHand: byHand)
    #expect(report["Candle"].skipped == 2)
    #expect(try SyncBench(stack).objects("Candle").contains("time=1700000060 open=2.0"))
  }

  @Test(arguments: [false, true]) func pathsOfNestedItemsHavePositions(byHand: Bool) throws {
    let json = #"[{"id":"m","candles":[[1,1.5],[2,1.7]],"last":[2,1.7]}]"#
    #expect(try sync(json, "Market", byHand: byHand).findings.isEmpty)
    #expect(
      try SyncBench(stack).objects("Candle").map { $0.replacing("open=", with: "") } == [
        "time=1 1.5 market=m", "time=2 1.7 market=m",
      ])
    let market = try SyncBench(stack).objects("Market").joined()
    #expect(market.contains("candles=[1,2]") && market.contains("last=2"), "\(market)")
    #expect(try sync(json, "Market", byHand: byHand).isUnchanged)
  }

  @Test func arraysWithoutPositionsAreStillNoItems() throws {
    let report = try stack.sync(
      #"[{"id":"a"},["b"]]"#, inEntityNamed: "Market", operations: [.insert])
    let finding = try #require(report.findings(of: .skippedItem).first)
    #expect(finding.message.contains(".int([0])"))
  }
}
