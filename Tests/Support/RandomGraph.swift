package import Foundation
package import SyncCore

/// Random objects of ``TestModels/queries()``. Few different values, so that comparisons often
/// hold, and all the awkward ones.
package struct RandomGraph {
  package static let texts = [
    "", "a", "A", "ab", "aB*", "é", "e\u{301}", "É", "straße", "STRASSE", "İ", "ı", "i", "x_y%z",
    "o\u{308}", "\u{1F600}b", "a\u{0}b", "\u{FFFD}", "z\nz", "ﬀ", "b?c", "\u{10FFFF}",
  ]
  package static let integers: [Int64] = [
    0, 1, 2, 3, -1, 5, 7, .max, .min, 1 << 53, 1 << 53 + 1, 100,
  ]
  package static let doubles: [Double] = [
    0, -0.0, 0.5, 1, 2, 3.25, -1, 0.1, 1e300, 9_007_199_254_740_992, 9.3e18, -.infinity, .infinity,
  ]
  package static let decimals = [
    "0", "1", "2.5", "-2.5", "0.1", "3", "12345678901234567890.123", "9007199254740993", "10",
  ].map { Decimal(string: $0, locale: nil) ?? 0 }
  package static let dates = [-1, 0, 0.5, 1000, 700_000_000.25].map {
    Date(timeIntervalSinceReferenceDate: $0)
  }
  package static let uuids = [
    "00000000-0000-0000-0000-00000000000A", "A0000000-0000-4000-8000-000000000001",
  ].compactMap { UUID(uuidString: $0) }
  package static let urls = ["http://a.b/c", "mailto:x@y.z", "http://a.b/d"].compactMap {
    URL(string: $0)
  }
  package static let blobs = [Data(), Data([0]), Data([0, 1]), Data([255])]

  /// A random value of a type; nil in one of five cases.
  package static func value(
    _ type: AttributeType, _ random: inout SeededGenerator, canBeNull: Bool = true
  ) -> Value {
    if canBeNull, random.chance(20) { return .null }
    switch type {
    case .integer16, .integer32, .integer64: return .int(random.pick(integers))
    case .boolean: return .bool(random.chance(50))
    case .double, .float: return .double(random.pick(doubles))
    case .decimal: return .decimal(random.pick(decimals))
    case .string: return .string(random.pick(texts))
    case .date: return .date(random.pick(dates))
    case .uuid: return .uuid(random.pick(uuids))
    case .uri: return .url(random.pick(urls))
    case .binary, .transformable: return .data(random.pick(blobs))
    }
  }

  /// A graph of some dozens of objects.
  package static func make(_ random: inout SeededGenerator) throws -> MemoryGraph {
    let graph = MemoryGraph(model: try TestModels.queries())
    let counts = [("Person", 14), ("Employee", 6), ("Company", 4), ("City", 3), ("Note", 20)]
    var kinds = counts.flatMap { Array(repeating: $0.0, count: $0.1) }
    kinds += Array(repeating: "Tag", count: 5)
    kinds.shuffle(using: &random)
    for kind in kinds {
      let object = try graph.add(kind)
      for attribute in object.entity.attributes where !attribute.isTransient {
        object.values[attribute.slot] = value(attribute.type, &random)
      }
    }
    for object in graph.objects {
      for relationship in object.entity.relationships {
        let others = graph.all(object.entity.destination(of: relationship))
        let count = relationship.isToMany ? Int.random(in: 0...2, using: &random) : 1
        for _ in 0..<count where random.chance(55) {
          graph.connect(object, relationship.name, random.pick(others))
        }
      }
    }
    return graph
  }
}

/// Random numbers that are the same in every run (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var result = state
    result = (result ^ (result >> 30)) &* 0xBF58_476D_1CE4_E5B9
    result = (result ^ (result >> 27)) &* 0x94D0_49BB_1331_11EB
    return result ^ (result >> 31)
  }
}

extension RandomNumberGenerator {
  /// One of the elements.
  package mutating func pick<T>(_ elements: [T]) -> T {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }

  /// True in so many of a hundred cases.
  package mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < percent
  }
}
