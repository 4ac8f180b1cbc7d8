/// What is read into, and stored in, one table. The first column is the key.
final class FloorTable {
  enum Kind {
    case integer
    case real
    case boolean
    case text
    /// Stored as milliseconds since 1970.
    case date
  }

  /// What a member of a JSON object fills.
  enum Member {
    case column(Int, Kind)
    /// Objects of another table; its second column takes the key of this object.
    case children(FloorTable)
    /// Keys of other objects, for a link table.
    case links(LinkRows)
  }

  let name: String
  let columns: [(name: String, kind: Kind)]
  let isChild: Bool
  /// Whether the third column takes the position in the list of the parent.
  let isOrdered: Bool
  let rows: SlotRows
  let members: [(name: [UInt8], member: Member)]
  let children: [FloorTable]
  let links: [LinkRows]

  init(
    _ name: String, _ columns: [(name: String, kind: Kind)], parentColumn: String? = nil,
    positionColumn: String? = nil, children: [(name: String, table: FloorTable)] = [],
    links: [(name: String, rows: LinkRows)] = []
  ) {
    self.name = name
    isChild = parentColumn != nil
    var all = columns
    if let parentColumn { all.insert((parentColumn, .integer), at: 1) }
    if let positionColumn { all.insert((positionColumn, .integer), at: 2) }
    isOrdered = positionColumn != nil
    self.columns = all
    rows = SlotRows(width: all.count)
    var members: [(name: [UInt8], member: Member)] = []
    for (index, column) in all.enumerated()
    where column.name != parentColumn && column.name != positionColumn {
      members.append((Array(column.name.utf8), .column(index, column.kind)))
    }
    for child in children { members.append((Array(child.name.utf8), .children(child.table))) }
    for link in links { members.append((Array(link.name.utf8), .links(link.rows))) }
    self.members = members
    self.children = children.map(\.table)
    self.links = links.map(\.rows)
  }

  var createStatements: [String] {
    let definitions = columns.enumerated().map { index, column in
      let type =
        switch column.kind {
        case .integer, .boolean, .date: "INTEGER"
        case .real: "REAL"
        case .text: "TEXT"
        }
      return "\(column.name) \(type)\(index == 0 ? " PRIMARY KEY" : "")"
    }
    var result = [
      "CREATE TABLE IF NOT EXISTS \(name) (\(definitions.joined(separator: ", ")))"
    ]
    if isChild {
      result.append(
        "CREATE INDEX IF NOT EXISTS \(name)_parent ON \(name) (\(columns[1].name))")
    }
    for link in links {
      result.append(
        "CREATE TABLE IF NOT EXISTS \(link.name) (source INTEGER NOT NULL, target INTEGER NOT NULL, "
          + "PRIMARY KEY (source, target)) WITHOUT ROWID")
      result.append(
        "CREATE INDEX IF NOT EXISTS \(link.name)_reverse ON \(link.name) (target, source)")
    }
    return result + children.flatMap(\.createStatements)
  }
}

/// The pairs of one link table, in payload order.
final class LinkRows {
  let name: String
  var sources: [Int64] = []
  var targets: [Int64] = []

  init(_ name: String) {
    self.name = name
  }
}
