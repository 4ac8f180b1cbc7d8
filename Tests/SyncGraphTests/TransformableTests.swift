import Foundation
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// Attributes that registered transformers store.
@Suite struct TransformableTests {
  struct Colour: Hashable {
    var red: Int
    var green: Int
  }

  final class Shape: ManagedObject {
    @PrimaryKey var id: Int64 = 0
    @Transformable("Colour") var fill: Colour?
    @Attribute var note: String?
  }

  final class Required: ManagedObject {
    @Transformable("Colour") var fill: Colour
  }

  static func transformers() -> TransformerRegistry {
    let registry = TransformerRegistry()
    registry.register(Colour.self, named: "Colour") {
      .string("\($0.red)/\($0.green)")
    } load: { value in
      let parts = value.description.split(separator: "/").compactMap { Int($0) }
      guard parts.count == 2 else { throw TransformerError("“\(value)” is no colour.") }
      return Colour(red: parts[0], green: parts[1])
    }
    return registry
  }

  static func draft() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Shape",
        [
          .attribute("id", .integer64, isOptional: false, isPrimaryKey: true, defaultValue: 0),
          .attribute("fill", .transformable, valueTransformerName: "Colour"), "note",
        ])
    ])
  }

  let stack: DataStack
  let context: ManagedObjectContext

  init() throws {
    stack = try DataStack(
      model: ManagedObjectModel(Shape.self), store: .inMemory, transformers: Self.transformers())
    context = stack.newBackgroundContext()
  }

  @Test func wrappersDeclareWhatADocumentSays() throws {
    let attribute = try stack.model.requireEntity(named: "Shape").attribute(named: "fill")
    #expect(attribute?.type == .transformable && attribute?.valueTransformerName == "Colour")
    #expect(attribute?.isOptional == true)
    let required = try ManagedObjectModel(Required.self).entities[0].attribute(named: "fill")
    #expect(required?.isOptional == false)
  }

  @Test func valuesGoThroughTheTransformer() throws {
    let id = try context.performAndWait {
      let shape = context.insert(Shape.self)
      #expect(shape.fill == nil && shape["fill"] == nil)
      shape.fill = Colour(red: 1, green: 2)
      #expect(shape["fill"] as? Colour == Colour(red: 1, green: 2))
      #expect(shape.storedValue(forKey: "fill") == .string("1/2"))
      #expect(shape.changedValues()["fill"] as? Colour == shape.fill)
      try context.save()
      return shape.objectID
    }
    // In the store, the value with its kind as bytes.
    try stack.store.read { reader in
      let row = try #require(try reader.rows(id.entity, rows: [id.row]).first)
      #expect(row.values[1] == .string("1/2"))
    }
    let dump = try stack.store.read { try $0.dump() }
    #expect("\(dump)".contains(Value.string("1/2").archive.base64EncodedString()) || !dump.isEmpty)
    try stack.edit { other in
      let shape = try other.existingObject(with: id, as: Shape.self)
      #expect(shape.fill == Colour(red: 1, green: 2))
      shape["fill"] = Colour(red: 3, green: 4)
      #expect(shape.fill == Colour(red: 3, green: 4))
      #expect(
        shape.committedValues(forKeys: ["fill"])["fill"] as? Colour == Colour(red: 1, green: 2))
      shape.fill = Colour(red: 1, green: 2)
      #expect(!other.hasChanges)
      shape.fill = nil
      #expect(shape["fill"] == nil && shape.hasChanges)
    }
    #expect(
      try stack.store.read { try $0.rows(id.entity, rows: [id.row]).first?.values[1] } == .null)
  }

  @Test(
    arguments: [
      .bool(true), .int(-7), .double(0.1), .decimal(12.5), .string("é"), .data(Data([0, 255])),
      .date(Date(timeIntervalSinceReferenceDate: 0.1)), .uuid(UUID()), .url(URL(filePath: "/tmp")),
    ] as [Value]) func everyKindComesBackWithoutATransformer(value: Value) throws
  {
    let model = try ManagedObjectModel(["A: x transformable"])
    let stack = try DataStack(model: model, store: .inMemory)
    try stack.inBackground { context in
      let object = try context.make("A", ["x": value])
      #expect(object.storedValue(forKey: "x") == value)
      try context.save()
      context.reset()
      let copy = try #require(try context.fetch(Fetch<ManagedObject>(entityNamed: "A")).first)
      #expect(copy.storedValue(forKey: "x") == value)
    }
  }

  @Test func aMissingTransformerIsATypedError() throws {
    let stack = try DataStack(
      model: Self.draft(), store: .inMemory, transformers: TransformerRegistry())
    try stack.inBackground { context in
      let shape = try context.insert(entityNamed: "Shape")
      // Nothing is transformed where there is no value, and the other attributes do not care.
      #expect(shape["fill"] == nil)
      shape["note"] = "x"
      let error = #expect(throws: GraphError.self) {
        try shape.setTransformedValue(Colour(red: 1, green: 1), forKey: "fill")
      }
      #expect(error?.code == .transformer && error?.entity == "Shape" && error?.key == "fill")
      #expect(error?.message.contains("“Colour”") == true)
      stack.transformers.register(Colour.self, named: "Colour") { _ in
        "1/1"
      } load: { _ in
        throw TransformerError("never")
      }
      try shape.setTransformedValue(Colour(red: 1, green: 1), forKey: "fill")
      try context.save()
      let refusal = #expect(throws: GraphError.self) { try shape.transformedValue(forKey: "fill") }
      #expect(refusal?.message.contains("never") == true)
      stack.transformers.unregister("Colour")
      #expect(throws: GraphError.self) { try shape.transformedValue(forKey: "fill") }
    }
  }

  @Test func whatTheTransformerRefusesIsATypedError() throws {
    context.performAndWait {
      let shape = context.insert(Shape.self)
      shape.fill = Colour(red: 1, green: 2)
      let error = #expect(throws: GraphError.self) {
        try shape.setTransformedValue("red", forKey: "fill")
      }
      #expect(error?.code == .transformer && error?.message.contains("String") == true)
      #expect(shape.fill == Colour(red: 1, green: 2))
    }
  }

  @Test func wrappersStopWithAMessageWithoutTheTransformer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try DataStack(
        model: ManagedObjectModel(Shape.self), store: .inMemory, transformers: .init())
      let context = stack.newBackgroundContext()
      context.performAndWait { context.insert(Shape.self).fill = Colour(red: 1, green: 1) }
    }
    expectStop(result, says: "Shape.fill needs the transformer “Colour”")
  }

  @Test func filtersTellWhetherThereIsAValue() throws {
    try context.performAndWait {
      for number in 0..<3 {
        let shape = context.insert(Shape.self)
        shape.id = Int64(number)
        if number == 1 { shape.fill = Colour(red: 1, green: 1) }
      }
      #expect(try context.fetch(Fetch<Shape>("fill != nil")).map(\.id) == [1])
      try context.save()
      #expect(try context.fetch(Fetch<Shape>("fill != nil")).map(\.id) == [1])
      #expect(try context.fetch(Fetch<Shape>("fill == nil")).map(\.id) == [0, 2])
      #expect(throws: FilterError.self) { try context.fetch(Fetch<Shape>("fill == %@", "1/1")) }
    }
  }

  @Test func defaultsOfADocumentAreStoredValues() throws {
    let model = try ManagedObjectModel([
      EntityDraft(
        "Shape",
        [
          .attribute(
            "fill", .transformable, isOptional: false, defaultValue: "5/6",
            valueTransformerName: "Colour")
        ])
    ])
    let stack = try DataStack(model: model, store: .inMemory, transformers: Self.transformers())
    try stack.inBackground { context in
      #expect(
        try context.insert(entityNamed: "Shape")["fill"] as? Colour == Colour(red: 5, green: 6))
      try context.save()
      try context.batchInsert(entityNamed: "Shape", [[:]])
      let shapes = try context.fetch(Fetch<ManagedObject>(entityNamed: "Shape"))
      #expect(
        shapes.map { $0["fill"] as? Colour } == [
          Colour(red: 5, green: 6), Colour(red: 5, green: 6),
        ])
    }
  }
}
