import SyncStack
import TestSupport

/// Features that are said in the model, or in the rules beside it.
extension PairFeature {
  static let modelFeatures = [
    keysPerOwner, stubs, kinds, order, tree, keyless, keysOfTwo, objectsByKey, rules, tombstones,
  ]

  static let keysPerOwner = PairFeature("keys per owner") { feature in
    feature.shape = { shape in
      shape.changeCrates(userInfo: ["sync.keyScope": "owner"])
      shape.keysArePerDepot = true
      shape.owners["Crate"] = "depot"
    }
  }

  static let stubs = PairFeature("stubs") { feature in
    feature.shape = { shape in
      shape.add(EntityDraft("Porter", ["id", "name", "depots ->> Depot.porter"]))
      shape.replace(
        .toOne("porter", to: "Porter", inverse: "depots", userInfo: ["sync.stub": "YES"]),
        of: "Depot")
      shape.mentions["Porter"] = "depots"
    }
    feature.depot = { values, _, random in
      values["porter_id"] =
        random.chance(20) ? .null : .integer(Int64.random(in: 1...4, using: &random))
    }
  }

  static let kinds = PairFeature("kinds") { feature in
    feature.shape = { shape in
      shape.change("Crate") { $0.userInfo["sync.typeKey"] = "kind" }
      shape.add(EntityDraft("Parcel", ["grams integer64"], superentity: "Crate"))
      shape.add(EntityDraft("Barrel", ["litres integer64"], superentity: "Crate"))
    }
    feature.crate = { values, random in
      let isParcel = random.chance(50)
      values["kind"] = isParcel ? "Parcel" : "Barrel"
      values[isParcel ? "grams" : "litres"] = .integer(Int64.random(in: 0..<5, using: &random))
      values[isParcel ? "litres" : "grams"] = nil
    }
  }

  static let order = PairFeature("order") { feature in
    feature.shape = { $0.changeCrates(isOrdered: true) }
  }

  static let tree = PairFeature("trees") { feature in
    feature.shape = { shape in
      shape.replace(.toOne("parent", to: "Depot", inverse: "parts"), of: "Depot")
      shape.replace(.toMany("parts", to: "Depot", inverse: "parent"), of: "Depot")
      shape.isTree = true
    }
    feature.depot = { values, truth, random in
      let own = values["id"]?.integerValue ?? 0
      let earlier = truth.depots.map(\.id).filter { $0 < own }
      values["parent_id"] =
        earlier.randomElement(using: &random).map { random.chance(70) ? .integer($0) : .null }
        ?? .null
    }
  }

  static let keyless = PairFeature("children without a key") { feature in
    feature.shape = { shape in
      shape.add(EntityDraft("Rung", ["text", "weight integer64", "depot -> Depot.rungs"]))
      shape.replace(
        .toMany("rungs", to: "Rung", inverse: "depot", deleteRule: .cascade), of: "Depot")
      shape.owners["Rung"] = "depot"
    }
    feature.depot = { values, _, random in
      let count = Int.random(in: 0...3, using: &random)
      values["rungs"] = .array(
        (0..<count).map { _ in
          let number = Int64.random(in: 0..<4, using: &random)
          return ["text": .string("rung \(number)"), "weight": .integer(number / 2)]
        })
    }
  }

  static let keysOfTwo = PairFeature("keys of two attributes") { feature in
    feature.shape = { shape in
      shape.replace(.attribute("day", .integer64), of: "Crate")
      shape.change("Crate") { $0.userInfo["sync.identifiers"] = "id, day" }
      shape.keysHaveDays = true
    }
  }

  static let objectsByKey = PairFeature("objects by key") { feature in
    feature.shape = { $0.changeCrates(userInfo: ["sync.keyedBy": "id"]) }
    feature.wire = { item in
      let crates = item["crates"]?.arrayValue?.compactMap(\.objectValue) ?? []
      item["crates"] = .object(
        JSONObject(
          crates.map { crate in
            var crate = crate
            let key = crate["id"]?.integerValue ?? 0
            crate["id"] = nil
            return (key: "\(key)", value: JSONValue.object(crate))
          }))
    }
  }

  static let rules = PairFeature("rules") { feature in
    feature.prepare = { stack in
      try stack.mapping(forEntityNamed: "Depot") { $0["name"] = .string("label.text") }
    }
    feature.wire = { item in
      item["label"] = .object(["text": item["name"] ?? .null])
      item["name"] = nil
    }
  }

  static let tombstones = PairFeature("tombstones") { feature in
    feature.shape = { shape in
      shape.change("Depot") { $0.userInfo["sync.tombstoneKey"] = "deleted" }
    }
    feature.steps = [
      { world in
        guard world.truth.depots.count > 1 else { return }
        let index = world.truth.depots.indices.randomElement(using: &world.random) ?? 0
        let id = world.truth.depots[index].id
        world.truth.remove(at: index)
        let sync = try world.operation(
          [["id": .integer(id), "deleted": true]]
            + world.items(world.truth.depots.filter { _ in world.random.chance(30) }))
        sync.settings.operations.remove(.delete)
        world.note("tombstone of depot \(id)")
        try await world.run(sync)
        guard !world.hasUnsent else { return }
        if try world.picture().contains(where: { $0.hasPrefix("Depot \(id):") }) {
          try world.fail("Depot \(id) is said to be deleted, and is stored.")
        }
      }
    ]
  }
}
