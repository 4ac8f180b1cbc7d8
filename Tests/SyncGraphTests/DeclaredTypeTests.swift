import Foundation
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// Values that the attribute can hold and the class cannot read.
@Suite struct DeclaredTypeTests {
  enum Kind: String, ValueConvertible { case plain, rich }

  struct Address: CodableValue, Hashable {
    var street: String
  }

  struct Colour: Hashable {
    var name: String
  }

  class Item: ManagedObject {
    @PrimaryKey var id: Int64 = 0
    @Attribute var kind: Kind = .plain
    @Attribute var maybe: Kind?
    @Attribute var address: Address?
    @Attribute var narrow: Int16?
    @Transformable("Colour") var fill: Colour?
    @Attribute var name: String?
  }

  final class SpecialItem: Item {
    @Attribute var extra: Kind?
  }

  let registry = TransformerRegistry()
  let stack: DataStack
  let context: ManagedObjectContext

  init() throws {
    registry.register(Colour.self, named: "Colour") {
      .string($0.name)
    } load: { value in
      guard case .string(let name) = value, name != "none" else {
        throw TransformerError("“\(value)” is no colour.")
      }
      return Colour(name: name)
    }
    stack = try DataStack(
      model: ManagedObjectModel(Item.self, SpecialItem.self), store: .inMemory,
      transformers: registry)
    context = stack.newBackgroundContext()
  }

  /// Writes rows as another program would: their values are not checked.
  private func write(_ entity: String, _ values: [[String: Value]]) throws {
    _ = try stack.store.write { try $0.insert(entity, values) }
  }

  @Test(
    arguments: [
      ["kind": "purple"], ["maybe": "purple"], ["narrow": 70_000], ["address": ["street"]],
      ["fill": "none"],
    ] as [[String: (any ValueConvertible & Sendable)?]])
  func batchesRefuseThem(values: [String: (any ValueConvertible & Sendable)?]) throws {
    try context.performAndWait {
      for type in [Item.self, SpecialItem.self] {
        let error = #expect(throws: GraphError.self) {
          try context.batchInsert(type, [["id": 1], values])
        }
        #expect(error?.code == .validation && error?.key == values.keys.first)
      }
      #expect(try context.count(Fetch<Item>()) == 0)
      _ = context.insert(SpecialItem.self)
      try context.save()
      #expect(throws: GraphError.self) { try context.batchUpdate(Fetch<Item>(), values) }
      #expect(try context.batchUpdate(Fetch<Item>(), ["kind": Kind.rich, "maybe": "plain"]) == 1)
      #expect(try context.fetch(Fetch<Item>()).map(\.maybe) == [.plain])
    }
  }

  @Test func aBatchOverAnEntityKnowsTheTypesOfItsSubentities() throws {
    _ = context.performAndWait {
      #expect(throws: GraphError.self) {
        try context.batchInsert(SpecialItem.self, [["extra": "purple"]])
      }
    }
  }

  @Test(arguments: ["kind", "maybe", "narrow", "address"])
  func settingOneByKeyStopsWithAMessage(key: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [key] in
      let stack = try DataStack(model: ManagedObjectModel(Item.self), store: .inMemory)
      let context = stack.newBackgroundContext()
      context.performAndWait {
        let values: [String: Any] = [
          "kind": "purple", "maybe": "purple", "narrow": 70_000, "address": Data("{}".utf8),
        ]
        context.insert(Item.self)[key] = values[key]
      }
    }
    expectStop(result, says: "Item.\(key) cannot hold that", "Set a value of type")
  }

  @Test func settingATransformedOneByKeyThrows() throws {
    context.performAndWait {
      let item = context.insert(Item.self)
      #expect(throws: GraphError.self) { try item.setTransformedValue("red", forKey: "fill") }
      #expect(item.fill == nil)
    }
  }

  @Test func optionalPropertiesReadNilAndLeaveTheValue() throws {
    try write(
      "Item",
      [
        [
          "id": 1, "kind": "plain", "maybe": "purple", "address": .data(Data("[]".utf8)),
          "narrow": 70_000, "fill": "none",
        ]
      ])
    try context.performAndWait {
      let item = try #require(try context.fetch(Fetch<Item>()).first)
      #expect(item.maybe == nil && item.address == nil && item.narrow == nil && item.fill == nil)
      #expect(item.storedValue(forKey: "maybe") == "purple")
      #expect(item["maybe"] as? String == "purple")
      #expect(throws: GraphError.self) { try item.transformedValue(forKey: "fill") }
      let snapshot = item.snapshot()
      #expect(snapshot.$maybe == nil && snapshot["maybe"] == "purple")
      item.name = "new"
      try context.save()
      context.reset()
      #expect(try context.fetch(Fetch<Item>("maybe == 'purple'")).map(\.name) == ["new"])
    }
  }

  @Test func aRequiredOneStopsWithAMessageThatSaysWhatToDo() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try DataStack(model: ManagedObjectModel(Item.self), store: .inMemory)
      _ = try stack.store.write { try $0.insert("Item", [["id": 1, "kind": "purple"]]) }
      try stack.inBackground { context in
        _ = try context.fetch(Fetch<Item>()).map(\.kind)
      }
    }
    expectStop(result, says: "Item.kind of Item", "“purple”", "Kind?", "unreadableValues")
  }

  @Test func theyAreFound() throws {
    try write(
      "Item",
      [
        ["id": 1, "kind": "rich", "maybe": "rich"],
        ["id": 2, "kind": "purple", "fill": "none"],
      ])
    try write("SpecialItem", [["id": 3, "kind": "plain", "extra": "grey", "narrow": 70_000]])
    let found = try stack.unreadableValues()
    #expect(found.map(\.key) == ["kind", "fill", "narrow", "extra"])
    #expect(found.map(\.value) == ["purple", "none", 70_000, "grey"])
    #expect(found.map(\.objectID.entity.name) == ["Item", "Item", "SpecialItem", "SpecialItem"])
    #expect(found[0].message.contains("“purple” is no value of type Kind"))
    #expect(try stack.unreadableValues(inEntityNamed: "SpecialItem").count == 2)
    #expect(throws: ModelError.self) { try stack.unreadableValues(inEntityNamed: "Nobody") }
    try context.performAndWait {
      try context.batchUpdate(
        Fetch<Item>("id > 1"),
        ["kind": Kind.plain, "fill": nil as String?, "narrow": nil as Int16?])
      try context.batchUpdate(Fetch<SpecialItem>(), ["extra": nil as Kind?])
    }
    #expect(try stack.unreadableValues().isEmpty)
  }

  @Test func answersAreNotLeftOutInSilence() throws {
    try write("Item", [["id": 1, "kind": "purple", "maybe": "grey"]])
    try context.performAndWait { () throws in
      #expect(throws: GraphError.self) {
        try context.distinctValues(of: \.$kind, Fetch<Item>())
      }
      #expect(try context.distinctValues(of: \.$maybe, Fetch<Item>()) == [nil])
      let query = context.managerFor(Item.self)
      for body in [
        { _ = try query.min("kind", as: Kind.self) }, { _ = try query.max("id", as: String.self) },
        { _ = try query.sum("id", as: Date.self) },
      ] as [() throws -> Void] {
        #expect(throws: GraphError.self) { try body() }
      }
      #expect(try query.max("id", as: Int.self) == 1)
    }
  }

  // MARK: - No value

  /// Stands for an entity all of whose attributes are optional.
  final class Person: ManagedObject {
    @PrimaryKey var id: Int64
    @Attribute var name: String
    @Attribute var age: Int64 = 18
    @Attribute var kind: Kind
    @Attribute var note: String?
  }

  static func people() throws -> DataStack {
    let model = try ManagedObjectModel(["Person: id, name, age integer64, kind, note"])
    return try DataStack(model: model, store: .inMemory, classes: [Person.self])
  }

  @Test func whatTheClassNeedsIsNotSavedWithoutAValue() throws {
    let context = try Self.people().newBackgroundContext()
    try context.performAndWait {
      let person = context.insert(Person.self)
      let error = #expect(throws: GraphError.self) { try context.save() }
      #expect(error?.failures.map(\.key).sorted() == ["kind", "name"])
      #expect(error?.failures.allSatisfy { $0.rule == .required } == true)
      person.name = "Ann"
      person.kind = .rich
      try context.save()
      #expect(person.age == 18 && person.note == nil)
    }
  }

  @Test func batchesGiveTheClassWhatItNeeds() throws {
    let context = try Self.people().newBackgroundContext()
    try context.performAndWait {
      for values in [[:], ["name": "Ann"], ["name": nil as String?, "kind": "rich"]]
        as [[String: (any ValueConvertible)?]]
      {
        #expect {
          try context.batchInsert(Person.self, [values])
        } throws: { ($0 as? GraphError)?.code == .validation }
      }
      try context.batchInsert(Person.self, [["name": "Ann", "kind": "rich"]])
      for key in ["name", "kind"] {
        #expect(throws: GraphError.self) {
          try context.batchUpdate(Fetch<Person>(), [key: nil as String?])
        }
      }
      try context.batchUpdate(Fetch<Person>(), ["age": nil as Int64?, "note": nil as String?])
      #expect(try context.fetch(Fetch<Person>()).map(\.age) == [18])
    }
  }

  @Test func objectsWithoutWhatTheClassNeedsAreFound() throws {
    let stack = try Self.people()
    _ = try stack.store.write {
      try $0.insert(
        "Person", [["id": 1, "kind": "rich"], ["id": 2, "name": "Bob", "kind": "plain"]])
    }
    let found = try stack.unreadableValues()
    #expect(found.map(\.key) == ["name"] && found.map(\.value) == [.null])
    #expect(found[0].message.contains("there is no value"))
    let context = stack.newBackgroundContext()
    try context.performAndWait { () throws in
      #expect(try context.fetch(Fetch<Person>()).map(\.age) == [18, 18])
    }
  }

  @Test func readingWhatTheClassNeedsStopsWithAMessageThatSaysWhatToDo() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Self.people()
      _ = try stack.store.write { try $0.insert("Person", [["id": 1]]) }
      let context = stack.newBackgroundContext()
      try context.performAndWait { _ = try context.fetch(Fetch<Person>()).map(\.name) }
    }
    expectStop(result, says: "Person.name of Person", "String?", "unreadableValues")
  }

  @Test func settingNothingByKeyWhereTheClassNeedsAValueStopsWithAMessage() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try Self.people().newBackgroundContext()
      context.performAndWait { context.insert(Person.self)["name"] = nil }
    }
    expectStop(result, says: "Person.name cannot hold that: there is no value")
  }

  @Test func valuesThatAreNoneOfTheAttributesTypeAreFoundWithoutAClass() throws {
    let model = try ManagedObjectModel(["Thing: key uuid, price decimal"])
    let stack = try DataStack(model: model, store: .inMemory)
    _ = try stack.store.write { try $0.insert("Thing", [["key": "abc", "price": "dear"]]) }
    #expect(try stack.unreadableValues().map(\.value) == ["abc", "dear"])
  }

  @Test func aDefaultThatARequiredPropertyCannotReadIsAnError() throws {
    func model(_ text: String) throws -> ManagedObjectModel {
      try ManagedObjectModel([
        EntityDraft(
          "Defaulted",
          [
            .attribute("kind", .string, isOptional: false, defaultValue: .string(text)),
            .attribute("maybe", .string, defaultValue: .string(text)),
          ])
      ])
    }
    let error = #expect(throws: GraphError.self) {
      try DataStack(model: model("purple"), store: .inMemory, classes: [Defaulted.self])
    }
    #expect(error?.code == .classMismatch && error?.key == "kind")
    _ = try DataStack(model: model("rich"), store: .inMemory, classes: [Defaulted.self])
  }

  final class Defaulted: ManagedObject {
    @Attribute var kind: Kind
    @Attribute var maybe: Kind?
  }

  @Test func textShowsIdentifiersAndAddresses() throws {
    let model = try ManagedObjectModel(["Spelled: key uuid, page uri"])
    let stack = try DataStack(model: model, store: .inMemory, classes: [Spelled.self])
    let context = stack.newBackgroundContext()
    let key = UUID()
    try context.performAndWait {
      let object = context.insert(Spelled.self)
      object.key = key.uuidString
      object.page = "https://example.org/a"
      try context.save()
      context.reset()
      let copy = try #require(try context.fetch(Fetch<Spelled>()).first)
      #expect(copy.key == key.uuidString && copy.page == "https://example.org/a")
    }
  }

  final class Spelled: ManagedObject {
    @Attribute var key: String?
    @Attribute var page: String?
  }
}
