import Foundation
import SyncStack
import TestSupport
import Testing

/// A value of JSON that the class of the program cannot read does not get into the store.
@Suite struct DeclaredTypeSyncTests {
  enum Kind: String, ValueConvertible { case plain, rich }
  enum Level: Int16, ValueConvertible { case low, high }

  struct Address: CodableValue, Hashable {
    var street: String
  }

  struct Colour: Hashable {
    var name: String
  }

  /// Takes any text from JSON and shows some of them only.
  struct Painter: AttributeTransformer {
    func object(from value: Value) throws -> Any {
      guard case .string(let name) = value, name != "none" else {
        throw TransformerError("no colour")
      }
      return name == "number" ? 7 as Any : Colour(name: name)
    }
  }

  class Item: ManagedObject {
    @PrimaryKey var id: Int64 = 0
    @Attribute var kind: Kind = .plain
    @Attribute var maybe: Kind?
    @Attribute var level: Level?
    @Attribute var narrow: Int16 = 0
    @Attribute var address: Address?
    @Attribute var tags: [String]?
    @Transformable("Colour") var fill: Colour?
    @Attribute var name: String?
    @ToMany(inverse: "item", deleteRule: .cascade) var parts: Set<Part>
  }

  final class SpecialItem: Item {
    @Attribute var extra: Level?
  }

  final class Part: ManagedObject {
    @PrimaryKey var kind: Kind = .plain
    @ToOne var item: Item?
  }

  let stack: DataStack

  init() throws {
    let registry = TransformerRegistry()
    registry.register(Painter(), named: "Colour")
    stack = try DataStack(
      model: ManagedObjectModel(Item.self, SpecialItem.self, Part.self), store: .inMemory,
      transformers: registry)
  }

  private static let good: JSONValue = [
    "id": 1, "kind": "rich", "maybe": "rich", "level": 1, "narrow": 300,
    "address": ["street": "Lane"], "tags": ["a"], "fill": "red", "name": "one",
  ]

  /// All values of the one object, read through its properties.
  private func read() throws -> String {
    return try stack.inBackground { context in
      let item = try #require(try context.fetch(Fetch<Item>()).first)
      return "\(item.kind) \(item.maybe as Any) \(item.level as Any) \(item.narrow) "
        + "\(item.address as Any) \(item.tags as Any) \(item.fill as Any) \(item.name ?? "")"
    }
  }

  @Test(
    arguments: [
      ("kind", "purple", "“purple” is no value of type Kind"),
      ("maybe", "purple", "“purple” is no value of type Kind"),
      ("level", 9, "“9” is no value of type Level"),
      ("narrow", 70_000, "“70000” is no value of type Int16"),
      ("address", ["way": "x"], "is no value of type Address"),
      ("address", "text", "“\"text\"” is no value of type Address"),
      ("tags", [1, 2], "“[1,2]” is no value of type Array<String>"),
      ("fill", "none", "the transformer “Colour” refuses “none”: no colour"),
      ("fill", "number", "“number” is no value of type Colour"),
    ] as [(String, JSONValue, String)])
  func theOldValueStaysAndTheNewOneIsReported(
    key: String, value: JSONValue, reason: String
  ) async throws {
    try await stack.sync([Self.good] as JSONValue, inEntityNamed: "Item")
    let before = try read()
    var item = try #require(Self.good.objectValue)
    item[key] = value
    item["name"] = "two"
    for operations in [SyncOperations.all, .all] {
      let report = try await stack.sync(
        [.object(item)] as JSONValue, inEntityNamed: "Item", operations: operations)
      let finding = try #require(report.findings.first)
      #expect(report.findings.count == 1 && finding.kind == .refusedConversion)
      #expect(finding.entity == "Item" && finding.property == key && finding.path == "$[0].\(key)")
      #expect(finding.message.contains(reason), "\(finding.message)")
    }
    #expect(try read() == before.replacing("one", with: "two"))
  }

  @Test func aNewObjectHasTheDefault() async throws {
    let report = try await stack.sync(
      [["id": 1, "kind": "purple", "maybe": "purple", "level": 9]] as JSONValue,
      inEntityNamed: "Item")
    #expect(report.findings.map(\.property) == ["kind", "maybe", "level"])
    #expect(try read().hasPrefix("plain nil nil 0"))
  }

  @Test func childrenAndSubentitiesAreChecked() async throws {
    let report = try await stack.sync(
      [["id": 1, "extra": 9, "parts": [["kind": "rich"], ["kind": "purple"]]]] as JSONValue,
      inEntityNamed: "SpecialItem")
    #expect(
      Set(report.findings.map { "\($0.entity).\($0.property ?? "")" })
        .isSuperset(of: ["SpecialItem.extra", "Part.kind"]))
    let context = stack.newBackgroundContext()
    let kinds = try context.performAndWait { try context.fetch(Fetch<Part>()).map(\.kind) }
    #expect(kinds == [.rich])
  }

  @Test func fillingAndSingleObjectsAreChecked() async throws {
    try await stack.sync([Self.good] as JSONValue, inEntityNamed: "Item")
    try stack.inBackground { context in
      let item = try #require(try context.fetch(Fetch<Item>()).first)
      #expect(try item.fill(with: ["kind": "purple", "name": "new"]).map(\.property) == ["kind"])
      #expect(item.kind == .rich && item.name == "new")
      try context.save()
      _ = try context.update(1, with: ["kind": "purple", "level": 0], inEntityNamed: "Item")
      #expect(item.kind == .rich && item.level == .low)
    }
  }

  @Test func aClassThatIsMentionedLaterCountsFromThenOn() async throws {
    let model = try ManagedObjectModel(["Late: id, kind"])
    let stack = try DataStack(model: model, store: .inMemory)
    let item: JSONValue = ["id": 1, "kind": "purple"]
    #expect(try await stack.sync([item] as JSONValue, inEntityNamed: "Late").findings.isEmpty)
    let context = stack.newBackgroundContext()
    let kind = try context.performAndWait { try context.fetch(Fetch<Late>()).first?.kind }
    #expect(kind == .some(.none))
    #expect(try await stack.sync([item] as JSONValue, inEntityNamed: "Late").findings.count == 1)
  }

  final class Late: ManagedObject {
    @Attribute var id: Int64?
    @Attribute var kind: Kind?
  }

  @Test func transformersWithoutClassesAreAsked() async throws {
    let model = try ManagedObjectModel([
      EntityDraft(
        "Shape",
        [
          "id",
          .attribute(AttributeDescription("fill", .transformable, valueTransformerName: "Colour")),
        ])
    ])
    let stack = try DataStack(model: model, store: .inMemory, transformers: self.stack.transformers)
    let report = try await stack.sync(
      [["id": 1, "fill": "none"], ["id": 2, "fill": "red"]] as JSONValue, inEntityNamed: "Shape")
    #expect(report.findings.map(\.path) == ["$[0].fill"])
    try stack.inBackground { context in
      let shapes = try context.fetch(Fetch<ManagedObject>(entityNamed: "Shape"))
      #expect(shapes.map { $0["fill"] as? Colour } == [nil, Colour(name: "red")])
    }
  }

  // MARK: - No value

  /// Stands for an entity all of whose attributes are optional.
  final class Member: ManagedObject {
    @PrimaryKey var id: Int64
    @Attribute var name: String
    @Attribute var age: Int64 = 18
  }

  @Test(arguments: [["id": 1], ["id": 1, "name": nil, "age": nil]] as [JSONValue])
  func whatTheClassNeedsIsRequired(item: JSONValue) async throws {
    let model = try ManagedObjectModel(["Member: id, name, age integer64"])
    let stack = try DataStack(model: model, store: .inMemory, classes: [Member.self])
    let name = "Member"
    let report = try await stack.sync([item] as JSONValue, inEntityNamed: name)
    #expect(report.findings.map(\.kind) == [.skippedItem])
    #expect(report.findings[0].message.contains("“name” of Member 1 is required"))
    let whole: JSONValue = [["id": 1, "name": "Ann", "age": nil]]
    try await stack.sync(whole, inEntityNamed: name)
    let again = try await stack.sync([["id": 1, "name": nil]] as JSONValue, inEntityNamed: name)
    #expect(again.findings.map(\.kind) == [.skippedItem])
    let context = stack.newBackgroundContext()
    try context.performAndWait { () throws in
      #expect(try context.fetch(Fetch<Member>()).map { "\($0.name) \($0.age)" } == ["Ann 18"])
    }
  }
}
