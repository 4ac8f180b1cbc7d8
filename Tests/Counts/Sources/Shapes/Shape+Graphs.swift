import Foundation
import SyncStack

extension Shape {
  /// Objects in a context.
  static let graphs = [
    Shape("save new objects", counted: 500, timed: 10_000) { count, scene in
      let stack = try scene.stack(ShapeModels.items())
      try stack.inContext { context in
        try scene.measure {
          for number in 0..<count {
            let object = try context.insert(entityNamed: "Item")
            object["id"] = Int64(number)
          }
          try context.save()
        }
      }
    },
    Shape("delete objects", counted: 500, timed: 10_000) { count, scene in
      let stack = try scene.stack(ShapeModels.items())
      try stack.take(Text.list(0..<count) { Text.item("\($0)") })
      try deleteItems(of: stack, scene)
    },
    Shape("delete objects with their children", counted: 500, timed: 10_000) { count, scene in
      let stack = try scene.stack(ShapeModels.lists())
      try stack.take(
        Text.list(0..<count / 10) { item in
          let children = (0..<9).map { "{\"id\":\(item * 10 + $0)}" }.joined(separator: ",")
          return "{\"id\":\(item),\"children\":[\(children)]}"
        })
      try deleteItems(of: stack, scene)
    },
    Shape("a batch deletes objects of a context", counted: 500, timed: 10_000) { count, scene in
      let stack = try scene.stack(ShapeModels.items())
      try stack.take(Text.list(0..<count) { Text.item("\($0)") })
      try stack.inContext { context in
        let request = Fetch<ManagedObject>(entityNamed: "Item")
        let objects = try context.fetch(request)
        try scene.measure { _ = try context.batchDelete(request) }
        withExtendedLifetime(objects) {}
      }
    },
    Shape("append to an ordered list", counted: 200, timed: 1000) { count, scene in
      try chapters(count, scene) { $0.chapters.append($1[$2]) }
    },
    Shape("insert at the front of an ordered list", counted: 200, timed: 1000) { count, scene in
      try chapters(count, scene) { $0.chapters.insert($1[$2], at: 0) }
    },
    Shape("move members to another owner", counted: 200, timed: 1000) { count, scene in
      try chapters(count, scene, isFilled: true) { $1[$2].item = $0 }
    },
    Shape("save edits of one", counted: 100, timed: 1000) { count, scene in
      let stack = try scene.stack(ShapeModels.items())
      try stack.take(Text.list(0..<count) { Text.item("\($0)") })
      try stack.inContext { context in
        let objects = try context.fetch(Fetch<ManagedObject>(entityNamed: "Item"))
        try scene.measure {
          for object in objects {
            object["text0"] = "mine"
            try context.save()
          }
        }
      }
    },
    Shape("fetches over edits in a child context", counted: 500, timed: 5000) { count, scene in
      let stack = try scene.stack(ShapeModels.items())
      try stack.take(Text.list(0..<count) { Text.item("\($0)") })
      let parent = stack.newBackgroundContext()
      let child = parent.newChildContext()
      try child.performAndWait {
        for object in try child.fetch(Fetch<ManagedObject>(entityNamed: "Item")) {
          object["text0"] = "mine"
        }
        let fetch = Fetch<ManagedObject>(entityNamed: "Item").filter("text0 == %@", "mine")
        try scene.measure {
          for _ in 0..<4 { _ = try child.fetch(fetch) }
        }
      }
    },
  ]

  /// Deletes all items, one by one, and saves.
  private static func deleteItems(of stack: DataStack, _ scene: Scene) throws {
    try stack.inContext { context in
      let objects = try context.fetch(Fetch<ManagedObject>(entityNamed: "Item"))
      try scene.measure {
        for object in objects { context.delete(object) }
        try context.save()
      }
    }
  }

  /// Does something with an item and each of so many chapters, which belong to another item or to
  /// none.
  private static func chapters(
    _ count: Int, _ scene: Scene, isFilled: Bool = false,
    _ body: (ShapeItem, [ShapeChapter], Int) throws -> Void
  ) throws {
    let stack = try DataStack(
      model: ManagedObjectModel(ShapeItem.self, ShapeChapter.self),
      store: .sqlite(scene.folder.appending(path: "shape.sqlite")),
      classes: [ShapeItem.self, ShapeChapter.self])
    try stack.inContext { context in
      let (first, second) = (context.insert(ShapeItem.self), context.insert(ShapeItem.self))
      let chapters = (0..<count).map { number in
        let chapter = context.insert(ShapeChapter.self)
        chapter.id = Int64(number)
        return chapter
      }
      if isFilled { first.chapters = chapters }
      try context.save()
      try scene.measure {
        for number in 0..<count { try body(second, chapters, number) }
        try context.save()
      }
    }
  }
}

final class ShapeItem: ManagedObject {
  @PrimaryKey var id: Int64 = 0
  @OrderedToMany(inverse: "item") var chapters: [ShapeChapter]
}

final class ShapeChapter: ManagedObject {
  @PrimaryKey var id: Int64 = 0
  @ToOne(inverse: "chapters") var item: ShapeItem?
}
