import SyncCore

/// How one list became another: deletions, insertions, moves and changes in place.
///
/// Carried out in this order, which is that of table and collection views:
/// 1. everything at ``deletions`` and at the old places of ``moves`` leaves the old list,
/// 2. everything at ``insertions`` and at the new places of ``moves`` enters, in ascending order of
///    the new places,
/// 3. ``updates`` have new values and are where they are.
///
/// Moves are as few as possible: of the objects that stay, a longest run that kept its order is
/// left where it is.
public struct ResultsDifference: Sendable, Hashable {
  /// An object that is in both lists.
  public struct Move: Sendable, Hashable {
    /// Its index in the old list.
    public let from: Int

    /// Its index in the new list.
    public let to: Int

    package init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  /// Indexes in the old list, ascending.
  public private(set) var deletions: [Int] = []

  /// Indexes in the new list, ascending.
  public private(set) var insertions: [Int] = []

  /// Ascending by new index.
  public private(set) var moves: [Move] = []

  /// Objects in both lists whose values changed, moved or not; ascending by new index.
  public private(set) var updates: [Move] = []

  /// Whether both lists and all values are the same.
  public var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty
  }

  /// Compares two lists in which nothing occurs twice.
  ///
  /// - Parameters:
  ///   - isUpdated: whether something that is in both has new values.
  ///   - staysInSection: whether the elements at these places of old and new list are in the same
  ///     section; an element that is not has moved, even when its neighbours are the same.
  /// - Complexity: O(*n* log *n*) in the elements between the equal beginnings and ends, O(*n*)
  ///   otherwise.
  package init<ID: Hashable>(
    from old: [ID], to new: [ID], isUpdated: (ID) -> Bool = { _ in false },
    staysInSection: (Int, Int) -> Bool = { _, _ in true }
  ) {
    self.init(
      from: old, to: new, isUpdatedAt: { isUpdated(new[$0]) }, staysInSection: staysInSection)
  }

  /// Compares two lists in which nothing occurs twice.
  ///
  /// - Parameter isUpdatedAt: whether the element at an index of the new list, when it was in the
  ///   old one, has new values.
  init<ID: Hashable>(
    from old: [ID], to new: [ID], isUpdatedAt: (Int) -> Bool,
    staysInSection: (Int, Int) -> Bool
  ) {
    let shorter = min(old.count, new.count)
    var head = 0
    while head < shorter, old[head] == new[head] { head += 1 }
    var tail = 0
    while tail < shorter - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] {
      tail += 1
    }
    var places: [ID: Int] = [:]
    places.reserveCapacity(old.count - head - tail)
    for index in head..<(old.count - tail) { places[old[index]] = index }
    var common: [Move] = []
    for index in head..<(new.count - tail) {
      if let place = places.removeValue(forKey: new[index]) {
        common.append(Move(from: place, to: index))
      } else {
        insertions.append(index)
      }
    }
    deletions = places.values.sorted()
    // Beginning and end kept their order; the part between has a longest run that did.
    let settled = common.filter { staysInSection($0.from, $0.to) }
    let kept = Set(ResultsDifference.longestRun(settled.map(\.from)))

    func add(_ move: Move, isMoved: Bool) {
      if isUpdatedAt(move.to) { updates.append(move) }
      if isMoved { moves.append(move) }
    }
    for index in 0..<head {
      add(Move(from: index, to: index), isMoved: !staysInSection(index, index))
    }
    for move in common { add(move, isMoved: !kept.contains(move.from)) }
    for offset in (0..<tail).reversed() {
      let move = Move(from: old.count - 1 - offset, to: new.count - 1 - offset)
      add(move, isMoved: !staysInSection(move.from, move.to))
    }
  }

  /// Only new values, at the same places.
  init(updates places: [Int]) {
    updates = places.map { Move(from: $0, to: $0) }
  }

  /// A longest ascending run among different numbers, not necessarily neighbours.
  ///
  /// Piles of patience: `tops[length]` is the position of the least number that ends a run of that
  /// length, `previous` leads back through the run.
  private static func longestRun(_ numbers: [Int]) -> [Int] {
    var tops: [Int] = []
    var previous = [Int](repeating: -1, count: numbers.count)
    for (position, number) in numbers.enumerated() {
      var low = tops.count
      if let last = tops.last, numbers[last] >= number {
        low = firstPlace(among: tops.count) { numbers[tops[$0]] < number }
      }
      if low > 0 { previous[position] = tops[low - 1] }
      if low == tops.count { tops.append(position) } else { tops[low] = position }
    }
    var result: [Int] = []
    var position = tops.last ?? -1
    while position >= 0 {
      result.append(numbers[position])
      position = previous[position]
    }
    return result
  }
}
