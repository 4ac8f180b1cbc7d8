import SyncStack
import TestSupport

/// A way of saying the mapping by hand: the depots, and the crates in them or those alone.
extension PairFeature {
  static let serializers = PairFeature("serializers") { feature in
    feature.delivery = { world in
      world.note("through serializers")
      let crates = CrateSerializer(world)
      let depots = DepotSerializer(world, crates: world.random.chance(50) ? crates : nil)
      let sync = Sync(try world.payload(world.noisyItems()), with: depots, dataStack: world.stack)
      sync.settings = world.settings
      for feature in world.features { feature.form(sync, world) }
      try await world.run(sync)
    }
  }

  static let nestedSerializers = PairFeature("serializers below conventions") { feature in
    feature.delivery = { world in
      world.note("a serializer below conventions")
      let crates = CrateSerializer(world)
      try world.stack.mapping(forEntityNamed: "Depot") {
        $0["crates"] = .toMany("crates") { crates }
      }
      try await world.run(try world.operation(world.noisyItems()))
      try world.stack.mapping(forEntityNamed: "Depot") { $0["crates"] = nil }
    }
  }
}

/// Reads depots as the API of a case sends them.
private struct DepotSerializer: Serializer {
  typealias Object = ManagedObject
  let mapping: Mapping

  var entityName: String { "Depot" }
  var identifiers: [String] { ["id"] }

  /// - Parameter crates: Reads the crates; nil leaves them to the conventions.
  init(_ world: PairWorld, crates: CrateSerializer?) {
    let isNested = world.features.contains { $0.name == "rules" }
    var mapping: Mapping = [
      "id": .int("id"), "name": .string(isNested ? "label.text" : "name"),
      "note": .string("note"), "zone": .int("zone"),
      "crates": .toMany("crates") { _ -> any PlanSource in crates ?? Conventional("Crate") },
      "stickers": .toMany("stickers") { Conventional("Sticker") },
    ]
    let depot = world.model.entity(named: "Depot")
    func has(_ name: String) -> Bool { depot?.property(named: name) != nil }
    if has("code") { mapping["code"] = .string("code") }
    if has("photo") { mapping["photo"] = .base64(["photo", "$base64"]) }
    if has("rungs") { mapping["rungs"] = .toMany("rungs") { Conventional("Rung") } }
    if has("porter") { mapping["porter"] = .toOne("porter_id", creating: "Porter") }
    if has("parent") { mapping["parent"] = .toOne("parent_id", creating: "Depot") }
    self.mapping = mapping
  }
}

/// Reads crates that have no kinds.
private struct CrateSerializer: Serializer {
  typealias Object = ManagedObject
  let identifiers: [String]
  let mapping: Mapping

  var entityName: String { "Crate" }

  init(_ world: PairWorld) {
    identifiers = world.shape.keysHaveDays ? ["id", "day"] : ["id"]
    var mapping: Mapping = ["id": .int("id"), "title": .string("title"), "size": .int("size")]
    if world.shape.keysHaveDays { mapping["day"] = .int("day") }
    self.mapping = mapping
  }
}
