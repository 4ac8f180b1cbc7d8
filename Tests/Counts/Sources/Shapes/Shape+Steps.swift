import Foundation
import SyncStack

extension Shape {
  /// Objects inside objects.
  static let trees = [
    Shape("deep trees", counted: 500, timed: 10_000) { count, scene in
      let stack = try scene.stack(ShapeModels.tree())
      func json(_ version: Int) -> Data {
        Text.list(0..<count / 50) { tree in
          (0..<50).reversed().reduce("") { below, depth in
            let name = "node of \(depth % 2 == 0 ? version : 0)"
            let children = below.isEmpty ? "" : ",\"children\":[\(below)]"
            return "{\"id\":\(tree * 50 + depth),\"name\":\"\(name)\"\(children)}"
          }
        }
      }
      let (first, second) = (json(0), json(1))
      try scene.measure {
        try stack.take(first)
        try stack.take(second)
      }
    },
    Shape("a wide tree", counted: 500, timed: 10_000) { count, scene in
      let stack = try scene.stack(ShapeModels.tree())
      func json(_ version: Int) -> Data {
        let branches = (0..<count / 10).map { branch in
          let leaves = (1..<10).map {
            "{\"id\":\(branch * 10 + $0 + 1),\"name\":\"leaf of \($0 % 2 == 0 ? version : 0)\"}"
          }
          return "{\"id\":\(branch * 10 + 1),\"children\":[\(leaves.joined(separator: ","))]}"
        }
        return Data("[{\"id\":0,\"children\":[\(branches.joined(separator: ","))]}]".utf8)
      }
      let (first, second) = (json(0), json(1))
      try scene.measure {
        try stack.take(first)
        try stack.take(second)
      }
    },
  ]

  /// A list that comes in pieces.
  static let pages = [
    Shape("a session of pages of 50", counted: 500, timed: 5000) { count, scene in
      try session(count, scene, named: nil)
    },
    Shape("a kept session of pages of 50", counted: 500, timed: 5000) { count, scene in
      try session(count, scene, named: "nightly")
    },
    Shape("a commit per 50", counted: 500, timed: 5000) { count, scene in
      let stack = try scene.stack(ShapeModels.lists())
      let json = page(0..<count)
      try scene.measure { try stack.take(json) { $0.transaction = .perBatch(50) } }
    },
    Shape("a page of 50 into a table", counted: 2500, timed: 25_000) { count, scene in
      let stack = try scene.stack(ShapeModels.lists())
      try stack.take(page(0..<count))
      let pages = (0..<5).map { number in page((0..<50).map { ($0 * 61 + number * 50) % count }) }
      // The first one drops the fingerprints of the whole list, which is another kind of sync.
      try stack.takePage(pages[4])
      try scene.measure {
        for page in pages.prefix(4) { try stack.takePage(page) }
      }
    },
    Shape("one object many times", counted: 40, timed: 1000) { count, scene in
      let stack = try scene.stack(ShapeModels.lists())
      try stack.take(page(0..<count))
      let items = (0..<count).map { Text.list([$0 * 2]) { "{\"id\":\($0),\"name\":\"new\"}" } }
      try scene.measure { for item in items { try stack.takePage(item) } }
    },
  ]

  static func page(_ numbers: some Sequence<Int>) -> Data {
    Text.list(numbers) {
      "{\"id\":\($0),\"name\":\"item \($0)\",\"children\":[{\"id\":\($0),\"name\":\"child\"}]}"
    }
  }

  private static func session(_ count: Int, _ scene: Scene, named name: String?) throws {
    let stack = try scene.stack(ShapeModels.lists())
    try stack.take(page(count / 2..<count + count / 2))
    let pages = stride(from: 0, to: count, by: 50).map { page($0..<$0 + 50) }
    try scene.measure {
      let session = try SyncSession(entity: "Item", dataStack: stack, name: name)
      session.deletionGuard = .off
      for (number, page) in pages.enumerated() {
        try stack.run(session.page(.data(page), named: name == nil ? nil : "\(number)"))
      }
      try stack.run(session.finishOperation())
    }
  }

  /// Syncs into a store in which objects were edited, and not sent.
  static let edits = [
    Shape("a sync over edits", counted: 500, timed: 5000) { count, scene in
      let stack = try scene.stack(ShapeModels.items(), tracksChanges: true)
      try stack.take(Text.list(0..<count) { Text.item("\($0)") })
      try edit(stack) { object, _ in object["text0"] = "mine" }
      let json = Text.list(0..<count) { Text.item("\($0)", version: 1) }
      try scene.measure { try stack.take(json) }
    },
    Shape("a sync over deletions", counted: 500, timed: 2000) { count, scene in
      let stack = try scene.stack(ShapeModels.items(), tracksChanges: true)
      let json = Text.list(0..<count) { Text.item("\($0)") }
      try stack.take(json)
      try edit(stack) { object, context in context.delete(object) }
      try scene.measure { try stack.take(json) }
    },
    Shape("many syncs over edits", counted: 50, timed: 250) { count, scene in
      let stack = try scene.stack(ShapeModels.items(), tracksChanges: true)
      try stack.take(Text.list(0..<2 * count) { Text.item("\($0)") })
      for start in stride(from: 0, to: 2 * count, by: 2) {
        let keys = [Int64(start), Int64(start + 1)]
        try edit(stack, Filter("id IN %@", keys)) { object, _ in object["text0"] = "mine" }
      }
      let items = (0..<count).map { Text.list([$0]) { Text.item("\($0)", version: 1) } }
      try scene.measure { for item in items { try stack.takePage(item) } }
    },
  ]

  private static func edit(
    _ stack: DataStack, _ filter: Filter? = nil,
    _ body: (ManagedObject, ManagedObjectContext) throws -> Void
  ) throws {
    try stack.inContext { context in
      for object in try context.fetch(Fetch<ManagedObject>(entityNamed: "Item", filter)) {
        try body(object, context)
      }
      try context.save()
    }
  }
}
