/// Rows of one entity in stored form: cell after cell, row after row, in slot order.
///
/// ```
///            slot 0   slot 1   …   slot width-1
/// row 0    │ cell   │ cell   │   │ cell         │
/// row 1    │ cell   │ cell   │   │ cell         │
/// ```
///
/// A to-one slot holds the row number of its destination as an integer cell. To-many slots stay
/// absent: their content lies in other rows or in link tables. Confined to its owner.
package final class RowBlock {
  /// Number of slots of the entity.
  package let width: Int
  package var count: Int { used }
  private var used = 0
  private var cells: UnsafeMutablePointer<Cell>
  private var capacity: Int

  package init(width: Int, capacity: Int = 16) {
    self.width = Swift.max(width, 1)
    self.capacity = Swift.max(capacity, 1)
    cells = PlainMemory.resize(nil, to: self.width * self.capacity)
  }

  deinit {
    PlainMemory.free(cells)
  }

  /// The cells of one row.
  package subscript(row: Int) -> UnsafeMutablePointer<Cell> {
    cells + row * width
  }

  /// Adds a row in which nothing is said about any slot, and returns its index.
  ///
  /// - Complexity: O(`width`), amortised.
  package func append() -> Int {
    if used == capacity { grow() }
    (cells + used * width).initialize(repeating: .absent, count: width)
    used += 1
    return used - 1
  }

  /// Sets memory aside for so many rows. It is not in use before they come.
  package func reserve(_ count: Int) {
    guard count > capacity else { return }
    capacity = count
    cells = PlainMemory.resize(cells, to: width * capacity)
  }

  /// Forgets the last row.
  package func removeLast() {
    used -= 1
  }

  /// Forgets all rows and keeps the memory.
  package func removeAll() {
    used = 0
  }

  /// Grows by half, not by doubling: blocks are large and most of them are close to full.
  private func grow() {
    capacity += Swift.max(capacity / 2, 16)
    cells = PlainMemory.resize(cells, to: width * capacity)
  }
}

@available(*, unavailable, message: "A block is confined to the batch that owns it.")
extension RowBlock: Sendable {}
