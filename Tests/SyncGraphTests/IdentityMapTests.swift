import SyncGraph
import TestSupport
import Testing

/// The hash table of a context's objects, beside a dictionary.
@Suite struct IdentityMapTests {
  private final class Object {
    let row: Int64

    init(_ row: Int64) { self.row = row }
  }

  /// How the row numbers of a run lie.
  enum Rows: String, CaseIterable, Sendable {
    case sequence, new, farApart, scattered

    func row(_ number: Int64) -> Int64 {
      switch self {
      case .sequence: number + 1
      case .new: -number - 1
      case .farApart: (number + 1) << 20
      case .scattered: number &* 0x1E37_79B9_7F4A_7C15 &+ 1
      }
    }
  }

  @Test(arguments: Rows.allCases, 0..<8)
  func answersLikeADictionary(rows: Rows, seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let map = IdentityMap<Object>()
    var model: [Int64: Object] = [:]
    for step in 0..<3000 {
      let row = rows.row(Int64.random(in: 0..<400, using: &random))
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let object = Object(row)
        #expect(map.insert(object, row: row) == (model.updateValue(object, forKey: row) == nil))
      case 5..<9:
        #expect(map.remove(row) === model.removeValue(forKey: row))
      default:
        map.reserve(Int.random(in: 0..<100, using: &random))
      }
      #expect(map.count == model.count)
      guard step % 50 == 0 else { continue }
      for number in 0..<400 {
        let row = rows.row(Int64(number))
        #expect(map.object(row) === model[row])
      }
    }
    var found: [Int64] = []
    map.visit { found.append($0.row) }
    #expect(found.sorted() == model.keys.sorted())
  }

  @Test(arguments: Rows.allCases)
  func noRowIsFarFromItsPlace(rows: Rows) {
    let map = IdentityMap<Object>()
    for number in 0..<20_000 as Range<Int64> {
      let row = rows.row(number)
      _ = map.insert(Object(row), row: row)
    }
    #expect(map.longestRun < 400)
    // Every second row goes, and new ones come where a save moves objects from temporary numbers.
    for number in 0..<20_000 as Range<Int64> where number % 2 == 0 {
      _ = map.remove(rows.row(number))
      let row = 1_000_000 + number
      _ = map.insert(Object(row), row: row)
    }
    #expect(map.longestRun < 400)
  }

  @Test(arguments: Rows.allCases)
  func takesOutObjectsThatAreNotHeld(rows: Rows) {
    let map = IdentityMap<Object>()
    var held: [Object] = []
    for number in 0..<1000 {
      let object = Object(rows.row(Int64(number)))
      _ = map.insert(object, row: object.row)
      if number % 3 == 0 { held.append(object) }
    }
    #expect(map.removeUnheld().count == 1000 - held.count)
    #expect(map.count == held.count)
    for object in held { #expect(map.object(object.row) === object) }
    held = []
    #expect(map.removeUnheld().count == 334 && map.count == 0)
    #expect(map.object(rows.row(0)) == nil && map.remove(rows.row(0)) == nil)
  }
}
