/// The same answers in memory, for objects with unsaved values.
extension ResolvedFetch {
  /// Whether the filter means the object; its entity is the caller's business.
  package func matches(_ subject: any FilterSubject) throws -> Bool {
    guard let filter else { return true }
    return try FilterEvaluator(subject).evaluate(filter)
  }

  /// The values by which the object is sorted, to be compared with ``isBefore(_:_:)``.
  package func sortPosition(of subject: any FilterSubject) throws -> SortPosition {
    let evaluator = FilterEvaluator(subject)
    return SortPosition(
      values: try sort.map { try evaluator.value($0.expression) }, row: subject.filterRow)
  }

  /// Whether one position comes before another one: by the sort keys, then by age.
  package func isBefore(_ left: SortPosition, _ right: SortPosition) -> Bool {
    for (index, key) in sort.enumerated() {
      let order = left.values[index].compared(to: right.values[index])
      if order != 0 { return (order < 0) == key.ascending }
    }
    return plan.isReversed ? right.isOlder(than: left) : left.isOlder(than: right)
  }

  /// The places of objects in order, without those before the offset and behind the limit.
  ///
  /// - Complexity: O(*n* log *n*).
  package func places(of subjects: [any FilterSubject]) throws -> ArraySlice<Int> {
    page(order(of: try subjects.map(sortPosition)))
  }

  private func order(of positions: [SortPosition]) -> [Int] {
    positions.indices.sorted { isBefore(positions[$0], positions[$1]) }
  }

  /// The part of a complete answer between offset and limit.
  package func page<T>(_ all: [T]) -> ArraySlice<T> {
    let rest = all.dropFirst(max(plan.offset, 0))
    return plan.limit.map { rest.prefix(max($0, 0)) } ?? rest
  }

  /// The rows of an answer of values, from all objects of the entity.
  package func values(over subjects: [any FilterSubject]) throws -> [[Value]] {
    let matching = try subjects.filter { try matches($0) }
    guard groups != nil else {
      return try places(of: matching).map { place in
        let evaluator = FilterEvaluator(matching[place])
        return try columns.map { try $0.expression.map { try evaluator.value($0) } ?? .null }
      }
    }
    return try page(groupRows(matching)).map { row in
      try zip(columns, row).map { try $0.checked($1) }
    }
  }

  private func groupRows(_ subjects: [any FilterSubject]) throws -> [[Value]] {
    let groups = groups ?? []
    var indexes: [[Value]: Int] = groups.isEmpty && hasFunctions ? [[]: 0] : [:]
    var members: [[any FilterSubject]] = indexes.isEmpty ? [] : [[]]
    for subject in subjects {
      let evaluator = FilterEvaluator(subject)
      let key = try groups.map { try evaluator.value($0) }
      if let index = indexes[key] {
        members[index].append(subject)
      } else {
        indexes[key] = members.count
        members.append([subject])
      }
    }
    var rows: [(position: SortPosition, values: [Value])] = []
    for group in members {
      let values = try columns.map { try value(of: $0, in: group) }
      let evaluator = FilterEvaluator(columns: values)
      if let having, try !evaluator.evaluate(having) { continue }
      let first = group.map { SortPosition(values: [], row: $0.filterRow) }
        .min { $0.isOlder(than: $1) }
      let position = SortPosition(
        values: try sort.map { try evaluator.value($0.expression) }, row: first?.row ?? 0)
      rows.append((position, values))
    }
    return order(of: rows.map(\.position)).map { rows[$0].values }
  }

  private var hasFunctions: Bool { columns.contains { $0.function != nil } }

  private func value(of column: ResolvedColumn, in group: [any FilterSubject]) throws -> Value {
    guard let function = column.function else {
      guard let first = group.first, let expression = column.expression else { return .null }
      return try FilterEvaluator(first).value(expression)
    }
    var accumulator = AggregateAccumulator(function)
    for subject in group {
      accumulator.add(
        try column.expression.map { try FilterEvaluator(subject).value($0) } ?? .int(1))
    }
    return accumulator.result()
  }
}

/// The values by which an object is sorted.
package struct SortPosition: Sendable {
  package let values: [Value]
  package let row: Int64

  package init(values: [Value], row: Int64) {
    self.values = values
    self.row = row
  }

  /// Whether the object was made before the other one. Unsaved objects have negative numbers that
  /// count down, and are younger than all saved ones.
  package func isOlder(than other: SortPosition) -> Bool {
    switch (row < 0, other.row < 0) {
    case (false, true): true
    case (true, false): false
    case (false, false): row < other.row
    case (true, true): row > other.row
    }
  }
}
