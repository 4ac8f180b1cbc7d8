/// Objects by row number: a hash table in one block of memory, made for numbers that mostly follow each
/// other.
///
/// ```
///   place   0        1        2        3        4        5        6        7
///         ┌────────┬────────┬────────┬────────┬────────┬────────┬────────┬────────┐
///         │ 8      │ 1      │ 2      │ 9      │        │        │        │ 7      │   8 and 9 came after 1
///         └────────┴────────┴────────┴────────┴────────┴────────┴────────┴────────┘   and 2 had
/// ```
///
/// A row's own place is its number with the higher bits folded in, modulo the number of places: rows in
/// sequence lie in sequence, so a fetch writes the table from front to back, and rows that are a power of
/// two apart do not meet.
///
/// Invariants:
/// 1. The number of places is a power of two (or nothing is there yet), and at most three quarters of
///    them are taken.
/// 2. From a row's own place up to the place where it lies, all places are taken.
///
/// Confined to whoever owns it.
package final class IdentityMap<Object: AnyObject> {
  private struct Entry {
    var row: Int64
    var object: Object?
  }

  package private(set) var count = 0
  private var places = 0
  private var shift: Int64 = 0
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
    Int(truncatingIfNeeded: row &+ row >> shift) & (places - 1)
  }

  /// Where a row lies, or the free place where it would. There has to be a free place.
  @inline(__always)
  private func place(of row: Int64) -> Int {
    var place = ownPlace(row)
    while entries[place].object != nil, entries[place].row != row {
      place = (place + 1) & (places - 1)
    }
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
    // What lies behind the hole and not in its own place may belong there.
    var next = (hole + 1) & (places - 1)
    while entries[next].object != nil {
      let distance = (next - ownPlace(entries[next].row)) & (places - 1)
      if distance >= (next - hole) & (places - 1) {
        entries[hole].row = entries[next].row
        entries[hole].object = entries[next].object.take()
        hole = next
      }
      next = (next + 1) & (places - 1)
    }
    return object
  }

  /// Makes room for objects that are about to come.
  package func reserve(_ further: Int) {
    if (count + further) * 4 > places * 3 { resize(for: count + further) }
  }

  /// Takes out all objects that nobody else holds.
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
      places = 8
      while wanted * 4 > places * 3 { places *= 2 }
    }
    shift = Int64(places.trailingZeroBitCount)
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
