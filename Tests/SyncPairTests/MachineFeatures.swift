import Foundation
import SyncStack
import TestSupport

/// Features of programs that are not alone with their objects.
extension PairFeature {
  static let machineFeatures = [twoStacks, readers, suspension, remoteSync, sharing, files]

  static let twoStacks = PairFeature("two stacks") { feature in
    feature.delivery = { world in
      world.note("another stack syncs")
      let other =
        try world.other ?? PairWorld.open(world.model, world.features, world.folder.file())
      world.other = other
      let sync = Sync(
        try world.payload(world.noisyItems()), inEntityNamed: "Depot", dataStack: other)
      sync.settings = world.settings
      try await other.sync(sync)
      if let difference = PairPicture.difference(try world.picture(), try world.picture(of: other))
      {
        try world.fail("Two stacks of one file differ:\n\(difference)")
      }
      // The context that follows is told by the file, at some time.
      try world.reopen()
    }
  }

  static let readers = PairFeature("readers") { feature in
    feature.steps = [
      { world in
        world.note("a reader")
        let reader = try DataStack(
          model: world.model, store: .sqlite(world.folder.file()), readOnly: true)
        defer { try? reader.close() }
        if let difference = PairPicture.difference(
          try world.picture(), try world.picture(of: reader))
        {
          try world.fail("A reader sees something else:\n\(difference)")
        }
        do {
          try await reader.sync("[]", inEntityNamed: "Depot")
          try world.fail("A reader wrote.")
        } catch is StoreError {
        }
      }
    ]
  }

  static let suspension = PairFeature("suspension") { feature in
    feature.steps = [
      { world in
        world.note("suspended")
        try await world.stack.suspend()
        world.stack.resume()
        try await world.run(try world.operation(world.items()))
      }
    ]
  }

  static let remoteSync = PairFeature("remote sync") { feature in
    feature.tracksChanges = true
    feature.steps = [
      { try $0.edit() },
      { world in
        // The other machine edits what it has, and both meet.
        try await PairMachines.exchange(world)
        try world.machines?.edit("name", to: "from there", world)
        try await PairMachines.exchange(world)
      },
    ]
    feature.settle = { try await PairMachines.exchange($0) }
  }

  static let sharing = PairFeature("sharing") { feature in
    feature.tracksChanges = true
    feature.shape = { shape in
      shape.change("Crate") { $0.userInfo["cloud.parent"] = "depot" }
    }
    feature.steps = [
      { try $0.edit() },
      { world in
        try await PairMachines.exchange(world)
        try await world.machines?.share(world)
        try await PairMachines.exchange(world)
      },
      { world in
        try await PairMachines.exchange(world)
        try world.machines?.editAsGuest(world)
        try await PairMachines.exchange(world)
      },
      { world in
        try await PairMachines.exchange(world)
        try await world.machines?.stopSharing(world)
        try await PairMachines.exchange(world)
      },
    ]
    feature.settle = { try await PairMachines.exchange($0) }
  }

  static let files = PairFeature("files") { feature in
    feature.tracksChanges = true
    feature.shape = { shape in
      shape.replace(.attribute("photo", .binary, userInfo: ["cloud.asset": "eager"]), of: "Depot")
      shape.hasPhoto = true
    }
    feature.depot = { values, _, random in
      let bytes = Data((0..<40).map { _ in UInt8.random(in: 128...255, using: &random) })
      values["photo"] = ["$base64": .string(bytes.base64EncodedString())]
    }
    feature.steps = [
      { world in
        try await PairMachines.exchange(world)
        try world.machines?.edit("photo", to: Data("\u{FF}there".utf8), world)
        try await PairMachines.exchange(world)
      }
    ]
    feature.settle = { try await PairMachines.exchange($0) }
  }
}
