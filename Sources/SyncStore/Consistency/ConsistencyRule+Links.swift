import SyncCore

extension ConsistencyRule {
  /// Pairs of to-many relationships have an object at both ends.
  static func links(_ reader: StoreReader) -> [ConsistencyRule] {
    reader.layout.links.map { link in
      let ends = LinkEnds(link, in: reader.layout)
      let lacksSource = ConsistencyText.isMissing("l.source", ends.source)
      let lacksTarget = ConsistencyText.isMissing("l.target", ends.target)
      let condition = "(\(lacksSource) OR \(lacksTarget))"
      return ConsistencyRule(
        kind: .links, table: link.identifier.name, property: ends.name,
        message: "a pair leads to no object, or from none",
        select: "SELECT l.source FROM \(link.quoted) l WHERE \(condition)"
      ) { transaction, _ in
        let left = try transaction.connection.ownedStatement(
          "SELECT l.source, l.target, \(lacksSource), \(lacksTarget) FROM \(link.quoted) l "
            + "WHERE \(condition)")
        while try left.step() {
          if left.integer(2) == 0 {
            transaction.record(left.integer(0), ends.source, link.sourceSlot)
          }
          if left.integer(3) == 0 {
            transaction.record(left.integer(1), ends.target, link.targetSlot)
          }
        }
        try transaction.connection.execute("DELETE FROM \(link.quoted) AS l WHERE \(condition)")
      }
    }
  }

  /// Where two relationships that lead to one object are inverse to each other, both say the same.
  static func inverses(_ reader: StoreReader) -> [ConsistencyRule] {
    let layout = reader.layout
    return layout.tables.flatMap { table in
      table.columns.compactMap { column -> ConsistencyRule? in
        let owner = layout.entities[column.declaringIndex]
        guard let relationship = owner.entity.properties[column.slot].relationship,
          !relationship.isInverseToMany, let slot = relationship.inverseSlot
        else { return nil }
        let partner = layout.entities[relationship.destinationIndex]
        guard let inverse = partner.column(slot) else { return nil }
        let conditions = [
          owner.entityCondition(prefix: "o."), partner.entityCondition(prefix: "p."),
        ].compactMap { $0 }.map { " AND " + $0 }.joined()
        // Owners `o` with their partners `p`.
        let pairs =
          "\(owner.table.quoted) o JOIN \(partner.table.quoted) p "
          + "ON p._row = o.\(column.quoted) WHERE p.\(inverse.quoted) IS NOT o._row\(conditions)"
        return ConsistencyRule(
          kind: .inverses, table: owner.table.identifier.name,
          property: "\(owner.entity.name).\(relationship.name)",
          message: "the object it leads to does not lead back",
          select: "SELECT o._row FROM \(pairs)"
        ) { transaction, _ in
          let statement = try transaction.connection.ownedStatement(
            "SELECT p._row, min(o._row) FROM \(pairs) AND p.\(inverse.quoted) IS NULL "
              + "GROUP BY p._row HAVING count(*) = 1")
          var found: [(partner: Int64, owner: Int64)] = []
          while try statement.step() { found.append((statement.integer(0), statement.integer(1))) }
          for (row, owner) in found {
            try transaction.rewrite(
              [row], in: partner.table, slot: inverse.slot, setting: "\(inverse.quoted) = \(owner)")
          }
        }
      }
    }
  }

  /// A to-many relationship that is its own inverse has each pair in both directions.
  static func mirrors(_ reader: StoreReader) -> [ConsistencyRule] {
    reader.layout.links.filter(\.isSymmetric).map { link in
      let ends = LinkEnds(link, in: reader.layout)
      let lonely =
        "FROM \(link.quoted) l WHERE NOT EXISTS (SELECT 1 FROM \(link.quoted) m "
        + "WHERE m.source = l.target AND m.target = l.source)"
      let whole =
        "\(lonely) AND NOT \(ConsistencyText.isMissing("l.source", ends.source)) "
        + "AND NOT \(ConsistencyText.isMissing("l.target", ends.target))"
      return ConsistencyRule(
        kind: .inverses, table: link.identifier.name, property: ends.name,
        message: "the member does not lead back", select: "SELECT l.source \(lonely)"
      ) { transaction, _ in
        let members = try transaction.connection.ownedStatement("SELECT l.target \(whole)")
        while try members.step() {
          transaction.record(members.integer(0), ends.target, link.sourceSlot)
        }
        // Without a place in an order: it stands last.
        try transaction.connection.execute(
          "INSERT INTO \(link.quoted) (source, target) SELECT l.target, l.source \(whole)")
      }
    }
  }

  // MARK: - Orders

  /// No two members of an ordered list are at one place, and none is at a place that is none.
  static func orders(_ reader: StoreReader) -> [ConsistencyRule] {
    let layout = reader.layout
    let columns = layout.tables.flatMap { table in
      table.positions.compactMap { position -> ConsistencyRule? in
        let column = table.columns[position.reference]
        let member = layout.entities[column.declaringIndex].entity
        guard let relationship = member.properties[column.slot].relationship,
          let slot = relationship.inverseSlot
        else { return nil }
        return order(
          of: layout.entities[relationship.destinationIndex], slot, in: table.identifier,
          owner: column.quoted, place: position.quoted, member: "_row")
      }
    }
    let links = layout.links.flatMap { link in
      let ends = LinkEnds(link, in: layout)
      var result: [ConsistencyRule] = []
      if link.isSourceOrdered {
        result.append(
          order(
            of: ends.source, link.sourceSlot, in: link.identifier, owner: "source",
            place: "source_position", member: "target"))
      }
      if link.isTargetOrdered, let slot = link.targetSlot {
        result.append(
          order(
            of: ends.target, slot, in: link.identifier, owner: "target",
            place: "target_position", member: "source"))
      }
      return result
    }
    return columns + links
  }

  /// The rule of a list: columns of its owner, of the place among its members, and of the member.
  private static func order(
    of entity: EntityLayout, _ slot: Int, in table: Identifier,
    owner: String, place: String, member: String
  ) -> ConsistencyRule {
    let wrongOwners =
      "SELECT \(owner) AS k FROM \(table.quoted) WHERE \(owner) IS NOT NULL AND \(place) IS NOT NULL "
      + "GROUP BY \(owner) HAVING count(DISTINCT \(place)) < count(*) "
      + "OR sum(NOT (\(ConsistencyText.isCountable(place)))) > 0"
    return ConsistencyRule(
      kind: .orders, table: table.name,
      property: "\(entity.entity.name).\(entity.entity.properties[slot].name)",
      message: "members of an owner share a place, or have none that is one", select: wrongOwners
    ) { transaction, owners in
      for owner in owners { transaction.record(owner, entity, slot) }
      // Anew, in the order in which they are read.
      try transaction.connection.execute(
        "UPDATE \(table.quoted) AS t SET \(place) = r.n FROM (SELECT \(owner) AS o, \(member) AS m, "
          + "row_number() OVER (PARTITION BY \(owner) ORDER BY \(place) IS NULL, \(place), "
          + "\(member)) - 1 AS n FROM \(table.quoted) WHERE \(owner) IN (SELECT k FROM (\(wrongOwners)))) r "
          + "WHERE t.\(owner) = r.o AND t.\(member) = r.m")
    }
  }
}

/// The entities at both ends of a link table.
struct LinkEnds {
  let source: EntityLayout
  let target: EntityLayout

  /// The relationship of the source.
  let name: String

  init(_ link: LinkTable, in layout: TableLayout) {
    source = layout.entities[link.sourceEntity]
    let property = source.entity.properties[link.sourceSlot]
    name = "\(source.entity.name).\(property.name)"
    target = layout.entities[property.relationship?.destinationIndex ?? link.sourceEntity]
  }
}
