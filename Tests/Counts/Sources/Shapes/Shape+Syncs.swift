import Foundation
import SyncStack

extension Shape {
  /// Syncs of one list.
  static let syncs = [
    Shape("everything changed", counted: 500, timed: 10_000) { count, scene in
      let stack = try scene.stack(ShapeModels.items())
      try stack.take(Text.list(0..<count) { Text.item("\($0)") })
      let json = Text.list(0..<count) { Text.item("\($0)", version: 1) }
      try scene.measure { try stack.take(json) }
    },
    Shape("everything gone", counted: 500, timed: 10_000) { count, scene in
      let stack = try scene.stack(ShapeModels.items())
      try stack.take(Text.list(0..<count) { Text.item("\($0)") })
      let json = Text.list([count]) { Text.item("\($0)") }
      try scene.measure { try stack.take(json) }
    },
    Shape("40 columns changed", counted: 125, timed: 2500) { count, scene in
      let stack = try scene.stack(ShapeModels.items(columns: 40))
      try stack.take(Text.list(0..<count) { Text.item("\($0)", columns: 40) })
      let json = Text.list(0..<count) { Text.item("\($0)", columns: 40, version: 1) }
      try scene.measure { try stack.take(json) }
    },
    Shape("children that all move", counted: 500, timed: 10_000) { count, scene in
      let stack = try scene.stack(ShapeModels.lists())
      func json(shift: Int) -> Data {
        let owners = count / 10
        return Text.list(0..<owners) { owner in
          let children = (0..<10).map { "{\"id\":\((owner + shift) % owners * 10 + $0)}" }
          return "{\"id\":\(owner),\"children\":[\(children.joined(separator: ","))]}"
        }
      }
      try stack.take(json(shift: 0))
      let moved = json(shift: 1)
      try scene.measure { try stack.take(moved) }
    },
    Shape("many-to-many lists replaced", counted: 100, timed: 2500) { count, scene in
      let stack = try scene.stack(ShapeModels.lists())
      try stack.take(Text.list(0..<count) { "{\"id\":\($0)}" }, "Tag")
      func json(shift: Int) -> Data {
        Text.list(0..<count) { item in
          let tags = (0..<5).map { "\((item * 7 + shift + $0 * 3) % count)" }
          return "{\"id\":\(item),\"tags_ids\":[\(tags.joined(separator: ","))]}"
        }
      }
      try stack.take(json(shift: 0))
      let replaced = json(shift: 50)
      try scene.measure { try stack.take(replaced) }
    },
    Shape("ordered lists reversed", counted: 500, timed: 10_000) { count, scene in
      let stack = try scene.stack(ShapeModels.lists())
      func json(isReversed: Bool) -> Data {
        Text.list(0..<count / 10) { item in
          let numbers = (0..<10).map { item * 10 + (isReversed ? 9 - $0 : $0) }
          let chapters = numbers.map { "{\"id\":\($0)}" }.joined(separator: ",")
          return "{\"id\":\(item),\"chapters\":[\(chapters)]}"
        }
      }
      try stack.take(json(isReversed: false))
      let reversed = json(isReversed: true)
      try scene.measure { try stack.take(reversed) }
    },
    Shape("one owner with all children", counted: 500, timed: 10_000) {
      count, scene in
      let stack = try scene.stack(ShapeModels.lists())
      func json(_ members: Range<Int>) -> Data {
        let list = members.map { "{\"id\":\($0)}" }.joined(separator: ",")
        return Data("[{\"id\":1,\"children\":[\(list)],\"chapters\":[\(list)]}]".utf8)
      }
      try stack.take(json(0..<count))
      let (added, removed) = (json(0..<count + 1), json(1..<count + 1))
      try scene.measure {
        try stack.take(added)
        try stack.take(removed)
      }
    },
    Shape("a small list twice", counted: 250, timed: 250) { count, scene in
      let stack = try scene.stack(ShapeModels.lists())
      let json = Text.list(0..<count) { item in
        let children = (0..<3).map { "{\"id\":\(item * 3 + $0),\"name\":\"child \($0)\"}" }
          .joined(separator: ",")
        return "{\"id\":\(item),\"name\":\"item\",\"children\":[\(children)]}"
      }
      try scene.measure {
        try stack.take(json)
        try stack.take(json)
      }
    },
    Shape("items in quarantine twice", counted: 250, timed: 2000) { count, scene in
      let stack = try scene.stack(ShapeModels.items(isRequired: true))
      let json = Text.list(0..<count) { "{\"id\":\($0),\"text0\":null}" }
      try stack.take(Text.list([count]) { Text.item("\($0)") })
      try scene.measure {
        for _ in 0..<2 { try stack.take(json) { $0.onItemError = .quarantine } }
      }
    },
    Shape("items skipped", counted: 250, timed: 2000) { count, scene in
      let stack = try scene.stack(ShapeModels.items(isRequired: true))
      let json = Text.list(0..<count) { "{\"id\":\($0),\"text0\":null}" }
      try stack.take(Text.list([count]) { Text.item("\($0)") })
      try scene.measure { try stack.take(json) { $0.onItemError = .skip } }
    },
  ]

  /// Keys that come in no order.
  static let keys = [
    Shape("half new text keys", counted: 500, timed: 10_000) { count, scene in
      try half(count, scene, .string, Text.key)
    },
    Shape("half new UUID keys", counted: 500, timed: 10_000) { count, scene in
      try half(count, scene, .uuid, Text.uuid)
    },
    Shape("UUID keys unchanged", counted: 2000, timed: 10_000) { count, scene in
      let stack = try scene.stack(ShapeModels.items(.uuid))
      let json = Text.list(0..<count) { Text.item(Text.uuid($0)) }
      try stack.take(json)
      // The first one again may fold the log that the import has left.
      try stack.take(json)
      try scene.measure { try stack.take(json) }
    },
    Shape("all UUID keys gone", counted: 500, timed: 10_000) { count, scene in
      let stack = try scene.stack(ShapeModels.items(.uuid))
      try stack.take(Text.list(0..<count) { Text.item(Text.uuid($0)) })
      let json = Text.list([count]) { Text.item(Text.uuid($0)) }
      try scene.measure { try stack.take(json) }
    },
  ]

  /// Half of the objects are stored, and as many new ones come among them.
  private static func half(
    _ count: Int, _ scene: Scene, _ type: AttributeType, _ key: (Int) -> String
  ) throws {
    let stack = try scene.stack(ShapeModels.items(type))
    try stack.take(Text.list(0..<count / 2) { Text.item(key($0)) })
    let json = Text.list(0..<count) { Text.item(key($0), version: $0 % 2) }
    try scene.measure { try stack.take(json) }
  }
}
