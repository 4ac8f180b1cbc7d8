import Foundation
import SyncGraph
import TestSupport
import Testing

/// Values at the limits of their type come back as they were, and answers about them are the same
/// from the store and from unsaved objects.
@Suite struct ExtremeValueTests {
  private let stack: DataStack
  private let context: ManagedObjectContext

  init() throws {
    stack = try DataStack(model: TestModels.allTypes(), store: .inMemory)
    context = stack.newBackgroundContext()
  }

  static let values: [(key: String, value: any Sendable & ValueConvertible)] = [
    ("string", ""), ("string", "\0"), ("string", "a\0b"), ("string", "\0\0"),
    ("string", "e\u{301}"), ("string", "é"), ("string", "\u{FEFF}x"), ("string", "\r\n"),
    ("string", String(repeating: "x", count: 300_000) + "\0y"),
    ("string", "'; DROP TABLE \"Everything\"; --"), ("string", "%_*?[]\\"),
    ("binary", Data()), ("binary", Data([0, 0])), ("binary", Data(count: 300_000)),
    ("integer16", Int64.max), ("integer16", Int64.min), ("integer32", Int64(1) << 40),
    ("integer64", Int64.min), ("integer64", Int64.max), ("integer64", Int64(0)),
    ("double", Double.infinity), ("double", -Double.infinity), ("double", -0.0),
    ("double", Double.leastNonzeroMagnitude), ("double", Double.greatestFiniteMagnitude),
    ("float", Double.infinity), ("decimal", Decimal.greatestFiniteMagnitude),
    ("decimal", Decimal.leastNonzeroMagnitude),
    ("date", Date.distantPast), ("date", Date.distantFuture),
    ("date", Date(timeIntervalSinceReferenceDate: .infinity)),
    ("date", Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)), ("boolean", false),
  ]

  @Test(arguments: values.indices) func comesBackAndIsFound(index: Int) throws {
    let (key, value) = Self.values[index]
    try context.performAndWait {
      let object = try context.make("Everything", ["id": 1, key: value])
      try context.make("Everything", ["id": 2])
      for isSaved in [false, true] {
        if isSaved {
          try context.save()
          context.refreshAllObjects()
        }
        #expect(object.storedValue(forKey: key) == value.storedValue)
        for format in ["\(key) == %@", "%@ == \(key)", "\(key) IN {%@}", "NOT \(key) != %@"] {
          let request = Fetch<ManagedObject>(
            entityNamed: "Everything", Filter(format: format, arguments: [value]))
          #expect(try context.fetch(request) == [object], "\(format), saved: \(isSaved)")
        }
        if key == "string" {
          for format in ["BEGINSWITH", "ENDSWITH", "CONTAINS", "CONTAINS[cd]"] {
            let request = Fetch<ManagedObject>(
              entityNamed: "Everything",
              Filter(format: "string \(format) %@", arguments: [value]))
            let expected = value.storedValue == .string("") ? 0...1 : 1...1
            #expect(try expected.contains(context.count(request)), "\(format), saved: \(isSaved)")
          }
        }
      }
      let raw = try context.values(Fetch<ManagedObject>(entityNamed: "Everything"), [.key(key)])
      #expect(raw.first?[key] == value.storedValue)
    }
  }

  @Test func textAfterANULCountsInEveryComparisonInTheStoreAsInMemory() throws {
    let filters = [
      "string CONTAINS 'b'", "string ENDSWITH 'b'", "string BEGINSWITH 'a'", "string LIKE 'a?b'",
      "string MATCHES 'a.b'", "string CONTAINS[c] 'B'", "string ==[c] 'A'", "string == 'a'",
      "string > 'a'", "string LIKE[cd] '*B'", "length(string) == 3", "string.length == 3",
      "uppercase(string) ENDSWITH 'B'",
    ]
    try context.performAndWait {
      try context.make("Everything", ["id": 1, "string": "a\0b"])
      func answers() -> [String] {
        filters.map { format in
          let filter = Filter(format: format, arguments: [])
          let request = Fetch<ManagedObject>(entityNamed: "Everything", filter)
          let answer = Result { try context.count(request) }
          return "\(format): \((try? answer.get()).map { "\($0)" } ?? "\(answer)")"
        }
      }
      let unsaved = answers()
      try context.save()
      #expect(answers() == unsaved)
      #expect(unsaved[0].hasSuffix(": 1") && unsaved[7].hasSuffix(": 0"), "\(unsaved)")
    }
  }

  @Test(arguments: ["double", "float", "decimal", "date"])
  func aValueThatIsNoNumberIsRefusedByBatchesAndFilters(key: String) throws {
    let value: any Sendable & ValueConvertible =
      switch key {
      case "decimal": Decimal.nan
      case "date": Date(timeIntervalSinceReferenceDate: .nan)
      default: Double.nan
      }
    try context.performAndWait {
      try context.make("Everything", ["id": 1])
      let all = Fetch<ManagedObject>(entityNamed: "Everything")
      for format in ["\(key) == %@", "\(key) < %@", "\(key) IN {1, %@}"] {
        let filter = Filter(format: format, arguments: [value])
        let error = #expect(throws: FilterError.self) {
          try context.count(Fetch<ManagedObject>(entityNamed: "Everything", filter))
        }
        #expect(error?.code == .argument && error?.expected == "a number", "\(format)")
      }
      for body in [
        { try context.batchUpdate(all, [key: value]) },
        { try context.batchInsert(entityNamed: "Everything", [["id": 2, key: value]]) },
      ] as [() throws -> Void] {
        let error = #expect(throws: GraphError.self) { try body() }
        #expect(error?.code == .validation && error?.key == key)
        #expect(error?.message.contains("no such number") == true)
      }
      #expect(try context.count(all) == 1)
    }
  }

  @Test func aValueThatIsWiderThanItsPropertyIsNoOtherValue() throws {
    final class Narrow: ManagedObject {
      @Attribute var small: Int16?
    }
    let model = try ManagedObjectModel(["Narrow: small integer16"])
    let stack = try DataStack(model: model, store: .inMemory, classes: [Narrow.self])
    let context = stack.newBackgroundContext()
    context.performAndWait {
      #expect {
        try context.batchInsert(entityNamed: "Narrow", [["small": Int64(70_000)]])
      } throws: { ($0 as? GraphError)?.key == "small" }
      #expect(UInt64.max.storedValue == .decimal(Decimal(UInt64.max)))
    }
  }
}
