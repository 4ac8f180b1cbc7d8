import SyncStore
import TestSupport

/// A store in memory with the objects of a graph, under the same row numbers.
enum GraphLoader {
  static func load(_ graph: MemoryGraph) throws -> Store {
    let store = try Store(model: graph.model, configuration: .init(.memory))
    _ = try store.write { transaction in
      for entity in graph.model.entities where entity.superentity == nil {
        let count = graph.all(entity).count
        guard count > 0 else { continue }
        let first = try transaction.reserveRows(count, in: entity)
        precondition(first == 1, "The graph counts rows from 1.")
      }
      for entity in graph.model.entities { try insert(entity, of: graph, transaction) }
      for entity in graph.model.entities { try link(entity, of: graph, transaction) }
    }
    return store
  }

  private static func insert(
    _ entity: EntityDescription, of graph: MemoryGraph, _ transaction: StoreTransaction
  ) throws {
    let objects = graph.all(entity, includesSubentities: false)
    guard !objects.isEmpty else { return }
    let block = RowBlock(width: entity.properties.count)
    let arena = CellArena()
    for object in objects {
      let index = block.append()
      for property in entity.properties where property.isColumn {
        block[index][property.slot] =
          property.attribute == nil
          ? object.references[property.slot].map { .integer($0.row) } ?? .null
          : arena.cell(object.values[property.slot])
      }
    }
    try objects.map(\.row).withUnsafeBufferPointer { rows in
      guard let start = rows.baseAddress else { return }
      try transaction.insert(
        block, of: entity, indexes: objects.indices.map(Int32.init), rows: start)
    }
    withExtendedLifetime(arena) {}
  }

  private static func link(
    _ entity: EntityDescription, of graph: MemoryGraph, _ transaction: StoreTransaction
  ) throws {
    for relationship in entity.relationships where relationship.kind == .manyToMany {
      let pairs = graph.all(entity, includesSubentities: false).flatMap { owner in
        (owner.members[relationship.slot] ?? []).map { (owner: owner.row, member: $0.row) }
      }
      if !pairs.isEmpty { try transaction.addLinks(relationship, of: entity, pairs: pairs) }
    }
  }
}
