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
    let sync = Sync(lists: lists, dataStack: self)
    sync.start()
    _ = try sync.result?.get()
  }
}
