import SyncCore

/// An old relationship that the links of a new one come from, seen from the side of the new owner.
///
/// A relationship and its inverse are one set of pairs. So each is known by the side that was
/// declared first; `isReversed` says that the owners of the new relationship are at its other end.
struct LinkSource: Hashable {
  let entity: Int
  let slot: Int
  let isReversed: Bool

  /// - Parameter ownsOldSide: whether the owner of the new relationship owned the old one; false
  ///   when the inverse of the new one did.
  init(_ relationship: RelationshipDescription, in entity: EntityDescription, ownsOldSide: Bool) {
    let near = PropertyKey(relationship)
    let inverse = entity.inverse(of: relationship)
    let far = inverse.map(PropertyKey.init) ?? near
    let isFirst = (near.entity, near.slot) <= (far.entity, far.slot)
    let key = isFirst ? near : far
    self.entity = key.entity
    slot = key.slot
    isReversed = near == far && inverse != nil ? false : isFirst != ownsOldSide
  }
}

/// Where the links of one new relationship come from.
struct LinkSources {
  /// From relationships that the same owners had.
  var near: [LinkSource] = []

  /// From inverses alone: the relationship is new, or another one, and its inverse is not.
  var far: [LinkSource] = []

  /// Relationships of both ends that were not inverse to each other.
  var isContradictory: Bool = false

  var all: [LinkSource] { near + far }

  init(of relationship: RelationshipDescription, _ match: ModelMatch) {
    let owner = match.newEntities[relationship.declaringIndex]
    near = LinkSources.found(relationship.slot, below: owner, match, ownsOldSide: true)
    guard let inverse = owner.inverse(of: relationship) else { return }
    let declaring = match.newEntities[inverse.declaringIndex]
    let others = LinkSources.found(inverse.slot, below: declaring, match, ownsOldSide: false)
    far = others.filter { !near.contains($0) }
    isContradictory = !near.isEmpty && !others.isEmpty && far.count == others.count
  }

  private static func found(
    _ slot: Int, below entity: EntityDescription, _ match: ModelMatch, ownsOldSide: Bool
  ) -> [LinkSource] {
    var result: [LinkSource] = []
    for member in entity.familyEntities {
      guard let source = match.source(of: member),
        let old = match.source(of: slot, in: member)?.relationship
      else { continue }
      let link = LinkSource(old, in: source, ownsOldSide: ownsOldSide)
      if !result.contains(link) { result.append(link) }
    }
    return result
  }
}

/// How one link table of the new model is filled from the old one.
struct LinkCopy {
  let table: LinkTable
  private let pairs: LinkPairs

  init?(_ table: LinkTable, _ match: ModelMatch, old: TableLayout, names: OldNames) {
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
