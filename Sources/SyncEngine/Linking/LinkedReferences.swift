import SyncCore

/// The targets of the to-one relationships of a batch's objects, as far as the payload mentions
/// them: decided by linking, beside the values of staging and matching.
///
/// ```
/// objects   │ occurrences │ stored rows that the payload does not describe, by their index │
/// column    │ row number, 0 for none, -1 where nothing is said                             │
/// ```
///
/// Confined to the sync that owns it.
final class LinkedReferences {
  /// The targets of one relationship now, by object, and those before, by the index of stored rows.
  /// Of plain pointers, so that nothing is counted for each object.
  struct Column: BitwiseCopyable {
    let slot: Int
    let now: UnsafeMutablePointer<Int64>
    let before: UnsafeMutablePointer<Int64>
  }

  private let batch: MatchedBatch

  /// Those of which anything is said, and their memory.
  private let columns = PlainArray<Column>()
  private var rows: [PlainArray<Int64>] = []

  init(_ batch: MatchedBatch) { self.batch = batch }

  // MARK: - Objects

  /// The number of a stored object.
  @inline(__always)
  func object(ofStored index: Int32) -> Int32 {
    let occurrence = batch.stored.occurrences[index]
    return occurrence >= 0 ? occurrence : Int32(batch.matches.count) + index
  }

  /// The index of an object's stored row, or -1.
  @inline(__always)
  func stored(_ object: Int32) -> Int32 {
    let count = Int32(batch.matches.count)
    return object < count ? batch.matches[object].stored : object - count
  }

  func id(of object: Int32) -> ManagedObjectID {
    let stored = stored(object)
    guard stored >= 0 else {
      return ManagedObjectID(entity: batch.entity, row: batch.matches[object].row)
    }
    return ManagedObjectID(
      entity: batch.concreteEntity(ofStored: stored), row: batch.stored.rows[stored])
  }

  // MARK: - References

  /// The targets of a relationship of the entity, to be changed.
  func column(_ slot: Int) -> PlainArray<Int64> {
    if let known = said(slot) { return known }
    let column = PlainArray<Int64>(
      repeating: -1, count: batch.matches.count + batch.stored.count)
    guard let before = batch.destinations(of: slot) else { return column }
    columns.append(Column(slot: slot, now: column.start, before: before.start))
    rows.append(column)
    return column
  }

  /// The targets of a relationship; nil when no object mentions it.
  func said(_ slot: Int) -> PlainArray<Int64>? {
    columns.firstIndex { $0.slot == slot }.map { rows[$0] }
  }

  /// Row that an object leads to, 0 for none, -1 where nothing is said.
  @inline(__always)
  subscript(slot: Int, object: Int32) -> Int64 {
    for column in columns.elements where column.slot == slot { return column.now[Int(object)] }
    return -1
  }

  /// Gives an object the targets of another one.
  func copy(_ object: Int32, to other: Int32) {
    for column in columns where column.now[Int(object)] >= 0 {
      column.now[Int(other)] = column.now[Int(object)]
    }
  }

  /// Checks in debug builds that each relationship has a target for every object.
  ///
  /// - Complexity: O(*n*) in the objects; nothing in release builds.
  func check() {
    let count = batch.matches.count + batch.stored.count
    assert(
      rows.allSatisfy { $0.count == count && $0.allSatisfy { $0 >= -1 } },
      "Linking has handed over a relationship without a target for each object.")
  }

  // MARK: - Differences

  /// Whether an object leads elsewhere than its stored row did.
  @inline(__always)
  func differs(_ object: Int32, from stored: Int32) -> Bool {
    for column in columns.elements {
      let now = column.now[Int(object)]
      if now >= 0, now != column.before[Int(stored)] { return true }
    }
    return false
  }

  /// Adds the relationships by which it does so.
  func addDifferences(of object: Int32, from stored: Int32, to slots: inout SlotSet) {
    for column in columns.elements {
      let now = column.now[Int(object)]
      if now >= 0, now != column.before[Int(stored)] { slots.insert(column.slot) }
    }
  }

  /// Calls a closure with where objects led to by a relationship and where they lead to now, 0 for
  /// none, as far as that is not the same.
  func forEachMove(
    by slot: Int, _ control: SyncControl, _ body: (_ before: Int64, _ now: Int64) -> Void
  ) throws {
    guard let column = columns.first(where: { $0.slot == slot }) else { return }
    let count = Int32(batch.matches.count + batch.stored.count)
    for object in 0..<count {
      if Int(object) % SyncControl.stride == 0 { try control.checkpoint() }
      let now = column.now[Int(object)]
      guard now >= 0 else { continue }
      let stored = stored(object)
      let before = stored >= 0 ? column.before[Int(stored)] : 0
      if now != before { body(before, now) }
    }
  }

  /// The stored objects that the payload does not describe and that lead elsewhere now, and by
  /// which relationships.
  ///
  /// - Throws: `CancellationError`.
  func beside(_ control: SyncControl) throws -> [(object: Int32, slots: SlotSet)] {
    guard !columns.isEmpty else { return [] }
    var result: [(object: Int32, slots: SlotSet)] = []
    let first = Int32(batch.matches.count)
    for index in 0..<Int32(batch.stored.count) {
      if Int(index) % SyncControl.stride == 0 { try control.checkpoint() }
      guard differs(first + index, from: index) else { continue }
      var slots = SlotSet()
      addDifferences(of: first + index, from: index, to: &slots)
      result.append((first + index, slots))
    }
    return result
  }

  /// Fills the cells of an object.
  @inline(__always)
  func fill(_ cells: UnsafeMutablePointer<Cell>, of object: Int32) {
    for column in columns.elements {
      let row = column.now[Int(object)]
      cells[column.slot] = row > 0 ? .integer(row) : row == 0 ? .null : .absent
    }
  }
}

@available(*, unavailable, message: "References are confined to the sync that owns them.")
extension LinkedReferences: Sendable {}
