import Foundation
import SyncStack
import TestSupport
import Testing

/// Types of the program's own between JSON, rows and objects: one registry for all of them.
@Suite struct TransformableSyncTests {
  struct Colour: Hashable {
    var name: String
  }

  struct Address: CodableValue, Hashable {
    var street: String
    var city: String?
  }

  enum Level: Int, ValueConvertible { case low, high }

  final class Shape: ManagedObject {
    @PrimaryKey var id: Int64 = 0
    @Transformable("Colour") var fill: Colour?
    @Attribute var address: Address?
    @Attribute var tags: [String]?
    @Attribute var level: Level?
  }

  let stack: DataStack

  init() throws {
    let registry = TransformerRegistry()
    registry.register(Colour.self, named: "Colour") {
      .string($0.name)
    } load: { value in
      guard case .string(let name) = value, name != "none" else {
        throw TransformerError("“\(value)” is no colour.")
      }
      return Colour(name: name)
    }
    stack = try DataStack(
      model: ManagedObjectModel(Shape.self), store: .inMemory, transformers: registry)
  }

  private let json: JSONValue = [
    [
      "id": 1, "fill": "red", "address": ["street": "Lane", "city": "Ghent"],
      "tags": ["b", "a"], "level": 1,
    ]
  ]

  @Test func jsonFillsWhatObjectsRead() async throws {
    try await stack.sync(json, inEntityNamed: "Shape")
    let context = stack.newBackgroundContext()
    try await context.perform {
      let shape = try #require(try context.fetch(Fetch<Shape>()).first)
      #expect(shape.fill == Colour(name: "red"))
      #expect(shape.address == Address(street: "Lane", city: "Ghent"))
      #expect(shape.tags == ["b", "a"] && shape.level == .high)
    }
  }

  @Test func whatObjectsWroteIsTheSameInJSON() async throws {
    let context = stack.newBackgroundContext()
    try await context.perform {
      let shape = context.insert(Shape.self)
      shape.id = 1
      shape.fill = Colour(name: "red")
      shape.address = Address(street: "Lane", city: "Ghent")
      shape.tags = ["b", "a"]
      shape.level = .high
      try context.save()
    }
    let report = try await stack.sync(json, inEntityNamed: "Shape")
    #expect(report.entities["Shape"]?.unchanged == 1)
    let exported = try await context.perform { try context.export("Shape") }
    let again = try await stack.sync(exported, inEntityNamed: "Shape")
    #expect(again.entities["Shape"]?.unchanged == 1)
    #expect(exported[0]?["fill"] == "red" && exported[0]?["tags"] == ["b", "a"])
    #expect(exported[0]?["address"] == ["city": "Ghent", "street": "Lane"])
  }

  @Test func whatTheTransformerRefusesIsReported() async throws {
    let report = try await stack.sync(
      [["id": 1, "fill": "none"]] as JSONValue, inEntityNamed: "Shape")
    #expect(report.findings.contains { $0.property == "fill" && $0.message.contains("no colour") })
  }

  @Test func theStacksRegistryIsTheOneThatCounts() async throws {
    stack.transformers.unregister("Colour")
    let report = try await stack.sync(json, inEntityNamed: "Shape")
    #expect(report.findings.contains { $0.kind == .unregisteredTransformer })
  }
}
