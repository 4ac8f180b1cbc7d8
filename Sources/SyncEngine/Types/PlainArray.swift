import SyncCore

/// Plain values one after the other, for the loops that touch every object of a payload.
///
/// A class, so that a change in place needs neither a check for other owners nor one for
/// overlapping access: together they took a third of all instructions of a sync that changes
/// nothing. Grows by half, because these lists are large. Confined to the sync that owns it.
final class PlainArray<Element: BitwiseCopyable>: RandomAccessCollection {
  private var base: UnsafeMutablePointer<Element>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 0) {
    self.capacity = capacity
    base = capacity > 0 ? PlainMemory.resize(nil, to: capacity) : PlainMemory.empty()
  }

  /// Makes so many equal elements.
  convenience init(repeating element: Element, count: Int) {
    self.init(capacity: count)
    base.initialize(repeating: element, count: count)
    self.count = count
  }

  deinit {
    PlainMemory.free(base)
  }

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      assert(index >= 0 && index < count, "Index \(index) is beyond the \(count) elements.")
      return base[index]
    }
    _modify {
      assert(index >= 0 && index < count, "Index \(index) is beyond the \(count) elements.")
      yield &base[index]
    }
  }

  /// The element at an index as batches and stored rows keep it.
  @inline(__always)
  subscript(index: Int32) -> Element {
    get { self[Int(index)] }
    _modify { yield &self[Int(index)] }
  }

  /// Where the elements lie, until one is added.
  var start: UnsafeMutablePointer<Element> { base }

  /// - Complexity: O(1), amortised.
  @inline(__always)
  func append(_ element: Element) {
    if count == capacity { grow() }
    (base + count).initialize(to: element)
    count += 1
  }

  /// Adds elements that lie somewhere as bytes.
  func append(_ bytes: UnsafeRawBufferPointer) {
    let added = bytes.count / MemoryLayout<Element>.stride
    guard added > 0, let source = bytes.baseAddress else { return }
    if count + added > capacity {
      capacity = Swift.max(count + added, capacity + capacity / 2)
      base = PlainMemory.resize(base, to: capacity)
    }
    UnsafeMutableRawPointer(base + count)
      .copyMemory(from: source, byteCount: added * MemoryLayout<Element>.stride)
    count += added
  }

  /// The elements, until one is added.
  var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

  /// Sets memory aside for so many elements. It is not in use before they come.
  func reserve(_ count: Int) {
    guard count > capacity else { return }
    capacity = count
    base = PlainMemory.resize(base, to: capacity)
  }

  /// Forgets all elements from an index on and keeps the memory.
  @inline(__always)
  func removeAll(from index: Int) {
    count = index
  }

  /// Takes elements out.
  ///
  /// - Complexity: O(*n*) in the elements behind them.
  func remove(from index: Int, count removed: Int) {
    (base + index).update(from: base + index + removed, count: count - index - removed)
    count -= removed
  }

  @inline(never)
  private func grow() {
    capacity += Swift.max(capacity / 2, 16)
    base = PlainMemory.resize(base, to: capacity)
  }
}

extension PlainArray where Element: Equatable {
  /// Whether both have the same elements.
  @inline(__always)
  func isEqual(to other: PlainArray) -> Bool {
    guard count == other.count else { return false }
    for index in 0..<count where base[index] != other.base[index] { return false }
    return true
  }
}

@available(*, unavailable, message: "A plain array is confined to the sync that owns it.")
extension PlainArray: Sendable {}
