import SyncStack
import Testing

/// References by another attribute than the key, beside conventions.
@Suite struct OtherIdentityTests {
  final class Product: ManagedObject {
    @PrimaryKey var id: Int64
    @Attribute var code: String?
    @ToMany(inverse: "product") var offers: Set<Offer>
    @ToOne(inverse: "products") var maker: Maker?
  }
  final class Offer: ManagedObject {
    @PrimaryKey var id: Int64
    @ToOne var product: Product?
    @ToOne(inverse: "offers") var seller: Maker?
  }
  final class Maker: ManagedObject {
    @PrimaryKey var id: Int64
    @ToMany var products: Set<Product>
    @ToMany var offers: Set<Offer>
  }
  struct ByCode: Serializer {
    typealias Object = Product
    var identifiers: [String] { ["code"] }
    var insertMissing: Bool { false }
    var mapping: Mapping { ["code": .string([])] }
  }

  private let stack: DataStack

  init() throws {
    stack = try DataStack(
      model: ManagedObjectModel(Product.self, Offer.self, Maker.self), store: .inMemory)
    try stack.sync(#"[{"id":1,"code":"A"},{"id":2,"code":"1"}]"#, inEntityNamed: "Product")
    try stack.mapping(for: Offer.self) { $0["product"] = .toOne("product_code") { ByCode() } }
  }

  @Test func aRuleLeadsToTheObjectOfThatValue() throws {
    let json =
      #"[{"id":7,"product_code":"A","seller_id":3},{"id":8,"product_code":"1"},{"id":9,"product_code":"2"}]"#
    for round in 0..<2 {
      let report = try stack.sync(json, inEntityNamed: "Offer")
      // 2 is the key of a product, and the code of none.
      #expect(report.findings(of: .unresolvedReference).count == 2, "\(report.findings)")
      #expect(
        try SyncBench(stack).objects("Offer") == ["id=7 product=1", "id=8 product=2", "id=9"])
      #expect(round == 0 || report.isUnchanged)
    }
    #expect(try SyncBench(stack).objects("Product").count == 2)
  }

  @Test func aKeyThatIsWaitedForIsNotThatOfAnotherAttribute() throws {
    try Sync(#"[{"id":9,"product_code":"5"}]"#, inEntityNamed: "Offer", dataStack: stack).run {
      $0.deferReferences = true
    }
    try Sync(#"[{"id":5,"code":"x"}]"#, inEntityNamed: "Product", dataStack: stack).run {
      $0.deferReferences = true
      $0.operations = [.insert]
    }
    #expect(try SyncBench(stack).objects("Offer") == ["id=9"])
  }

  @Test(arguments: [true, false])
  func whereConventionsReadTheObjectsTooItIsAnError(isFirst: Bool) throws {
    let offers = #""offers":[{"id":7,"product_code":"A"}]"#
    let products = #""products":[{"id":1}]"#
    let json =
      "[{\"id\":3,\(isFirst ? offers : products)},{\"id\":4,\(isFirst ? products : offers)}]"
    expectError("MappingError conflictingIdentifiers") {
      try stack.sync(json, inEntityNamed: "Maker")
    }
  }
}
