import Foundation
import SyncGraph
import TestSupport
import Testing

/// Types of the program's own as attributes.
@Suite struct AttributeValueTests {
  enum Level: Int16, ValueConvertible { case low, middle, high }
  enum Kind: String, ValueConvertible, TextConvertible { case plain, rich }

  struct Address: CodableValue, Hashable {
    var street: String
    var city: String?
  }

  /// Kept as text: `12.50 EUR`.
  struct Money: ValueConvertible, Hashable {
    var cents: Int
    var currency: String

    static var attributeType: AttributeType { .string }
    var storedValue: Value { .string("\(cents) \(currency)") }

    static func converted(from value: Value) -> Money? {
      guard case .string(let text) = value else { return nil }
      let parts = text.split(separator: " ")
      guard parts.count == 2, let cents = Int(parts[0]) else { return nil }
      return Money(cents: cents, currency: String(parts[1]))
    }
  }

  final class Item: ManagedObject {
    @PrimaryKey var id: Int64 = 0
    @Attribute var level: Level = .middle
    @Attribute var otherLevel: Level?
    @Attribute var kind: Kind?
    @Attribute var address: Address?
    @Attribute var home: Address = Address(street: "Main", city: nil)
    @Attribute var labels: [String] = ["new"]
    @Attribute var rates: [String: Double]?
    @Attribute var price: Money?
    @Attribute var deposit: Money = Money(cents: 0, currency: "EUR")
    @Attribute var anything: JSONValue?
  }

  let stack: DataStack
  let context: ManagedObjectContext

  init() throws {
    stack = try DataStack(model: ManagedObjectModel(Item.self), store: .inMemory)
    context = stack.newBackgroundContext()
  }

  /// Saves an object and reads it with another context.
  private func saved(
    _ fill: @Sendable (Item) -> Void, check: @Sendable (Item) throws -> Void
  ) throws {
    try context.edit { fill(context.insert(Item.self)) }
    try stack.inBackground { other in
      try check(try #require(try other.fetch(Fetch<Item>()).first))
    }
  }

  @Test func defaultsAreThereFromTheStart() throws {
    try saved { item in
      #expect(item.level == .middle && item.otherLevel == nil && item.labels == ["new"])
      #expect(item.home == Address(street: "Main", city: nil) && item.address == nil)
    } check: { item in
      #expect(item.level == .middle && item.otherLevel == nil && item.labels == ["new"])
      #expect(item.home.street == "Main" && item.deposit == Money(cents: 0, currency: "EUR"))
    }
  }

  @Test func valuesGoInAndComeOut() throws {
    try saved { item in
      item.level = .high
      item.otherLevel = .low
      item.kind = .rich
      item.address = Address(street: "Lane", city: "Ghent")
      item.home.city = "Bruges"
      item.labels.append("x")
      item.rates = ["a": 0.1]
      item.price = Money(cents: 1250, currency: "EUR")
      item.anything = ["a": [1, true]]
    } check: { item in
      #expect(item.level == .high && item.otherLevel == .low && item.kind == .rich)
      #expect(item.address == Address(street: "Lane", city: "Ghent"))
      #expect(item.home == Address(street: "Main", city: "Bruges"))
      #expect(item.labels == ["new", "x"] && item.rates == ["a": 0.1])
      #expect(item.price == Money(cents: 1250, currency: "EUR"))
      #expect(item.anything == ["a": [1, true]])
    }
  }

  @Test func keysTakeAndGiveTheStoredForm() throws {
    context.performAndWait {
      let item = context.insert(Item.self)
      item["level"] = Level.high
      item["price"] = Money(cents: 1, currency: "USD")
      item["labels"] = ["a", "b"]
      item["address"] = Address(street: "S", city: nil)
      #expect(item["level"] as? Int64 == 2 && item.level == .high)
      #expect(item["price"] as? String == "1 USD" && item.price?.cents == 1)
      #expect(item.labels == ["a", "b"])
      #expect(item.value(forKey: "address", as: Address.self) == item.address)
      item["level"] = 0
      #expect(item.level == .low)
    }
  }

  @Test func equalValuesAreNoChange() throws {
    try context.performAndWait {
      let item = context.insert(Item.self)
      item.rates = ["b": 1, "a": 2, "c": 3]
      try context.save()
      item.rates = ["c": 3, "a": 2, "b": 1]
      item.home = Address(street: "Main", city: nil)
      #expect(!context.hasChanges)
    }
  }

  @Test func filtersCompareListsAsAWhole() throws {
    try context.performAndWait {
      for labels in [["x", "y"], ["y", "x"], [], ["1"]] {
        Item(context: context).labels = labels
      }
      func labels(_ format: String, _ argument: Any?) throws -> [[String]] {
        try context.fetch(Fetch<Item>(format, argument)).map(\.labels)
      }
      for _ in 0..<2 {
        #expect(try labels("labels == %@", ["x", "y"]) == [["x", "y"]])
        #expect(try labels("labels = %@", [String]()) == [[]])
        #expect(try labels("labels != %@", ["x", "y"]) == [["y", "x"], [], ["1"]])
        #expect(try labels("labels == %@", Set(["y", "x"])) == [["x", "y"]])
        #expect(try labels("labels == %@", [1]) == [])
        try context.save()
      }
      // An attribute that takes no lists still refuses them.
      #expect(throws: FilterError.self) { try labels("level == %@", [1, 2]) }
    }
  }

  @Test func filtersCompareTheStoredForm() throws {
    try context.performAndWait {
      for (number, level) in [Level.low, .middle, .high].enumerated() {
        let item = context.insert(Item.self)
        item.id = Int64(number)
        item.level = level
        item.kind = level == .high ? .rich : .plain
        if level == .low { item.address = Address(street: "Lane", city: nil) }
      }
      try context.save()
      for isSaved in [true, false] {
        if !isSaved { context.insert(Item.self).id = 9 }
        #expect(try context.fetch(Fetch<Item>("level == %@", Level.high)).map(\.id) == [2])
        #expect(
          try context.fetch(Fetch<Item>(where: { $0.$level > .low && $0.$id < 9 })).count == 2)
        #expect(try context.fetch(Fetch<Item>(where: { $0.$kind == .rich })).map(\.id) == [2])
        #expect(
          try context.fetch(Fetch<Item>(where: { $0.$level.isIn([.low, .high]) })).map(\.id)
            == [0, 2])
        let address = Address(street: "Lane", city: nil)
        #expect(try context.fetch(Fetch<Item>(where: { $0.$address == address })).map(\.id) == [0])
        #expect(try context.fetch(Fetch<Item>("address == %@", address)).map(\.id) == [0])
      }
    }
  }

  @Test func snapshotsHaveTheTypes() throws {
    context.performAndWait {
      let item = context.insert(Item.self)
      item.address = Address(street: "Lane", city: nil)
      let snapshot = item.snapshot()
      #expect(snapshot.$level == .middle && snapshot.$address == item.address)
      #expect(snapshot["level"] == .int(1))
    }
  }

  @Test func documentsMayHoldThem() throws {
    let model = try ManagedObjectModel([
      EntityDraft(
        "Item",
        [
          .attribute("id", .integer32, isOptional: false, defaultValue: 0),
          .attribute("level", .integer16, isOptional: false, defaultValue: 2),
          "otherLevel integer64", "kind", "address binary", "home binary", "labels transformable",
          "rates binary", "price", "deposit", "anything binary",
        ])
    ])
    let stack = try DataStack(model: model, store: .inMemory)
    try stack.inBackground { context in
      let item = context.insert(Item.self)
      #expect(item.level == .high && item.address == nil)
      item.address = Address(street: "Lane", city: nil)
      item.labels = ["x"]
      try context.save()
      context.reset()
      let copy = try #require(try context.fetch(Fetch<Item>()).first)
      #expect(copy.address == Address(street: "Lane", city: nil) && copy.labels == ["x"])
    }
  }

  @Test func readingWhatIsNoneOfTheTypeStopsWithAMessage() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try DataStack(model: ManagedObjectModel(Item.self), store: .inMemory)
      let context = stack.newBackgroundContext()
      context.performAndWait {
        let item = context.insert(Item.self)
        item["otherLevel"] = 9
        _ = item.otherLevel
      }
    }
    expectStop(result, says: "Item.otherLevel", "Level")
  }
}
