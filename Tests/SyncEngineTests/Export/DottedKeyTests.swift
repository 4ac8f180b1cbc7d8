import SyncStack
import Testing

/// Keys that have a dot, which would part them: `@odata.etag`.
@Suite struct DottedKeyTests {
  final class Product: ManagedObject {
    override class var entityUserInfo: [String: String] {
      ["sync.tombstoneKey": "['odata.removed']"]
    }
    @PrimaryKey(remoteKey: "['product.id']") var id: Int64
    @Attribute(remoteKey: "['@odata.etag']") var etag: String?
    @Attribute(remoteKey: "meta['a.b'].c") var deep: String?
    @ToMany(inverse: "product", deleteRule: .cascade, remoteKey: "['parts.all']") var parts:
      Set<Part>
  }
  final class Part: ManagedObject {
    @PrimaryKey var id: Int64
    @ToOne(remoteKey: "['product.ref']") var product: Product?
  }

  private static let json: JSONValue = [
    [
      "product.id": 1, "@odata.etag": "W/\"1\"", "meta": ["a.b": ["c": "x"]],
      "parts.all": [["id": 7]],
    ]
  ]

  @Test(arguments: [false, true])
  func oneKeyInQuotationMarksIsOneKeyInExportsAndComesBack(byRule: Bool) throws {
    let stack = try DataStack(model: ManagedObjectModel(Product.self, Part.self), store: .inMemory)
    if byRule {
      try stack.mapping(for: Product.self) { $0["etag"] = .string(["@odata.etag"]) }
    }
    let report = try stack.sync(Self.json, inEntityNamed: "Product")
    #expect(report["Product"].unusedKeys.isEmpty && report.findings.isEmpty)
    let exported = try stack.export("Product")
    let product = try #require(exported.arrayValue?.first)
    #expect(product["@odata.etag"] == "W/\"1\"" && product["product.id"] == 1)
    #expect(product["meta"]?["a.b"]?["c"] == "x" && product["parts.all"]?.arrayValue?.count == 1)
    #expect(product["@odata"] == nil)
    #expect(try stack.sync(exported, inEntityNamed: "Product").isUnchanged)
    try stack.sync(
      [["product.id": 1, "odata.removed": true]] as JSONValue, inEntityNamed: "Product",
      operations: [.insert, .update])
    #expect(try SyncBench(stack).objects("Product").isEmpty)
  }

  @Test func aMappingShowsThemInQuotationMarks() throws {
    let model = try ManagedObjectModel(Product.self, Part.self)
    let text = MappingDescription(of: try model.requireEntity(named: "Product")).description
    #expect(text.contains("['@odata.etag']") && text.contains("meta['a.b'].c"), "\(text)")
  }
}
