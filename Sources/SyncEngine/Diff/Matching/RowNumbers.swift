import SyncCore

/// A number for each of some rows, kept as packed integers.
struct RowNumbers: Codable, Sendable {
  private var numbers: [Int64: Int64] = [:]
  /// Rows whose number changed since all of it was kept; nil before.
  private var touched: [Int64]?

  init() {}

  /// The number of a row, never 0.
  subscript(row: Int64) -> Int64? {
    get { numbers[row] }
    set {
      numbers[row] = newValue
      touched?.append(row)
    }
  }

  init(from decoder: any Decoder) throws {
    set(try PackedIntegers(from: decoder).values)
  }

  func encode(to encoder: any Encoder) throws {
    try PackedIntegers(numbers.flatMap { [$0.key, $0.value] }).encode(to: encoder)
  }

  private mutating func set(_ values: [Int64]) {
    numbers.reserveCapacity(numbers.count + values.count / 2)
    for index in stride(from: 0, to: values.count - values.count % 2, by: 2) {
      numbers[values[index]] = values[index + 1] == 0 ? nil : values[index + 1]
    }
  }

  // MARK: - What changed

  /// Rows and their numbers in turn; 0 is none.
  struct Growth: Codable {
    fileprivate var numbers: PackedIntegers
  }

  /// Notes that everything so far is kept.
  mutating func mark() { touched = [] }

  /// What changed since all of it was kept last.
  ///
  /// - Complexity: O(*n*) in the rows whose number changed.
  var growth: Growth? {
    let rows = touched ?? Array(numbers.keys)
    guard !rows.isEmpty else { return nil }
    return Growth(numbers: PackedIntegers(rows.flatMap { [$0, numbers[$0] ?? 0] }))
  }

  mutating func add(_ growth: Growth) { set(growth.numbers.values) }
}

extension Dictionary where Value == RowNumbers {
  mutating func mark() {
    for key in keys { self[key]?.mark() }
  }

  mutating func add(_ growth: [Key: RowNumbers.Growth]) {
    for (key, numbers) in growth { self[key, default: RowNumbers()].add(numbers) }
  }
}
