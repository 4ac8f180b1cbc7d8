import Foundation
import SyncStack

extension Shape {
  /// Objects that become JSON again, and mappings by hand.
  static let exports = [
    Shape("export with unsaved objects", counted: 2000, timed: 2000) { count, scene in
      let stack = try scene.stack(ShapeModels.lists())
      try stack.inContext { context in
        for number in 0..<count {
          let item = try context.insert(entityNamed: "Item")
          item["id"] = Int64(number)
          let child = try context.insert(entityNamed: "Child")
          child["id"] = Int64(number)
          child["item"] = item
        }
        try scene.measure { _ = try context.export("Item") }
      }
    },
    Shape("export of stored objects with unsaved ones", counted: 2000, timed: 2000) {
      count, scene in
      let stack = try scene.stack(ShapeModels.lists())
      let json = Text.list(0..<count) { "{\"id\":\($0),\"children\":[{\"id\":\($0)}]}" }
      try stack.take(json)
      try stack.inContext { context in
        for item in try context.fetch(Fetch<ManagedObject>(entityNamed: "Item")) {
          let child = try context.insert(entityNamed: "Child")
          child["id"] = Int64(count) + (item["id"] as? Int64 ?? 0)
          child["item"] = item
        }
        try scene.measure { _ = try context.export("Item") }
      }
    },
    // Each object is written with all below it: the output grows with the depth, too.
    Shape("export of a chain", counted: 400, timed: 1000) { count, scene in
      let stack = try scene.stack(ShapeModels.tree())
      try stack.take(Text.list(0..<count) { "{\"id\":\($0),\"parent_id\":\($0 - 1)}" })
      var options = ExportOptions()
      options.maximumDepth = 20
      try scene.measure { _ = try stack.export("Item", using: options) }
    },
    Shape("a group for each parent", counted: 50, timed: 1000) { count, scene in
      let stack = try scene.stack(ShapeModels.lists())
      var child = EntitySerializer<ManagedObject>(entityNamed: "Child")
      child.identifiers = ["id"]
      child.mapping = ["id": .int("id"), "name": .string("name")]
      var item = EntitySerializer<ManagedObject>(entityNamed: "Item")
      item.identifiers = ["id"]
      let nested = child
      item.mapping = [
        "id": .int("id"),
        "children": .toMany("children") { parent in
          nested.with { $0.groupers = [Filter("item.id == %@", parent["id"]?.integerValue ?? 0)] }
        },
      ]
      let json = Text.list(0..<count) { "{\"id\":\($0),\"children\":[{\"id\":1},{\"id\":2}]}" }
      try scene.measure { _ = try stack.sync(json, with: item) }
    },
  ]
}
