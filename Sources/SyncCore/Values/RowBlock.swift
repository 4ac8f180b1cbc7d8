/// Rows of one entity in stored form: cell after cell, row after row, in slot order.
///
/// ```
///            slot 0   slot 1   …   slot width-1
/// row 0    │ cell   │ cell   │   │ cell         │
/// row 1    │ cell   │ cell   │   │ cell         │
/// ```
///
/// A to-one slot holds the row number of its destination as an integer cell. To-many slots stay
/// absent: their content lies in other rows or in link tables; a row without any behind the last
/// column need not make room for them. Confined to its owner.
@usableFromInline
package final class RowBlock {
  // Loops of other modules read some of these, where the compiler cannot see that nothing else
  // writes them.

  /// Number of slots of a row, the first of which is ``first``.
  @exclusivity(unchecked) @usableFromInline package private(set) var width: Int
  @inlinable package var count: Int { used }
  @exclusivity(unchecked) @usableFromInline private(set) var used = 0
  /// The slot that ``cells`` begins with.
  private var first: Int
  private var cells: UnsafeMutablePointer<Cell>
  /// Where slot 0 of the first row would be.
  @exclusivity(unchecked) @usableFromInline private(set) var origin: UnsafeMutablePointer<Cell>
  private var capacity: Int

  package convenience init(width: Int, capacity: Int = 0) {
    self.init(slots: 0..<Swift.max(width, 1), capacity: capacity)
  }

  /// Makes a block of some slots of an entity, at least one. Other slots may not be asked for.
  package init(slots: Range<Int>, capacity: Int = 0) {
    require(!slots.isEmpty, "A block has at least one slot.")
    first = slots.lowerBound
    width = slots.count
    self.capacity = capacity
    cells = capacity > 0 ? PlainMemory.resize(nil, to: width * capacity) : PlainMemory.empty()
    origin = cells - first
  }

  deinit {
    PlainMemory.free(cells)
  }

  /// The cells of one row.
  @inlinable @inline(__always)
  package subscript(row: Int) -> UnsafeMutablePointer<Cell> {
    origin + row * width
  }

  /// The same, by an index as lists of rows keep it.
  @inlinable @inline(__always)
  package subscript(row: Int32) -> UnsafeMutablePointer<Cell> { self[Int(row)] }

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
    resize(to: count)
  }

  /// Gives the memory of all slots back but that of some, which alone may be asked for from now on.
  ///
  /// - Parameter slots: slots of the block, at least one.
  /// - Complexity: O(*n*) in the number of rows.
  package func narrow(to slots: Range<Int>) {
    require(
      !slots.isEmpty && slots.lowerBound >= first && slots.upperBound <= first + width,
      "Ask for slots that the block has.")
    guard slots.count < width else { return }
    var source = origin + slots.lowerBound
    var target = cells
    for _ in 0..<used {
      // Earlier rows are moved first, so that nothing is overwritten that is still needed.
      target.update(from: source, count: slots.count)
      source += width
      target += slots.count
    }
    first = slots.lowerBound
    width = slots.count
    origin = cells - first
    if capacity > 0 { resize(to: Swift.max(used, 1)) }
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
    resize(to: capacity + Swift.max(capacity / 2, 16))
  }

  private func resize(to capacity: Int) {
    self.capacity = capacity
    cells = PlainMemory.resize(cells, to: width * capacity)
    origin = cells - first
  }
}

@available(*, unavailable, message: "A block is confined to the batch that owns it.")
extension RowBlock: Sendable {}
