import SyncCore

/// The state that the pieces of one statement share: the layout, and the names under which the rows
/// of the scopes of a filter are known.
///
/// The object itself is known by the name of its table. Tables inside subqueries get names of their
/// own, which no table of a layout can have.
struct SQLBuilder {
  let layout: TableLayout

  /// Names of the rows by scope.
  private(set) var scopes: [String]

  /// Their entities.
  private(set) var entities: [EntityDescription]
  private var count = 0

  init(layout: TableLayout, entity: EntityDescription) {
    self.layout = layout
    scopes = [layout.table(of: entity).quoted]
    entities = [entity]
  }

  mutating func newName() -> String {
    count += 1
    return "_syncstack\(count)"
  }

  /// Builds a piece in which the row of the next scope has a name.
  mutating func inside<T>(
    _ name: String, _ entity: EntityDescription, _ body: (inout SQLBuilder) throws -> T
  ) rethrows -> T {
    scopes.append(name)
    entities.append(entity)
    defer {
      scopes.removeLast()
      entities.removeLast()
    }
    return try body(&self)
  }

  // MARK: - Relationships

  func storage(_ hop: ResolvedHop) throws -> RelationshipStorage {
    guard let storage = layout.storage(of: hop.relationship, in: hop.owner) else {
      throw FilterError.transient(hop.relationship.name, of: hop.owner)
    }
    return storage
  }

  /// The column of a to-one relationship.
  func referenceColumn(_ hop: ResolvedHop) throws -> Table.Column {
    guard case .column(let column) = try storage(hop) else {
      throw FilterError.transient(hop.relationship.name, of: hop.owner)
    }
    return column
  }

  /// A value in the row that a path leads to.
  mutating func column(_ quoted: String, at path: ResolvedPath) throws -> SQLText {
    guard let last = path.hops.last else { return "\(raw: scopes[path.scope]).\(raw: quoted)" }
    let name = newName()
    let table = layout.table(of: last.destination).quoted
    return """
      (SELECT \(raw: name).\(raw: quoted) FROM \(raw: table) \(raw: name) \
      WHERE \(raw: name)._row = \(try reference(path)))
      """
  }

  /// The row number of the object that a path leads to.
  mutating func reference(_ path: ResolvedPath) throws -> SQLText {
    guard let last = path.hops.last else { return "\(raw: scopes[path.scope])._row" }
    let before = ResolvedPath(scope: path.scope, hops: path.hops.dropLast())
    return try column(referenceColumn(last).quoted, at: before)
  }

  /// The tables of a collection, the conditions that join them to the row they start at, and the
  /// name of the members' rows.
  mutating func join(
    _ collection: ResolvedCollection
  ) throws -> (tables: String, conditions: String, member: String) {
    var tables: [String] = []
    var conditions: [String] = []
    var current = scopes[collection.scope]
    for hop in collection.hops {
      let name = newName()
      let table = layout.table(of: hop.destination).quoted
      switch try storage(hop) {
      case .column(let column):
        tables.append("\(table) \(name)")
        conditions.append("\(name)._row = \(current).\(column.quoted)")
      case .inverse(let table, let column, _):
        tables.append("\(table.quoted) \(name)")
        conditions.append("\(name).\(column.quoted) = \(current)._row")
      case .link(let end):
        let link = newName()
        tables.append("\(end.table.quoted) \(link)")
        tables.append("\(table) \(name)")
        conditions.append("\(link).\(end.ownerColumn) = \(current)._row")
        conditions.append("\(name)._row = \(link).\(end.memberColumn)")
      }
      current = name
    }
    return (tables.joined(separator: ", "), conditions.joined(separator: " AND "), current)
  }
}
