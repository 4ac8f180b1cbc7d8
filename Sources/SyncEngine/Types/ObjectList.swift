package import SyncCore

/// Objects in an order, as the numbers of their rows: identifiers are made when somebody asks for them.
package struct ObjectList: Sendable {
  /// Objects of one entity, one behind the other.
  private var runs: [(entity: EntityDescription, rows: [Int64])] = []

  package init() {}

  mutating func append(_ row: Int64, _ entity: EntityDescription) {
    guard let last = runs.indices.last, runs[last].entity.index == entity.index else {
      return runs.append((entity, [row]))
    }
    runs[last].rows.append(row)
  }

  mutating func append(_ other: ObjectList) { runs += other.runs }

  package var identifiers: [ManagedObjectID] {
    runs.flatMap { run in run.rows.map { ManagedObjectID(entity: run.entity, row: $0) } }
  }
}
