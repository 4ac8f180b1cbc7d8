import Foundation
import SyncStack

extension Shape {
  /// Models that are large themselves.
  static let models = [
    Shape("small syncs in a model of many entities", counted: 50, timed: 200) { count, scene in
      let stack = try scene.stack(ShapeModels.many(count))
      let items = (0..<20).map { number in Text.list([number]) { Text.item("\($0)") } }
      for number in 0..<20 { try stack.take(items[number], "Item\(number)") }
      try scene.measure {
        for number in 0..<20 {
          try stack.take(items[(number + 1) % 20], "Item\(number)") {
            $0.operations = [.insert, .update]
          }
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
