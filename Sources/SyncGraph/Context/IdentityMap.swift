/// Objects by row number: a hash table in one block of memory, made for numbers that mostly follow
/// each other.
///
/// ```
///            ┌─────────────────────┬─────────────────────┬─────────────────────┬───
///   places   │ 48 49 50 51 …    63 │ 16 17 18 …       31 │  0  1  2 …       15 │ …
///            └─────────────────────┴─────────────────────┴─────────────────────┴───
/// ```
///
/// Sixteen rows in sequence lie side by side, so that a fetch writes whole lines of the cache;
/// where their block lies is scattered. Were all rows in sequence to lie in sequence, the table
/// would be one long run of places taken, and closing the hole of a row that goes would have to
/// walk to its end: ten thousand deletions took fifty million steps.
///
/// An object that finds its place taken goes on at the next block, one place further: steps of
/// seventeen, which visit all places, and do not run along a full block.
///
/// Invariants:
/// 1. The number of places is a power of two of at least 32 (or nothing is there yet), and at most
///    three quarters of them are taken.
/// 2. From a row's own place to the place where it lies, in steps, all places are taken.
///
/// Confined to its owner.
package final class IdentityMap<Object: AnyObject> {
  private struct Entry {
    var row: Int64
    var object: Object?
  }

  package private(set) var count = 0
  private var places = 0
  private var shift: UInt64 = 0
  private var entries: UnsafeMutablePointer<Entry>

  package init() {
    entries = UnsafeMutablePointer.allocate(capacity: 0)
  }

  deinit {
    entries.deinitialize(count: places)
    entries.deallocate()
  }

  // MARK: - Looking

  @inline(__always)
  private func ownPlace(_ row: Int64) -> Int {
    let bits = UInt64(bitPattern: row)
    // Fibonacci hashing of the block: the upper bits of a product with 2^64 through the golden
    // ratio.
    let block = (bits >> 4 &* 0x9E37_79B9_7F4A_7C15) &>> shift
    return Int(truncatingIfNeeded: block << 4 | bits & 15)
  }

  @inline(__always)
  private func next(_ place: Int) -> Int {
    (place &+ 17) & (places - 1)
  }

  /// How many steps lead from one place to another.
  @inline(__always)
  private func steps(from first: Int, to last: Int) -> Int {
    // 17 × 0xF0F0F0F0F0F0F0F1 is 1, modulo any power of two up to 2^64.
    (last &- first) &* Int(bitPattern: 0xF0F0_F0F0_F0F0_F0F1) & (places - 1)
  }

  /// Where a row lies, or the free place where it would. There has to be a free place.
  @inline(__always)
  private func place(of row: Int64) -> Int {
    var place = ownPlace(row)
    while entries[place].object != nil, entries[place].row != row { place = next(place) }
    return place
  }

  /// The object of a row.
  package func object(_ row: Int64) -> Object? {
    count == 0 ? nil : entries[place(of: row)].object
  }

  /// Calls the body for all objects, in no order.
  package func visit(_ body: (Object) -> Void) {
    for place in 0..<places {
      if let object = entries[place].object { body(object) }
    }
  }

  /// How many places are taken one after the other, in steps, at most: the cost of finding or
  /// removing a row. For tests of growth.
  ///
  /// - Complexity: O(*n*).
  package var longestRun: Int {
    var longest = 0
    var run = 0
    // Twice around, because runs have no beginning.
    for step in 0..<(2 * places) where count < places {
      run = entries[step &* 17 & (places - 1)].object == nil ? 0 : run + 1
      longest = max(longest, run)
    }
    return longest
  }

  // MARK: - Changing

  /// Puts an object in; the one that was there before under that row goes.
  ///
  /// - Returns: whether there was none.
  package func insert(_ object: Object, row: Int64) -> Bool {
    if (count + 1) * 4 > places * 3 { resize(for: count + 1) }
    let place = place(of: row)
    let isNew = entries[place].object == nil
    entries[place].row = row
    entries[place].object = object
    if isNew { count += 1 }
    return isNew
  }

  /// Takes the object of a row out.
  package func remove(_ row: Int64) -> Object? {
    guard count > 0 else { return nil }
    var hole = place(of: row)
    guard let object = entries[hole].object.take() else { return nil }
    count -= 1
    // An object behind the hole and not in its own place may belong there.
    var place = next(hole)
    while entries[place].object != nil {
      let row = entries[place].row
      if steps(from: ownPlace(row), to: place) >= steps(from: hole, to: place) {
        entries[hole].row = row
        entries[hole].object = entries[place].object.take()
        hole = place
      }
      place = next(place)
    }
    return object
  }

  /// Makes room for objects that are about to come.
  package func reserve(_ further: Int) {
    if (count + further) * 4 > places * 3 { resize(for: count + further) }
  }

  /// Takes out all objects that are not held elsewhere.
  ///
  /// - Complexity: O(*n*).
  package func removeUnheld() -> [Object] {
    var unheld: [Object] = []
    for place in 0..<places where entries[place].object != nil {
      if isKnownUniquelyReferenced(&entries[place].object),
        let object = entries[place].object.take()
      {
        unheld.append(object)
      }
    }
    guard !unheld.isEmpty else { return [] }
    count -= unheld.count
    resize(for: count)
    return unheld
  }

  /// Moves everything to a table of the right size. Mends the second invariant where objects were
  /// taken out without closing the holes.
  private func resize(for wanted: Int) {
    let old = UnsafeMutableBufferPointer(start: entries, count: places)
    places = 0
    if wanted > 0 {
      places = 32
      while wanted * 4 > places * 3 { places *= 2 }
    }
    // The bits of a block's number are those of a place without the lower four.
    shift = UInt64(64 + 4 - places.trailingZeroBitCount)
    entries = UnsafeMutablePointer.allocate(capacity: places)
    entries.initialize(repeating: Entry(row: 0, object: nil), count: places)
    for index in old.indices {
      guard let object = old[index].object.take() else { continue }
      let place = place(of: old[index].row)
      entries[place].row = old[index].row
      entries[place].object = object
    }
    old.deinitialize()
    old.deallocate()
  }
}

@available(*, unavailable, message: "A map is confined to its context.")
extension IdentityMap: Sendable {}
