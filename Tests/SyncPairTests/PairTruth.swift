import SyncStack
import TestSupport

/// What the server has: depots with their crates and stickers, as JSON.
struct PairTruth: Sendable {
  struct Depot: Sendable {
    var values: JSONObject
    var crates: [JSONObject] = []
    var stickers: [Int64] = []

    var id: Int64 { values["id"]?.integerValue ?? 0 }
  }

  var depots: [Depot] = []
  private(set) var stickers: [Int64: String] = [1: "red", 2: "blue", 3: "green"]
  private var lastDepot: Int64 = 0
  private var lastCrate: Int64 = 0

  /// The key of a crate as text.
  static func key(_ crate: JSONObject) -> String {
    "\(crate["id"] ?? .null)/\(crate["day"] ?? .null)"
  }

  /// The key of a stored crate as text.
  static func key(_ crate: ManagedObject) -> String {
    var key = JSONObject()
    for name in ["id", "day"] where crate.entity.attribute(named: name) != nil {
      key[name] = crate.value(forKey: name, as: Int64.self).map { .integer($0) }
    }
    return Self.key(key)
  }

  /// The items of some depots, before features write them as their API does.
  func item(_ depot: Depot) -> JSONObject {
    var item = depot.values
    item["crates"] = .array(depot.crates.map { .object($0) })
    item["stickers"] = .array(
      depot.stickers.map { ["id": .integer($0), "name": .string(stickers[$0] ?? "")] })
    return item
  }

  /// All stickers as a list of its own.
  var stickerItems: [JSONValue] {
    stickers.sorted { $0.key < $1.key }
      .map { ["id": .integer($0.key), "name": .string($0.value)] }
  }

  mutating func remove(at index: Int) {
    let id = depots.remove(at: index).id
    // A key that a payload names keeps its object.
    for index in depots.indices where depots[index].values["parent_id"] == .integer(id) {
      depots[index].values["parent_id"] = .null
    }
  }

  /// Adds a depot that was made elsewhere.
  mutating func add(_ values: JSONObject) { depots.append(Depot(values: values)) }

  // MARK: - Random changes

  /// Changes something.
  mutating func change(
    _ random: inout SeededGenerator, _ shape: PairShape, _ features: [PairFeature]
  ) {
    guard let index = depots.indices.randomElement(using: &random) else {
      return addDepot(&random, shape, features)
    }
    let crate = depots[index].crates.indices.randomElement(using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: addDepot(&random, shape, features)
    case 2 where depots.count > 1: remove(at: index)
    case 3: fill(&depots[index].values, &random, features)
    case 4: depots[index].values["zone"] = .integer(Int64.random(in: 1...2, using: &random))
    case 5, 6: addCrate(to: index, &random, shape, features)
    case 7: if let crate { depots[index].crates.remove(at: crate) }
    case 8: if let crate { fill(crate: &depots[index].crates[crate], &random, features) }
    case 9:
      guard let crate else { return }
      var moved = depots[index].crates.remove(at: crate)
      let target = depots.indices.randomElement(using: &random) ?? index
      if shape.keysArePerDepot { moved["id"] = .integer(freeKey(in: target)) }
      depots[target].crates.append(moved)
    case 10:
      depots[index].stickers = stickers.keys.sorted().filter { _ in random.chance(50) }
      let sticker = Int64.random(in: 1...3, using: &random)
      stickers[sticker] = "colour \(Int.random(in: 0..<9, using: &random))"
    default: depots[index].crates.shuffle(using: &random)
    }
  }

  private mutating func addDepot(
    _ random: inout SeededGenerator, _ shape: PairShape, _ features: [PairFeature]
  ) {
    lastDepot += 1
    var values: JSONObject = [
      "id": .integer(lastDepot), "zone": .integer(Int64.random(in: 1...2, using: &random)),
    ]
    fill(&values, &random, features)
    depots.append(Depot(values: values))
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      addCrate(to: depots.count - 1, &random, shape, features)
    }
  }

  private func fill(
    _ values: inout JSONObject, _ random: inout SeededGenerator, _ features: [PairFeature]
  ) {
    values["name"] = .string("name \(Int.random(in: 0..<50, using: &random))")
    values["note"] =
      random.chance(20) ? .null : .string("note \(Int.random(in: 0..<50, using: &random))")
    for feature in features { feature.depot(&values, self, &random) }
  }

  private mutating func addCrate(
    to index: Int, _ random: inout SeededGenerator, _ shape: PairShape, _ features: [PairFeature]
  ) {
    lastCrate += 1
    var crate: JSONObject = ["id": .integer(shape.keysArePerDepot ? freeKey(in: index) : lastCrate)]
    if shape.keysHaveDays {
      crate["id"] = .integer(lastCrate / 2)
      crate["day"] = .integer(lastCrate % 2)
    }
    fill(crate: &crate, &random, features)
    depots[index].crates.append(crate)
  }

  private func fill(
    crate: inout JSONObject, _ random: inout SeededGenerator, _ features: [PairFeature]
  ) {
    crate["title"] = .string("title \(Int.random(in: 0..<50, using: &random))")
    crate["size"] = .integer(Int64.random(in: 0..<5, using: &random))
    for feature in features { feature.crate(&crate, &random) }
  }

  private func freeKey(in index: Int) -> Int64 {
    let used = Set(depots[index].crates.compactMap { $0["id"]?.integerValue })
    return (1...).first { !used.contains($0) } ?? 1
  }
}
