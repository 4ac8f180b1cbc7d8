package import SyncCore

/// Fetch plans as SELECT statements.
package struct SelectBuilder {
  private let layout: TableLayout

  package init(layout: TableLayout) {
    self.layout = layout
  }

  /// Whole rows, in the columns of ``Table/selectList(prefix:)``.
  package func rows(_ plan: FetchPlan) throws -> SQLText {
    let table = layout.table(of: plan.entity)
    return try select(SQLText(table.selectList(prefix: table.quoted + ".")), plan)
  }

  /// Row numbers, and behind them the entity numbers when the table has them.
  package func identifiers(_ plan: FetchPlan) throws -> SQLText {
    let table = layout.table(of: plan.entity)
    let list = table.hasEntityColumn ? "\(table.quoted)._row, \(table.quoted)._entity" : "_row"
    return try select(SQLText(list), plan)
  }

  /// The number of objects, inside offset and limit.
  package func count(_ plan: FetchPlan) throws -> SQLText {
    let fetch = try plan.resolved()
    var builder = SQLBuilder(layout: layout, entity: plan.entity)
    let source = try source(fetch, &builder)
    if plan.limit == nil, plan.offset <= 0 { return "SELECT count(*)\(source)" }
    return "SELECT count(*) FROM (SELECT 1\(source)\(page(plan)))"
  }

  /// The values that a plan lists, and how to read them.
  package func values(_ plan: FetchPlan) throws -> (sql: SQLText, columns: [ResolvedColumn]) {
    let fetch = try plan.resolved()
    var builder = SQLBuilder(layout: layout, entity: plan.entity)
    var list: [SQLText] = []
    for column in fetch.columns { list.append(try value(of: column, &builder)) }
    if let groups = fetch.groups {
      return (try grouped(fetch, list, by: groups, &builder), fetch.columns)
    }
    let source = try source(fetch, &builder)
    let order = try order(fetch, &builder)
    return ("SELECT \(list.joined(", "))\(source)\(order)\(page(plan))", fetch.columns)
  }

  /// A filter as a condition on the rows of an entity's table, without the condition on the entity.
  /// The table has to stand in the statement under its own name.
  package func condition(_ filter: Filter, for entity: EntityDescription) throws -> SQLText {
    var builder = SQLBuilder(layout: layout, entity: entity)
    return try builder.condition(filter.resolved(for: entity).node)
  }

  // MARK: - Pieces

  private func select(_ list: SQLText, _ plan: FetchPlan) throws -> SQLText {
    var plan = plan
    plan.output = .rows
    let fetch = try plan.resolved()
    var builder = SQLBuilder(layout: layout, entity: plan.entity)
    let source = try source(fetch, &builder)
    let order = try order(fetch, &builder)
    return "SELECT \(list)\(source)\(order)\(page(plan))"
  }

  /// FROM and WHERE.
  private func source(_ fetch: ResolvedFetch, _ builder: inout SQLBuilder) throws -> SQLText {
    let entity = layout[fetch.entity]
    var conditions: [SQLText] = []
    if !fetch.plan.includesSubentities, entity.table.hasEntityColumn {
      conditions.append("\(raw: entity.table.quoted)._entity = \(raw: String(entity.number))")
    } else if let condition = entity.entityCondition(prefix: entity.table.quoted + ".") {
      conditions.append(SQLText(condition))
    }
    if let filter = fetch.filter { conditions.append(try builder.condition(filter)) }
    let text: SQLText = " FROM \(raw: entity.table.quoted)"
    return conditions.isEmpty ? text : "\(text) WHERE \(conditions.joined(" AND "))"
  }

  private func order(_ fetch: ResolvedFetch, _ builder: inout SQLBuilder) throws -> SQLText {
    let row = layout.table(of: fetch.entity).quoted + "._row"
    return try order(fetch, last: row, &builder)
  }

  /// SQLite puts NULL first when ascending, as we do (https://www.sqlite.org/lang_select.html).
  private func order(
    _ fetch: ResolvedFetch, last: String, _ builder: inout SQLBuilder
  ) throws -> SQLText {
    var keys: [SQLText] = []
    for key in fetch.sort {
      let collation = key.expression.kind == .decimal ? SQLBuilder.decimalCollation : ""
      let direction = key.ascending ? "" : " DESC"
      keys.append("\(try builder.value(key.expression))\(raw: collation)\(raw: direction)")
    }
    keys.append(SQLText(last + (fetch.plan.isReversed ? " DESC" : "")))
    return " ORDER BY \(keys.joined(", "))"
  }

  /// LIMIT and OFFSET; a negative limit is none (https://www.sqlite.org/lang_select.html).
  private func page(_ plan: FetchPlan) -> SQLText {
    let offset = max(plan.offset, 0)
    guard plan.limit != nil || offset > 0 else { return SQLText() }
    let limit = plan.limit.map { max($0, 0) } ?? -1
    let text: SQLText = " LIMIT \(bind: .int(Int64(limit)))"
    return offset == 0 ? text : "\(text) OFFSET \(bind: .int(Int64(offset)))"
  }

  // MARK: - Groups

  private func value(of column: ResolvedColumn, _ builder: inout SQLBuilder) throws -> SQLText {
    if let function = column.function {
      return try builder.applied(function, to: column.expression)
    }
    return try column.expression.map { try builder.value($0) } ?? "NULL"
  }

  /// The groups as an inner query, so that conditions on them and their order can name the columns.
  private func grouped(
    _ fetch: ResolvedFetch, _ list: [SQLText], by groups: [ResolvedExpression],
    _ builder: inout SQLBuilder
  ) throws -> SQLText {
    let named = list.enumerated().map { index, value in
      "\(value) AS \(raw: SQLBuilder.columnName(index))" as SQLText
    }
    let row = layout.table(of: fetch.entity).quoted + "._row"
    let source = try source(fetch, &builder)
    var inner: SQLText = "SELECT \(named.joined(", ")), min(\(raw: row)) AS _first\(source)"
    var keys: [SQLText] = []
    for group in groups {
      let collation = group.kind == .decimal ? SQLBuilder.decimalCollation : ""
      keys.append("\(try builder.value(group))\(raw: collation)")
    }
    if !keys.isEmpty { inner += " GROUP BY \(keys.joined(", "))" }
    let names = list.indices.map(SQLBuilder.columnName).joined(separator: ", ")
    var outer: SQLText = "SELECT \(raw: names) FROM (\(inner))"
    if let having = fetch.having { outer += " WHERE \(try builder.condition(having))" }
    outer += try order(fetch, last: "_first", &builder)
    outer += page(fetch.plan)
    return outer
  }
}
