/// The rows that are read for, and stored in, one table. The first column is the key.
final class FloorTable {
  let name: String
  let columns: [(name: String, kind: FloorMember.Target)]
  let isChild: Bool
  /// Whether the third column takes the position in the list of the parent.
  let isOrdered: Bool
  let rows: SlotRows
  let members: [FloorMember]
  let children: [FloorTable]
  let links: [LinkRows]

  init(
    _ name: String, _ columns: [(name: String, kind: FloorMember.Target)],
    parentColumn: String? = nil, positionColumn: String? = nil,
    children: [(name: String, table: FloorTable)] = [],
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
    var members: [FloorMember] = []
    for (index, column) in all.enumerated()
    where column.name != parentColumn && column.name != positionColumn {
      members.append(FloorMember(column.name, column.kind, index))
    }
    for (index, child) in children.enumerated() {
      members.append(FloorMember(child.name, .children, index))
    }
    for (index, link) in links.enumerated() {
      members.append(FloorMember(link.name, .links, index))
    }
    self.members = members
    self.children = children.map(\.table)
    self.links = links.map(\.rows)
  }

  var createStatements: [String] {
    let definitions = columns.enumerated().map { index, column in
      let type =
        switch column.kind {
        case .real: "REAL"
        case .text: "TEXT"
        default: "INTEGER"
        }
      return "\(column.name) \(type)\(index == 0 ? " PRIMARY KEY" : "")"
    }
    var result = ["CREATE TABLE IF NOT EXISTS \(name) (\(definitions.joined(separator: ", ")))"]
    if isChild {
      result.append("CREATE INDEX IF NOT EXISTS \(name)_parent ON \(name) (\(columns[1].name))")
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
  var pairs: [LinkPair] = []

  init(_ name: String) { self.name = name }
}

/// Two keys of 32 bits in a number that sorts like them.
struct LinkPair: RadixKeyed, Equatable {
  let key: Int64

  @inline(__always)
  init(_ source: Int64, _ target: Int64) {
    key = source << 32 | target & 0xFFFF_FFFF
  }

  var source: Int64 { key >> 32 }
  var target: Int64 { key & 0xFFFF_FFFF }
}
