import SyncCore

/// The UPDATE statements of one concrete entity, kept for later transactions of the store. Confined
/// to the writer queue.
final class UpdateStatements {
  /// The slots that an UPDATE sets, and whether it expects a version.
  private struct Shape: Hashable {
    let slots: SlotSet
    let expectsVersion: Bool
  }

  /// An UPDATE, and the slots of its parameters: listed once, not for each row.
  struct Update {
    let statement: Statement
    let slots: [Int]
  }

  private let layout: EntityLayout
  private let connection: Connection
  private var updates: [Shape: Update] = [:]

  /// The latest update: most rows are written like the one before.
  private var latest: (shape: Shape, update: Update)?

  init(_ layout: EntityLayout, connection: Connection) {
    self.layout = layout
    self.connection = connection
  }

  /// The statement that sets some slots.
  func update(_ slots: SlotSet, expectsVersion: Bool) throws -> Update {
    let shape = Shape(slots: slots, expectsVersion: expectsVersion)
    if let latest, latest.shape == shape { return latest.update }
    let update = try updates[shape] ?? make(shape)
    if updates.count > 200 { updates.removeAll() }
    updates[shape] = update
    latest = (shape, update)
    return update
  }

  private func make(_ shape: Shape) throws -> Update {
    let columns = shape.slots.compactMap { layout.column($0) }
    var assignments = columns.map { "\($0.quoted) = ?" }
    for (index, column) in columns.enumerated() {
      // Under another owner the old position means nothing; without one it stands last. The right
      // sides read the row as it was (https://www.sqlite.org/lang_update.html).
      guard let position = layout.table.position(beside: column.ordinal) else { continue }
      let name = position.quoted
      assignments.append("\(name) = CASE WHEN \(column.quoted) IS ?\(index + 1) THEN \(name) END")
    }
    assignments.append("_version = _version + 1")
    let statement = try connection.ownedStatement(
      "UPDATE \(layout.table.quoted) SET \(assignments.joined(separator: ", ")) WHERE _row = ?"
        + (shape.expectsVersion ? " AND _version = ?" : ""))
    return Update(statement: statement, slots: shape.slots.filter { layout.ordinals[$0] >= 0 })
  }
}
