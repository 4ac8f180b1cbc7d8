package import SyncCore

extension StoreTransaction {
  /// Takes commits back, as far as later ones have not changed what they did. Schema changes are
  /// not taken back.
  ///
  /// - Parameters:
  ///   - first: The first of the commits, which follow each other.
  ///   - approve: Told how many objects of an entity would go of how many there are; throws when
  ///     that is too much.
  /// - Returns: What was left alone; the changes are those of the transaction.
  /// - Throws: ``StoreError`` with ``StoreError/Code/historyExpired`` when former values are not
  ///   kept any more.
  /// - Complexity: linear in the changes of the commits and of all later ones; these are held in
  ///   memory.
  package func undo(
    from first: HistoryToken, through last: HistoryToken,
    approve: (_ entity: EntityDescription, _ deleted: Int, _ total: Int) throws -> Void
  ) throws -> [UndoReport.Left] {
    try requireOpen()
    try requireFormerValues(from: first)
    let latest = try requireCommit(last)
    let before = try formerState(from: first.number, through: last.number)
    let after = try formerState(from: last.number + 1, through: latest.number)
    var planner = UndoPlanner(transaction: self, before: before, after: after)
    try planner.plan()
    let made = Dictionary(grouping: planner.made, by: \.entity.rootIndex)
    for (root, ids) in made.inKeyOrder {
      let entity = layout.entities[root].entity
      let total = try connection.scalar("SELECT count(*) FROM \(layout.table(of: entity).quoted)")
      try approve(entity, ids.count, Int(total ?? 0))
    }
    let left = try named(planner)
    try UndoWriter(transaction: self, plan: planner, first: first.number, last: last.number).run()
    return left
  }

  /// What a plan leaves, with the keys that the objects have, or had.
  private func named(_ planner: UndoPlanner) throws -> [UndoReport.Left] {
    let unknown = planner.before.unknown.sorted().map {
      UndoReport.Left(
        entity: $0.entity, objectID: nil, key: nil, property: $0.property, reason: .notInModel)
    }
    return try unknown
      + planner.left.sorted {
        ($0.id, $0.slot ?? -1, $0.reason.rawValue) < ($1.id, $1.slot ?? -1, $1.reason.rawValue)
      }.map { left in
        let key = try left.id.entity.primaryKey.map { key in
          try planner.now[left.id]?[key.slot] ?? planner.before.objects[left.id]?.values[key.slot]
            ?? value(key.slot, of: left.id)
        }
        return UndoReport.Left(
          entity: left.id.entity.name, objectID: left.id, key: key,
          property: left.slot.map { left.id.entity.properties[$0].name }, reason: left.reason)
      }
  }
}
