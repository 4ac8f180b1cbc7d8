import Foundation
import SyncStack

extension Shape {
  /// Several lists, and pages that come from elsewhere. `growth.json` compares those that do the
  /// same.
  static let imports = [
    Shape("three lists in one sync", counted: 500, timed: 5000) { count, scene in
      let (stack, lists) = try (scene.stack(ShapeModels.lists()), threeLists(count))
      try scene.measure { try stack.take(lists.map { .list($0.json, of: $0.entity) }) }
    },
    Shape("three lists in three syncs", counted: 500, timed: 5000) { count, scene in
      let (stack, lists) = try (scene.stack(ShapeModels.lists()), threeLists(count))
      try scene.measure { for list in lists { try stack.take(list.json, list.entity) } }
    },
    Shape("two lists of one document", counted: 500, timed: 5000) { count, scene in
      let (stack, lists) = try (scene.stack(ShapeModels.lists()), threeLists(count))
      var json = Data("{\"items\":".utf8)
      json += lists[0].json + Data(",\"children\":".utf8) + lists[1].json + Data("}".utf8)
      try scene.measure {
        try stack.take([
          .list(json, of: "Item", at: "items"), .list(json, of: "Child", at: "children"),
        ])
      }
    },
    Shape("two lists of two documents", counted: 500, timed: 5000) { count, scene in
      let (stack, lists) = try (scene.stack(ShapeModels.lists()), threeLists(count))
      try scene.measure { try stack.take(lists.prefix(2).map { .list($0.json, of: $0.entity) }) }
    },
    Shape("an import of pages of 50", counted: 500, timed: 5000) { count, scene in
      let stack = try scene.stack(ShapeModels.lists())
      try stack.take(page(count / 2..<count + count / 2))
      let pages = stride(from: 0, to: count, by: 50).map { page($0..<$0 + 50) }
      let run = Import(named: "nightly", into: stack) {
        Feed("Item") { place in
          let number = place.flatMap { Int($0) } ?? 0
          return FeedPage(
            .data(pages[number]), next: number + 1 < pages.count ? "\(number + 1)" : nil)
        }
      }
      run.settings.deletionGuard = .off
      try scene.measure {
        run.start()
        run.waitUntilFinished()
        _ = try run.result?.get()
      }
    },
  ]

  /// Items, children that belong to them, and tags.
  private static func threeLists(_ count: Int) -> [(entity: String, json: Data)] {
    [
      ("Item", Text.list(0..<count) { "{\"id\":\($0),\"name\":\"item \($0)\"}" }),
      ("Child", Text.list(0..<count) { "{\"id\":\($0),\"name\":\"child\",\"item_id\":\($0)}" }),
      ("Tag", Text.list(0..<count) { "{\"id\":\($0),\"name\":\"tag \($0)\"}" }),
    ]
  }
}

extension DataStack {
  /// Syncs several lists together on this thread.
  fileprivate func take(_ lists: [SyncList]) throws {
    try run(Sync(lists: lists, dataStack: self))
  }
}

extension Shape {
  /// Models that are large themselves.
  static let models = [
    Shape("small syncs in a model of many entities", counted: 50, timed: 200) { count, scene in
      let stack = try scene.stack(ShapeModels.many(count))
      let items = (0..<20).map { number in Text.list([number]) { Text.item("\($0)") } }
      for number in 0..<20 { try stack.take(items[number], "Item\(number)") }
      try scene.measure {
        for number in 0..<20 {
          try stack.takePage(items[(number + 1) % 20], "Item\(number)")
        }
      }
    },
    Shape("a new store for a model of many entities", counted: 25, timed: 100) { count, scene in
      let model = try ShapeModels.many(count)
      try scene.measure { try scene.stack(model).close() }
    },
    Shape("a migration of all entities", counted: 15, timed: 50) { count, scene in
      let stack = try scene.stack(ShapeModels.many(count))
      let item = Text.list([1]) { Text.item("\($0)") }
      for number in 0..<count { try stack.take(item, "Item\(number)") }
      try stack.close()
      let model = try ShapeModels.many(count, columns: 5)
      try scene.measure { try scene.stack(model).close() }
    },
    Shape("a chain of superentities", counted: 25, timed: 50) { count, scene in
      try scene.measure { _ = try ShapeModels.chain(count) }
    },
  ]
}
