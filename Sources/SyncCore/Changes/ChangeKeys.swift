/// Primary-key values of changed objects, in the order of the objects.
///
/// A collection of ``Value``. Keys that are all integers, as most are, take eight bytes each, and
/// four as long as all of them fit into 32 bits.
package struct ChangeKeys: Sendable {
  private enum Width {
    case small, integer, any
  }

  /// Which of the lists below holds all keys.
  private var width = Width.small
  private var smalls: [Int32] = []
  private var integers: [Int64] = []
  private var values: [Value] = []

  package init() {}

  /// Adds the key of the next object.
  ///
  /// - Complexity: O(1), amortised; O(*n*) at the first key that is no small integer, and at the
  ///   first that is no integer.
  package mutating func append(_ key: Value) {
    widen(for: key)
    switch (width, key) {
    case (.small, .int(let key)): smalls.append(Int32(truncatingIfNeeded: key))
    case (.integer, .int(let key)): integers.append(key)
    default: values.append(key)
    }
  }

  /// Puts another key in the place of one.
  package mutating func replace(at index: Int, by key: Value) {
    widen(for: key)
    switch (width, key) {
    case (.small, .int(let key)): smalls[index] = Int32(truncatingIfNeeded: key)
    case (.integer, .int(let key)): integers[index] = key
    default: values[index] = key
    }
  }

  /// Puts the keys into another order.
  ///
  /// - Parameter order: The present place of each.
  package mutating func reorder(_ order: [Int32]) {
    switch width {
    case .small: smalls = order.map { smalls[Int($0)] }
    case .integer: integers = order.map { integers[Int($0)] }
    case .any: values = order.map { values[Int($0)] }
    }
  }

  /// Goes over to lists that can hold the key.
  private mutating func widen(for key: Value) {
    if case .int(let key) = key {
      guard width == .small, Int32(exactly: key) == nil else { return }
      integers.reserveCapacity(Swift.max(smalls.capacity, 1))
      for key in smalls { integers.append(Int64(key)) }
      smalls = []
      width = .integer
    } else if width != .any {
      values.reserveCapacity(Swift.max(smalls.capacity, integers.capacity))
      for key in smalls { values.append(.int(Int64(key))) }
      for key in integers { values.append(.int(key)) }
      (smalls, integers) = ([], [])
      width = .any
    }
  }

  /// Makes room for so many keys.
  package mutating func reserveCapacity(_ count: Int) {
    switch width {
    case .small: smalls.reserveCapacity(count)
    case .integer: integers.reserveCapacity(count)
    case .any: values.reserveCapacity(count)
    }
  }

  /// How many keys there is room for.
  package var capacity: Int {
    switch width {
    case .small: smalls.capacity
    case .integer: integers.capacity
    case .any: values.capacity
    }
  }
}

extension ChangeKeys: RandomAccessCollection {
  package var startIndex: Int { 0 }

  package var endIndex: Int {
    switch width {
    case .small: smalls.count
    case .integer: integers.count
    case .any: values.count
    }
  }

  package subscript(index: Int) -> Value {
    switch width {
    case .small: .int(Int64(smalls[index]))
    case .integer: .int(integers[index])
    case .any: values[index]
    }
  }
}

extension ChangeKeys: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: Value...) {
    self.init(elements)
  }

  package init(_ keys: some Sequence<Value>) {
    for key in keys { append(key) }
  }
}

extension ChangeKeys: Equatable, CustomStringConvertible {
  package static func == (left: ChangeKeys, right: ChangeKeys) -> Bool {
    left.elementsEqual(right)
  }

  package var description: String { Array(self).description }
}
