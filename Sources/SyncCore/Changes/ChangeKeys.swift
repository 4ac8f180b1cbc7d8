/// Primary-key values of changed objects, in the order of the objects.
///
/// A collection of ``Value``. Keys that are all integers, as most are, take eight bytes each.
public struct ChangeKeys: Sendable {
  /// All keys, as long as they are integers.
  private var integers: [Int64] = []
  /// All keys, from the first one on that is none.
  private var values: [Value] = []

  public init() {}

  /// Adds the key of the next object.
  ///
  /// - Complexity: O(1), amortised; once O(*n*) at the first key that is no integer.
  package mutating func append(_ key: Value) {
    if values.isEmpty {
      if case .int(let key) = key { return integers.append(key) }
      becomeValues()
    }
    values.append(key)
  }

  /// Puts another key in the place of one.
  package mutating func replace(at index: Int, by key: Value) {
    if values.isEmpty {
      if case .int(let key) = key {
        integers[index] = key
        return
      }
      becomeValues()
    }
    values[index] = key
  }

  private mutating func becomeValues() {
    values.reserveCapacity(integers.capacity)
    for key in integers { values.append(.int(key)) }
    integers = []
  }

  /// Makes room for so many keys.
  package mutating func reserveCapacity(_ count: Int) {
    if values.isEmpty { integers.reserveCapacity(count) } else { values.reserveCapacity(count) }
  }
}

extension ChangeKeys: RandomAccessCollection {
  public var startIndex: Int { 0 }

  public var endIndex: Int { values.isEmpty ? integers.count : values.count }

  public subscript(index: Int) -> Value {
    values.isEmpty ? .int(integers[index]) : values[index]
  }
}

extension ChangeKeys: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: Value...) {
    self.init(elements)
  }

  public init(_ keys: some Sequence<Value>) {
    for key in keys { append(key) }
  }
}

extension ChangeKeys: Equatable, CustomStringConvertible {
  public static func == (left: ChangeKeys, right: ChangeKeys) -> Bool {
    left.elementsEqual(right)
  }

  public var description: String { Array(self).description }
}
