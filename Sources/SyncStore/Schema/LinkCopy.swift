import SyncCore

/// How one link table of the new model is filled from what the old one has.
struct LinkCopy {
  let table: LinkTable
  private let pairs: LinkPairs

  init?(
    _ table: LinkTable, _ match: ModelMatch, old: TableLayout, names: OldNames
  ) {
    let owner = match.newEntities[table.sourceEntity]
    guard let relationship = owner.record.properties[table.sourceSlot].relationship else {
      return nil
    }
    self.table = table
    pairs = LinkPairs(relationship, match, old, names)
  }

  /// The old link table that is this one already; nil when there is none.
  var unchanged: LinkTable? {
    guard pairs.sources.all.count == 1, let source = pairs.sources.all.first else { return nil }
    let (entity, relationship) = pairs.oldSide(source)
    guard case .link(let end) = pairs.old.storage(of: relationship, in: entity),
      end.isForward != source.isReversed, end.table.isSymmetric == table.isSymmetric,
      SchemaWriter.createTable(end.table) == SchemaWriter.createTable(table),
      pairs.select() == pairs.select(isFiltered: false)
    else { return nil }
    return end.table
  }

  /// Fills the new table.
  func run(on connection: Connection) throws {
    guard let select = pairs.select() else { return }
    var columns = ["source", "target"]
    if table.isSourceOrdered { columns.append("source_position") }
    if table.isTargetOrdered { columns.append("target_position") }
    let insert = "INSERT OR IGNORE INTO \(table.quoted) (\(columns.joined(separator: ", "))) "
    let orders = (table.isSourceOrdered ? ", p" : "") + (table.isTargetOrdered ? ", q" : "")
    try connection.execute(
      insert + "SELECT owner, member\(orders) FROM (\(select)) ORDER BY owner, member")
    // A relationship that is its own inverse is kept in both directions.
    if table.isSymmetric {
      let order = table.isSourceOrdered ? ", NULL" : ""
      try connection.execute(insert + "SELECT member, owner\(order) FROM (\(select))")
    }
    let has = pairs.hasPositions
    if table.isSourceOrdered, !has.members || table.isSymmetric {
      try number("source_position", of: "target", by: "source", on: connection)
    }
    if table.isTargetOrdered, !has.owners {
      try number("target_position", of: "source", by: "target", on: connection)
    }
  }

  /// Gives members their positions, in the order in which they were read until now.
  private func number(
    _ position: String, of member: String, by owner: String, on connection: Connection
  ) throws {
    try connection.execute(
      "UPDATE \(table.quoted) SET \(position) = r.n FROM (SELECT source AS s, target AS t, "
        + "row_number() OVER (PARTITION BY \(owner) ORDER BY \(position) IS NULL, \(position), "
        + "\(member)) - 1 AS n FROM \(table.quoted)) r WHERE source = r.s AND target = r.t")
  }
}
