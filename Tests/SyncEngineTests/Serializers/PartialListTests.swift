import SyncStack
import TestSupport
import Testing

/// Lists that are only a part, objects without identifiers, and keys that make stubs.
@Suite struct PartialListTests {
  private let stack: DataStack

  init() throws { stack = try Self.makeStack() }

  final class Invoice: ManagedObject {
    @PrimaryKey var id: String
    @ToMany(inverse: "invoice", deleteRule: .cascade) var lines: Set<Line>
    @OrderedToMany var tags: [Tag]
    @ToMany(inverse: "invoice", deleteRule: .cascade) var fields: Set<Field>
    @ToOne(createsStubs: true) var customer: Customer?
    @ToMany(createsStubs: true) var taxes: Set<Tax>
  }
  final class Line: ManagedObject {
    @PrimaryKey var id: String
    @ToOne var invoice: Invoice?
  }
  final class Tag: ManagedObject {
    @PrimaryKey var id: String
  }
  final class Field: ManagedObject {
    @Attribute var name: String?
    @Attribute var value: String?
    @ToOne var invoice: Invoice?
  }
  final class Customer: ManagedObject {
    @PrimaryKey var id: String
    @Attribute var name: String?
  }
  final class Tax: ManagedObject {
    @PrimaryKey var id: Int64
    @Attribute var rate: Double?
  }

  static func makeStack() throws -> DataStack {
    try DataStack(
      model: ManagedObjectModel(
        Invoice.self, Line.self, Tag.self, Field.self, Customer.self, Tax.self),
      store: .inMemory)
  }

  private func names(_ stack: DataStack, _ entity: String, _ key: String = "id") throws -> [String]
  {
    return try stack.inBackground { context in
      try context.fetch(Fetch<ManagedObject>(entityNamed: entity))
        .map { "\($0.value(forKey: key) ?? "-")" }.sorted()
    }
  }

  /// Stripe's form of a list that may go on elsewhere.
  private static func stripe(_ ids: String..., more: Bool) -> String {
    let lines = ids.map { #"{"id": "\#($0)"}"# }.joined(separator: ",")
    return """
      [{"id": "in_1", "lines": {"object": "list", "data": [\(lines)], "has_more": \(more)},
        "tags": {"data": [\(lines)], "has_more": \(more)}}]
      """
  }

  @Test(arguments: [true, false])
  func aListWithHasMoreKeepsMembersThatItDoesNotMention(_ byConvention: Bool) throws {
    func sync(_ json: String) throws -> SyncReport {
      let isPartial: @Sendable (JSONValue) -> Bool = { $0["lines"]?["has_more"] == true }
      guard !byConvention else { return try stack.sync(json, inEntityNamed: "Invoice") }
      let line = EntitySerializer(Line.self).by("id", ["id": .string("id")])
      let tag = EntitySerializer(Tag.self).by("id", ["id": .string("id")])
      let serializer = EntitySerializer(Invoice.self).by(
        "id",
        [
          "id": .string("id"),
          "lines": .toMany(["lines", "data"]) { line }.isPartial(isPartial),
          "tags": .toMany(["tags", "data"]) { tag }.isPartial(isPartial),
        ])
      return try stack.sync(json, with: serializer)
    }
    if byConvention {
      try stack.mapping(for: Invoice.self) { mapping in
        mapping["lines"] = .toMany(["lines", "data"]) { Conventional("Line") }
          .isPartial { $0["lines"]?["has_more"] == true }
        mapping["tags"] = .toMany(["tags", "data"]) { Conventional("Tag") }
          .isPartial { $0["lines"]?["has_more"] == true }
      }
    }
    _ = try sync(Self.stripe("a", "b", "c", more: false))
    #expect(try sync(Self.stripe("c", more: true)).isUnchanged == false)
    #expect(try names(stack, "Line") == ["a", "b", "c"])
    try stack.inBackground { context in
      let tags = try context.fetch(Fetch<Invoice>()).first?.tags.map(\.id)
      #expect(tags == ["c", "a", "b"])
    }
    _ = try sync(Self.stripe("d", more: true))
    #expect(try names(stack, "Line") == ["a", "b", "c", "d"])
    _ = try sync(Self.stripe("d", more: false))
    #expect(try names(stack, "Line") == ["d"])
  }

  @Test func aListThatIsAlwaysPartialKeepsFingerprintsAndNullEmptiesIt() throws {
    try stack.mapping(for: Invoice.self) { mapping in
      mapping["lines"] = .toMany("lines") { Conventional("Line") }.isPartial()
    }
    let json = #"[{"id": "i", "lines": [{"id": "a"}]}]"#
    try stack.sync(json, inEntityNamed: "Invoice")
    try stack.sync(#"[{"id": "i", "lines": [{"id": "b"}]}]"#, inEntityNamed: "Invoice")
    #expect(try names(stack, "Line") == ["a", "b"])
    #expect(try stack.sync(json, inEntityNamed: "Invoice").isUnchanged)
    #expect(try stack.sync(json, inEntityNamed: "Invoice").isUnchanged)
    try stack.sync(#"[{"id": "i", "lines": []}]"#, inEntityNamed: "Invoice")
    #expect(try names(stack, "Line") == ["a", "b"])
    try stack.sync(#"[{"id": "i", "lines": null}]"#, inEntityNamed: "Invoice")
    let context = stack.newBackgroundContext()
    let isEmpty = try context.performAndWait {
      try context.fetch(Fetch<Invoice>()).first?.lines.isEmpty
    }
    #expect(isEmpty == true)
  }

  @Test func isPartialIsForListsAlone() throws {
    #expect(throws: MappingError.self) {
      try stack.mapping(for: Customer.self) { $0["name"] = .string("name").isPartial() }
    }
    #expect(throws: MappingError.self) {
      try stack.mapping(for: Invoice.self) {
        $0["customer"] = .toOne("customer") { Conventional("Customer") }.isPartial()
      }
    }
  }

  struct FieldSerializer: Serializer {
    typealias Object = Field
    var forceInsert = false
    var deleteMissing = true
    var mapping: Mapping { ["name": .string("n"), "value": .string("v")] }
  }

  private static func invoices(_ field: FieldSerializer) -> EntitySerializer<Invoice> {
    return EntitySerializer(Invoice.self).by(
      "id", ["id": .string("id"), "fields": .toMany("f") { field }])
  }

  @Test func objectsOfASerializerWithoutIdentifiersAreTheOwnersUnderCascade() throws {
    let serializer = Self.invoices(FieldSerializer())
    let json = #"[{"id": "i", "f": [{"n": "a", "v": "1"}, {"n": "b"}]}]"#
    try stack.sync(json, with: serializer)
    #expect(try stack.sync(json, with: serializer).isUnchanged)
    let report = try stack.sync(
      #"[{"id": "i", "f": [{"n": "b"}, {"n": "a", "v": "2"}]}]"#, with: serializer)
    #expect(report.entities["Field"]?.updated == 1)
    #expect(try names(stack, "Field", "value") == ["-", "2"])
    try stack.sync(#"[{"id": "i", "f": null}]"#, with: serializer)
    #expect(try names(stack, "Field") == [])
  }

  @Test func forceInsertLeavesNoOrphansUnderCascade() throws {
    let serializer = Self.invoices(FieldSerializer(forceInsert: true))
    for _ in 0..<3 {
      try stack.sync(#"[{"id": "i", "f": [{"n": "a"}, {"n": "b"}]}]"#, with: serializer)
      #expect(try names(stack, "Field", "name") == ["a", "b"])
    }
  }

  @Test func withDeleteMissingOffTheListAdds() throws {
    let serializer = Self.invoices(FieldSerializer(deleteMissing: false))
    try stack.sync(#"[{"id": "i", "f": [{"n": "a"}]}]"#, with: serializer)
    try stack.sync(#"[{"id": "i", "f": [{"n": "b"}, {"n": "a"}]}]"#, with: serializer)
    try stack.sync(#"[{"id": "i", "f": []}]"#, with: serializer)
    #expect(try names(stack, "Field", "name") == ["a", "b"])
  }

  @Test func withoutCascadeIdentifiersAreRequired() throws {
    var tag = EntitySerializer(Tag.self)
    tag.mapping = ["id": .string("id")]
    let serializer = EntitySerializer(Invoice.self).by(
      "id", ["id": .string("id"), "tags": .toMany("tags") { [tag] in tag }])
    let error = #expect(throws: MappingError.self) {
      try stack.sync(#"[{"id": "i", "tags": [{"id": "x"}]}]"#, with: serializer)
    }
    #expect(error?.code == .identifiersRequired && error?.entity == "Tag")
  }

  // MARK: - Stubs

  @Test(arguments: [true, false])
  func keysOfMissingObjectsMakeStubsWhichLaterPayloadsFill(_ byConvention: Bool) throws {
    let serializer = EntitySerializer(Invoice.self).by(
      "id",
      [
        "id": .string("id"), "customer": .toOne("customer_id", creating: Customer.self),
        "taxes": .toMany("tax_ids", creating: "Tax"),
      ])
    func sync(_ json: String) throws -> SyncReport {
      byConvention
        ? try stack.sync(json, inEntityNamed: "Invoice") : try stack.sync(json, with: serializer)
    }
    let json = #"""
      [{"id": "i", "customer_id": "c1", "tax_ids": [1, 2]}, {"id": "j", "customer_id": "c1", "tax_ids": ["2"]}]
      """#
    let report = try sync(json)
    #expect(report.entities["Customer"]?.inserted == 1)
    #expect(report.entities["Tax"]?.inserted == 2)
    #expect(report.findings.isEmpty)
    #expect(try sync(json).isUnchanged)
    #expect(try sync(json).isUnchanged)
    try stack.sync(#"[{"id": "c1", "name": "Ann"}]"#, inEntityNamed: "Customer")
    #expect(try names(stack, "Customer", "name") == ["Ann"])
    #expect(try sync(json).isUnchanged)
    _ = try sync(#"[{"id": "i", "customer_id": null, "tax_ids": [2, 3]}]"#)
    #expect(try names(stack, "Customer", "name") == ["Ann"])
    #expect(try names(stack, "Tax") == ["1", "2", "3"])
  }

  @Test func anObjectThatThePayloadNestsElsewhereIsNoStub() throws {
    let report = try stack.sync(
      #"[{"id": "i", "customer_id": "c"}, {"id": "j", "customer": {"id": "c", "name": "Ann"}}]"#,
      inEntityNamed: "Invoice")
    #expect(report.entities["Customer"]?.inserted == 1)
    #expect(try names(stack, "Customer", "name") == ["Ann"])
  }

  @Test func withoutLeaveToInsertThereAreNoneAndTheFindingSaysHowToHaveThem() throws {
    let report = try stack.sync(
      #"[{"id": "i", "customer_id": "c"}]"#, inEntityNamed: "Invoice",
      operations: [.insert, .update])
    #expect(report.findings(of: .unresolvedReference).first?.message.contains("stub") == true)
    #expect(try names(stack, "Customer") == [])
  }

  @Test func aStubThatCouldNotBeStoredIsARemarkAndTheReferenceStaysUnresolved() throws {
    let model = try ManagedObjectModel([
      "Order: id, customer -> Customer sync.stub=YES",
      "Customer: id, name required",
    ])
    let stack = try DataStack(model: model, store: .inMemory)
    let report = try stack.sync(#"[{"id": 1, "customer_id": 2}]"#, inEntityNamed: "Order")
    #expect(report.count(of: .unresolvedReference) == 1)
    #expect(report.findings(of: .mappingRemark).first?.message.contains("name") == true)
  }

  @Test func keyScopeOfAnOwnerIsTheAnnotationOfTheModel() throws {
    final class Board: ManagedObject {
      @PrimaryKey var id: Int64
      @ToMany(inverse: "board", keyScope: .owner) var rows: Set<Row>
    }
    final class Row: ManagedObject {
      @PrimaryKey var id: Int64
      @ToOne var board: Board?
    }
    let stack = try DataStack(model: ManagedObjectModel(Board.self, Row.self), store: .inMemory)
    try stack.sync(#"[{"id": 1, "rows": [{"id": 1}]}, {"id": 2}]"#, inEntityNamed: "Board")
    let report = try stack.sync(
      #"[{"id": 1}, {"id": 2, "rows": [{"id": 1}]}]"#, inEntityNamed: "Board")
    #expect(report.count(of: .movedObject) == 0)
    #expect(try names(stack, "Row") == ["1", "1"])
  }
}
