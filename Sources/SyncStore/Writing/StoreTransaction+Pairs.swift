package import SyncCore

/// To-one relationships, one at a time; those of a one-to-one are one thing in two rows.
extension StoreTransaction {
  /// Leads a to-one relationship of an object to another one, or nowhere. One that leads there
  /// already is left alone. In a one-to-one relationship both objects leave the partners that they
  /// had.
  ///
  /// Nothing is led to or from an object that is not there.
  ///
  /// - Parameter entity: the entity of the object or one above it that has the relationship. The
  ///   partner's former one may be of another entity below the one that declares it.
  package func lead(
    _ relationship: RelationshipDescription, of entity: EntityDescription, row: Int64,
    to target: Int64?
  ) throws {
    guard let object = try reference(relationship.slot, of: row, entity) else { return }
    if relationship.isOneToOne, let inverse = entity.inverse(of: relationship) {
      let partners = entity.destination(of: relationship)
      if let target {
        guard let partner = try reference(inverse.slot, of: target, partners) else { return }
        if let rival = partner.target, rival != row {
          let rivals = layout.entities[relationship.declaringIndex].entity
          try leave(relationship.slot, of: rival, rivals, target)
        }
        try lead(inverse.slot, partner, to: row)
      }
      if let former = object.target, former != target {
        try leave(inverse.slot, of: former, partners, row)
      }
    }
    try lead(relationship.slot, object, to: target)
  }

  /// Has both sides of one-to-one relationships say the same when each was written for itself, by
  /// an earlier state of the other. A partner that leads nowhere is led back; after that, an object
  /// that leads to one that does not lead back leads nowhere.
  ///
  /// - Returns: Rows that were written for that, by root entity.
  package func settle(_ pairs: WrittenPairs) throws -> [Int: Set<Int64>] {
    try requireOpen()
    var result: [Int: Set<Int64>] = [:]
    for (key, rows) in pairs.written.inKeyOrder {
      guard let side = side(key) else { continue }
      for (row, partner) in try couples(of: rows, side, where: "IS NULL") {
        guard let object = try reference(side.inverse, of: partner, side.partners) else { continue }
        try lead(side.inverse, object, to: row)
        result[side.partners.rootIndex, default: []].insert(partner)
      }
    }
    for (key, rows) in pairs.written.merging(pairs.parted, uniquingKeysWith: +).inKeyOrder {
      guard let side = side(key) else { continue }
      for (row, partner) in try couples(of: rows, side, where: "IS NOT o._row") {
        try leave(side.own, of: row, side.entity, partner)
        result[side.entity.rootIndex, default: []].insert(row)
      }
    }
    return result
  }

  // MARK: - Columns

  private typealias Reference = (id: ManagedObjectID, target: Int64?)

  /// Where a column of an object leads; nil when there is no such object.
  private func reference(
    _ slot: Int, of row: Int64, _ entity: EntityDescription
  ) throws -> Reference? {
    var result: Reference?
    try scan(entity, .rows([row]), slots: [slot]) { cursor in
      result = (ManagedObjectID(entity: cursor.entity, row: row), cursor.integer(slot))
    }
    return result
  }

  private func lead(_ slot: Int, _ object: Reference, to target: Int64?) throws {
    guard object.target != target else { return }
    try write([(slot, target.map(Value.int) ?? .null)], to: [object.id.row], of: object.id.entity)
  }

  /// Has a column lead nowhere that leads to an object.
  private func leave(
    _ slot: Int, of row: Int64, _ entity: EntityDescription, _ target: Int64
  ) throws {
    guard let object = try reference(slot, of: row, entity), object.target == target else { return }
    try lead(slot, object, to: nil)
  }

  /// One side of a one-to-one relationship.
  private typealias Side = (
    own: Int, entity: EntityDescription, inverse: Int, partners: EntityDescription
  )

  private func side(_ key: PropertyKey) -> Side? {
    let entity = layout.entities[key.entity].entity
    guard let relationship = entity.properties[key.slot].relationship,
      let inverse = relationship.inverseSlot
    else { return nil }
    return (key.slot, entity, inverse, layout.entities[relationship.destinationIndex].entity)
  }

  /// Objects and the partners that they lead to, where a condition is true of the partner's own
  /// partner.
  private func couples(
    of rows: [Int64], _ side: Side, where condition: String
  ) throws -> [(row: Int64, partner: Int64)] {
    guard let column = layout[side.entity].column(side.own),
      let back = layout[side.partners].column(side.inverse)
    else { return [] }
    var found: [(row: Int64, partner: Int64)] = []
    try KeyChunks(
      connection,
      """
      SELECT o._row, p._row FROM \(layout.table(of: side.entity).quoted) o \
      JOIN \(layout.table(of: side.partners).quoted) p ON p._row = o.\(column.quoted) \
      WHERE p.\(back.quoted) \(condition) AND o._row IN
      """, .rows(Set(rows).sorted()), " ORDER BY o._row"
    ).eachRow { found.append(($0.integer(0), $0.integer(1))) }
    return found
  }
}

/// Objects whose one-to-one relationships were written one side at a time.
package struct WrittenPairs {
  fileprivate private(set) var written: [PropertyKey: [Int64]] = [:]
  fileprivate private(set) var parted: [PropertyKey: [Int64]] = [:]

  package init() {}

  /// Whether no side was written.
  package var isEmpty: Bool { written.isEmpty }

  /// Notes an object whose relationship was written.
  package mutating func write(_ relationship: RelationshipDescription, of row: Int64) {
    written[PropertyKey(relationship), default: []].append(row)
  }

  /// Notes the former partner of an object, which may lead to it still.
  ///
  /// - Parameter relationship: As the partner has it.
  package mutating func part(_ relationship: RelationshipDescription, of row: Int64) {
    parted[PropertyKey(relationship), default: []].append(row)
  }
}
