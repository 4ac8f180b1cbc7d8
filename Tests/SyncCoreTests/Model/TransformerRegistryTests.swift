import Foundation
import SyncCore
import Testing

@Suite struct TransformerRegistryTests {
  private struct Colour: Equatable {
    var red: Int
    var green: Int

    init(red: Int, green: Int) { (self.red, self.green) = (red, green) }

    init(_ value: Value) throws {
      let parts = value.description.split(separator: "/").compactMap { Int($0) }
      guard parts.count == 2 else { throw TransformerError("“\(value)” is no colour.") }
      self.init(red: parts[0], green: parts[1])
    }
  }

  private enum Level: Int, ValueConvertible { case low = 1 }

  private func registry() -> TransformerRegistry {
    let registry = TransformerRegistry()
    registry.register(Colour.self, named: "Colour") {
      .string("\($0.red)/\($0.green)")
    } load: {
      try Colour($0)
    }
    registry.register(Date.self, named: "Date") {
      .date($0)
    } load: { value in
      guard case .date(let date) = value else { throw TransformerError("no date") }
      return date
    }
    registry.register(Level.self, named: "Level")
    registry.register([Int].self, named: "Numbers")
    return registry
  }

  @Test func aTypeGoesInAndComesOut() throws {
    let colour = try #require(registry().transformer(named: "Colour"))
    let stored = try colour.value(ofObject: Colour(red: 1, green: 2))
    #expect(stored == .string("1/2"))
    #expect(try colour.object(from: stored) as? Colour == Colour(red: 1, green: 2))
    #expect(throws: TransformerError.self) { try colour.value(ofObject: 7) }
    #expect(throws: TransformerError.self) { try colour.object(from: .int(7)) }
  }

  @Test func jsonHasTheStoredForm() throws {
    let registry = registry()
    let colour = try #require(registry.transformer(named: "Colour"))
    #expect(try colour.value(from: "3/4") == .string("3/4"))
    #expect(try colour.json(from: .string("3/4")) == "3/4")
    #expect(throws: TransformerError.self) { try colour.value(from: "red") }
    let date = try #require(registry.transformer(named: "Date"))
    let moment = Date(timeIntervalSinceReferenceDate: 60)
    #expect(try date.value(from: "2001-01-01T00:01:00Z") == .date(moment))
    #expect(try date.json(from: .date(moment)) == "2001-01-01T00:01:00Z")
    let numbers = try #require(registry.transformer(named: "Numbers"))
    #expect(try numbers.value(from: [1, 2]) == [1, 2].storedValue)
    #expect(try numbers.json(from: [1, 2].storedValue) == [1, 2])
    #expect(throws: TransformerError.self) { try numbers.value(from: ["a": 1]) }
    let level = try #require(registry.transformer(named: "Level"))
    #expect(try level.value(from: 1) == .int(1))
    #expect(throws: TransformerError.self) { try level.value(from: 9) }
  }

  @Test func aTransformerForJSONShowsTheStoredValue() throws {
    let registry = TransformerRegistry()
    registry.register("Text") { .string($0.description) }
    let transformer = try #require(registry.transformer(named: "Text"))
    #expect(try transformer.object(from: .string("x")) as? String == "x")
    #expect(try transformer.value(ofObject: 7) == .int(7))
    #expect(throws: TransformerError.self) { try transformer.value(ofObject: registry) }
  }
}
