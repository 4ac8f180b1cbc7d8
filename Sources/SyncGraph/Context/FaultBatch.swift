/// Objects that came into a context together: the answer of a fetch, the members of lists that were
/// loaded together, the objects that one commit made stale. What one of them needs from the store
/// is read for all of them in the same statement.
final class FaultBatch {
  /// Row numbers in the order of the list, all of one root entity.
  let rows: [Int64]

  /// How many objects around the first that asks are served; twice as many each further time. So
  /// looking at one object of a hundred thousand reads a window, and walking them all takes few
  /// statements.
  private var windows: [Int: Int] = [:]
  private let firstWindow: Int

  init(rows: [Int64], firstWindow: Int) {
    self.rows = rows
    self.firstWindow = firstWindow
  }

  /// The positions to serve when the object at a position asks for something.
  ///
  /// - Parameter purpose: what is asked for: the ordinal of a relationship, or -1 for the row.
  func window(from position: Int, for purpose: Int) -> Range<Int> {
    let size = windows[purpose] ?? firstWindow
    windows[purpose] = size > rows.count ? size : size * 2
    guard size < rows.count else { return rows.indices }
    let start = min(position, rows.count - size)
    return start..<(start + size)
  }
}
