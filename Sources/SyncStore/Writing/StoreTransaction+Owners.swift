import SyncCore

/// To-many relationships whose members are told by a column of theirs: an object that comes, or
/// gets another owner, changes the lists of its owners. Code that writes such a column records them
/// by this.
extension StoreTransaction {
  /// The owners of some rows, by row, for each side on which they have one.
  typealias Owners = [(side: OwnerSide, owners: [Int64: Int64])]

  /// The owners of rows that are about to be written.
  ///
  /// - Parameter slots: Those that will be written.
  /// - Complexity: one lookup for each row, when an owner is among the slots.
  func owners(of rows: [Int64], _ target: EntityLayout, _ slots: SlotSet) throws -> Owners {
    let sides = target.ownerSides.filter { slots.contains($0.slot) }
    guard !sides.isEmpty else { return [] }
    var result: Owners = sides.map { ($0, [:]) }
    for index in result.indices { result[index].owners.reserveCapacity(rows.count) }
    try scan(target.entity, .rows(rows), slots: sides.map(\.slot), isOrdered: false) { cursor in
      for (index, side) in sides.enumerated() {
        result[index].owners[cursor.row] = cursor.integer(side.slot) ?? 0
      }
    }
    return result
  }

  /// Records the owners that rows have left and those that they have now.
  ///
  /// - Parameters:
  ///   - former: The owners that ``owners(of:_:_:)`` gave before they were written.
  ///   - skipped: Positions of rows that were not written, ascending.
  ///   - cells: The cells that were written at a position.
  func recordOwners(
    _ former: Owners, of rows: some RandomAccessCollection<Int64>, except skipped: [Int],
    cells: (Int) -> UnsafeMutablePointer<Cell>
  ) {
    for (side, owners) in former {
      let table = layout.entities[side.destination].table
      var rest = skipped[...]
      for (position, row) in rows.enumerated() {
        if position == rest.first {
          rest.removeFirst()
          continue
        }
        let cell = cells(position)[side.slot]
        let (before, now) = (owners[row] ?? 0, cell.isEmpty ? 0 : cell.integer)
        guard before != now else { continue }
        for owner in [before, now] where owner > 0 {
          recorder.update(owner, in: table, slots: [side.inverseSlot])
        }
      }
    }
  }

  /// Records stored owners of rows that came.
  func recordOwners(ofNew indexes: [Int32], in block: RowBlock, _ target: EntityLayout) {
    for side in target.ownerSides where side.slot < block.width {
      let table = layout.entities[side.destination].table
      for index in indexes {
        let cell = block[Int(index)][side.slot]
        guard !cell.isEmpty, !recorder.isNew(cell.integer, in: table) else { continue }
        recorder.update(cell.integer, in: table, slots: [side.inverseSlot])
      }
    }
  }
}
