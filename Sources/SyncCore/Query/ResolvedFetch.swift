/// A fetch plan checked against its entity: the store and memory both work from it.
package struct ResolvedFetch: Sendable {
  package let plan: FetchPlan
  package let filter: ResolvedNode?
  package let sort: [ResolvedSort]

  /// The columns of an answer of values; empty for rows and identifiers.
  package let columns: [ResolvedColumn]

  /// The expressions that make a group; nil when each object has a row of its own, empty when all
  /// are one group.
  package let groups: [ResolvedExpression]?
  package let having: ResolvedNode?

  package var entity: EntityDescription { plan.entity }
}

/// One key of an order, checked.
package struct ResolvedSort: Sendable {
  package let expression: ResolvedExpression
  package let ascending: Bool
}

/// One column of an answer, checked.
package struct ResolvedColumn: Sendable {
  package let name: String
  package let function: AggregateFunction?

  /// The expression that is listed or put into the function; nil for a count of objects.
  package let expression: ResolvedExpression?
  package let kind: FilterKind

  /// How to read the values; nil for row numbers of objects.
  package let type: AttributeType?

  /// Whether the column is a sum of whole numbers.
  package var isWholeSum: Bool { function == .sum && kind == .integer }

  /// The value, when an answer can show it.
  ///
  /// - Throws: ``FilterError`` for a sum of whole numbers that 64 bits do not hold.
  package func checked(_ value: Value) throws(FilterError) -> Value {
    guard isWholeSum, case .double(let sum) = value else { return value }
    throw FilterError(
      .overflow, key: name,
      message: "The sum “\(name)” is about \(sum) and does not fit into a 64-bit integer.")
  }
}

extension FetchPlan {
  /// Checks filter, order and columns.
  ///
  /// - Throws: ``FilterError`` that names the key.
  package func resolved() throws(FilterError) -> ResolvedFetch {
    var columns: [ResolvedColumn] = []
    var groups: [ResolvedExpression]?
    let resolver = FilterResolver(entity: entity, now: now)
    if case .values(let list) = output {
      guard !list.isEmpty else {
        throw FilterError(
          .unsupported, entity: entity.name,
          message: "An answer of values needs a column: name a key path or a function.")
      }
      for column in list { columns.append(try resolver.resolve(column)) }
      if isDistinct || !groupBy.isEmpty || list.contains(where: { $0.function != nil }) {
        groups = try resolvedGroups(columns, resolver)
      }
    }
    var condition: ResolvedNode?
    if let having {
      guard groups != nil else {
        throw FilterError(
          .unsupported, entity: entity.name,
          message: "A condition on groups needs an answer of values with groups or functions.")
      }
      var resolver = FilterResolver(entity: entity, now: now, columns: columns)
      condition = try resolver.resolve(having.node)
    }
    var sort: [ResolvedSort] = []
    let sorter = FilterResolver(entity: entity, now: now, columns: groups == nil ? nil : columns)
    for key in self.sort {
      let key = isReversed ? key.reversed : key
      sort.append(try sorter.resolve(key))
    }
    return ResolvedFetch(
      plan: self, filter: try filter?.resolved(for: entity, now: now).node, sort: sort,
      columns: columns,
      groups: groups, having: condition)
  }

  /// Without functions and key paths to group by, a distinct answer has a group per row of values.
  private func resolvedGroups(
    _ columns: [ResolvedColumn], _ resolver: FilterResolver
  ) throws(FilterError) -> [ResolvedExpression] {
    let plain = columns.filter { $0.function == nil }
    if groupBy.isEmpty, plain.count == columns.count { return plain.compactMap(\.expression) }
    if let column = plain.first(where: { !groupBy.contains($0.name) && !isGrouped($0) }) {
      throw FilterError(
        .unsupported, entity: entity.name, key: column.name,
        message: "“\(column.name)” is not the same for a whole group. "
          + "Group by it too, or apply a function to it.")
    }
    var groups: [ResolvedExpression] = []
    for keyPath in groupBy {
      if let expression = try resolver.resolve(FetchColumn(keyPath)).expression {
        groups.append(expression)
      }
    }
    return groups
  }

  private func isGrouped(_ column: ResolvedColumn) -> Bool {
    guard case .values(let list) = output else { return false }
    return list.contains { $0.name == column.name && groupBy.contains($0.keyPath) }
  }
}

extension FilterResolver {
  /// Checks a column of an answer.
  func resolve(_ column: FetchColumn) throws(FilterError) -> ResolvedColumn {
    if column.function == .count, column.keyPath.isEmpty {
      return ResolvedColumn(
        name: column.name, function: .count, expression: nil, kind: .integer, type: .integer64)
    }
    let walk = try walk(keyPath: column.keyPath)
    guard let function = column.function else {
      return ResolvedColumn(
        name: column.name, function: nil, expression: walk.expression,
        kind: walk.expression.kind, type: walk.attribute?.type)
    }
    if function == .count {
      return ResolvedColumn(
        name: column.name, function: .count, expression: walk.expression, kind: .integer,
        type: .integer64)
    }
    guard let attribute = walk.attribute else {
      throw FilterError(
        .typeMismatch, entity: scopes[0].entity.name, key: column.keyPath,
        message: "There is no \(function.rawValue) of objects; name an attribute.")
    }
    let kind = try function.resultKind(of: FilterKind(attribute.type), attribute)
    let type: AttributeType =
      switch function {
      case .sum where kind == .integer: .integer64
      case .average: .double
      default: attribute.type
      }
    return ResolvedColumn(
      name: column.name, function: function, expression: walk.expression, kind: kind, type: type)
  }

  /// Checks a sort key.
  func resolve(_ key: SortKey) throws(FilterError) -> ResolvedSort {
    guard columns == nil else {
      let expression = try folded(column(FilterPath([key.keyPath])), key.options)
      return ResolvedSort(expression: expression, ascending: key.ascending)
    }
    let walk = try walk(keyPath: key.keyPath)
    guard walk.attribute != nil, walk.expression.kind != .opaque else {
      throw FilterError(
        .typeMismatch, text: key.description, entity: scopes[0].entity.name, key: key.keyPath,
        message: "“\(key.keyPath)” has no order; sort by an attribute.")
    }
    return ResolvedSort(
      expression: try folded(walk.expression, key.options), ascending: key.ascending)
  }

  /// Walks a dotted key path that has to lead to one value.
  private func walk(keyPath: String) throws(FilterError) -> PathWalk {
    let keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !keys.contains(""), !keyPath.hasPrefix("-") else {
      throw FilterError(
        .syntax, expected: "a key path such as name or company.name", text: keyPath,
        entity: scopes[0].entity.name, key: keyPath,
        message: "“\(keyPath)” is not a key path.")
    }
    let walk = try walk(keys: keys, from: 0)
    guard !walk.isToMany else {
      throw FilterError(
        .toManyPath, text: keyPath, entity: scopes[0].entity.name, key: keyPath,
        message: "“\(keyPath)” leads to many values; one is needed here.")
    }
    return walk
  }
}
