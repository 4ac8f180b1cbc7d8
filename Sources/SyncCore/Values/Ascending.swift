// A sort is long code, which the compiler writes out for each type of collection and each closure
// that compares: a tenth of all code to compile. Here are those that all collections share, in the
// place of the library's own: a call of `sorted` takes one of them. An array that is sorted with
// each object, or in one go with millions, has code of its own and says `sort(by:)`.

extension Sequence<Int64> {
  /// The numbers in ascending order.
  ///
  /// - Complexity: O(*n* log *n*), as of all of these.
  @inlinable package func sorted() -> [Int64] { ascending(Array(self)) }
}

extension Sequence<Int32> {
  @inlinable package func sorted() -> [Int32] { ascending(Array(self)) }
}

extension Sequence<Int> {
  @inlinable package func sorted() -> [Int] { ascending(Array(self)) }
}

extension Sequence<String> {
  @inlinable package func sorted() -> [String] { ascending(Array(self)) }
}

extension Sequence where Element: Comparable {
  @inlinable package func sorted() -> [Element] { sorted(by: <) }
}

extension Sequence {
  /// The elements in the order of a comparison.
  @inlinable package func sorted(
    by precedes: (Element, Element) throws -> Bool
  ) rethrows -> [Element] {
    let elements = Array(self)
    return try ascendingPlaces(elements.count) { try precedes(elements[$0], elements[$1]) }
      .map { elements[$0] }
  }
}

extension Sequence {
  /// The elements in the order of a number of each; those of one number stay as they come.
  @inlinable package func sorted(
    on number: (Element) throws -> some FixedWidthInteger
  ) rethrows -> [Element] {
    let elements = Array(self)
    let numbers = try elements.map { Int64(truncatingIfNeeded: try number($0)) }
    return ascendingPlaces(of: numbers).map { elements[$0] }
  }

  /// The elements in the order of a text of each; those of one text stay as they come.
  @inlinable package func sortedByText(_ text: (Element) throws -> String) rethrows -> [Element] {
    let elements = Array(self)
    return ascendingPlaces(of: try elements.map(text)).map { elements[$0] }
  }
}

/// Nothing that people see depends on the order of a dictionary, which is another one in each run.
/// A path to a part of a tuple would be made anew with each call, in thousands of instructions.
extension Dictionary where Key: Comparable {
  /// The entries in the order of their keys.
  @inlinable package var inKeyOrder: [Element] {
    if count < 2 { return Array(self) }
    return Array(keys).sorted().compactMap { key in self[key].map { (key, $0) } }
  }
}

extension Dictionary where Key == Int {
  @inlinable package var inKeyOrder: [Element] {
    count < 2 ? Array(self) : sorted(on: { $0.key })
  }
}

extension Dictionary where Key == String {
  @inlinable package var inKeyOrder: [Element] {
    count < 2 ? Array(self) : sortedByText { $0.key }
  }
}

@usableFromInline package func ascending(_ numbers: consuming [Int64]) -> [Int64] {
  numbers.sort()
  return numbers
}

@usableFromInline package func ascending(_ numbers: consuming [Int32]) -> [Int32] {
  numbers.sort()
  return numbers
}

@usableFromInline package func ascending(_ numbers: consuming [Int]) -> [Int] {
  numbers.sort()
  return numbers
}

@usableFromInline package func ascending(_ texts: consuming [String]) -> [String] {
  texts.sort()
  return texts
}

@usableFromInline package func ascendingPlaces(of numbers: [Int64]) -> [Int] {
  var places = Array(numbers.indices)
  places.sort { (numbers[$0], $0) < (numbers[$1], $1) }
  return places
}

@usableFromInline package func ascendingPlaces(of texts: [String]) -> [Int] {
  ascendingPlaces(texts.count) { (texts[$0], $0) < (texts[$1], $1) }
}

@usableFromInline package func ascendingPlaces(
  _ count: Int, by precedes: (Int, Int) throws -> Bool
) rethrows -> [Int] {
  var places = Array(0..<count)
  try places.sort(by: precedes)
  return places
}

/// The first of so many places, in their order, that is not before the wanted one; the count where
/// all are.
///
/// - Complexity: O(log *n*).
@inlinable @inline(__always)
package func firstPlace(
  among count: Int, notBefore isBefore: (Int) throws -> Bool
) rethrows -> Int {
  var low = 0
  var high = count
  while low < high {
    let middle = (low + high) / 2
    if try isBefore(middle) { low = middle + 1 } else { high = middle }
  }
  return low
}
