import SyncCore
import SyncStore

/// Rows with the rows that they lead to, read for many of them at once.
///
/// Rows that came together are a cohort: those of a ``begin(_:)``, and those that a relationship of
/// a cohort led to. The first row of a cohort that is asked for a relationship reads it for the
/// whole cohort. So the number of statements follows the paths through the model, not the rows.
///
/// ```
/// begin ─▶ cohort 0: users ─ notes ─▶ cohort 1: all notes of all these users ─ tags ─▶ cohort 2 …
/// ```
///
/// Confined to one read of the store. An object is a position in `rows`.
final class RowSource {
  private struct Place: Hashable {
    let root: Int
    let row: Int64
  }

  /// A relationship of the rows of one entity in a cohort.
  private struct CohortLink: Hashable {
    let cohort: Int
    let entity: Int
    let slot: Int
  }

  private struct Link: Hashable {
    let position: Int
    let slot: Int
  }

  private let reader: StoreReader
  private var rows: [StoredRow] = []
  private var cohortOfRow: [Int] = []
  private var cohorts: [[Int]] = []
  private var positions: [Place: Int] = [:]
  private var loaded: Set<CohortLink> = []
  private var links: [Link: [Int]] = [:]

  init(_ reader: StoreReader) {
    self.reader = reader
  }

  /// Starts over with these rows, and forgets all others.
  ///
  /// - Returns: the objects to export, in the order of the rows.
  func begin(_ first: [StoredRow]) -> Range<Int> {
    rows.removeAll(keepingCapacity: true)
    cohortOfRow.removeAll(keepingCapacity: true)
    cohorts.removeAll(keepingCapacity: true)
    positions.removeAll(keepingCapacity: true)
    loaded.removeAll(keepingCapacity: true)
    links.removeAll(keepingCapacity: true)
    add(first)
    return rows.indices
  }

  private func add(_ more: [StoredRow]) {
    guard !more.isEmpty else { return }
    let start = rows.count
    rows += more
    cohortOfRow += repeatElement(cohorts.count, count: more.count)
    cohorts.append(Array(start..<rows.count))
    for position in start..<rows.count {
      let row = rows[position]
      positions[Place(root: row.entity.rootIndex, row: row.row)] = position
    }
  }

  // MARK: - Asking

  func identifier(of position: Int) -> ManagedObjectID { rows[position].id }

  func value(at slot: Int, of position: Int) -> Value { rows[position].values[slot] }

  func objects(of relationship: RelationshipDescription, from position: Int) throws -> [Int] {
    let entity = rows[position].entity
    let link = CohortLink(
      cohort: cohortOfRow[position], entity: entity.index, slot: relationship.slot)
    if loaded.insert(link).inserted { try load(relationship, of: entity, in: link.cohort) }
    return links[Link(position: position, slot: relationship.slot)] ?? []
  }

  // MARK: - Reading

  private func load(
    _ relationship: RelationshipDescription, of entity: EntityDescription, in cohort: Int
  ) throws {
    let owners = cohorts[cohort].filter { rows[$0].entity == entity }
    let destination = entity.destination(of: relationship)
    let pairs = try pairs(relationship, of: entity, owners)
    let root = destination.rootIndex
    let unknown = Set(pairs.map(\.target)).filter { positions[Place(root: root, row: $0)] == nil }
    if !unknown.isEmpty {
      add(try reader.rows(destination.rootEntity, rows: unknown.sorted()))
    }
    for (owner, target) in pairs {
      guard let member = positions[Place(root: root, row: target)] else { continue }
      links[Link(position: owner, slot: relationship.slot), default: []].append(member)
    }
  }

  /// Positions of owners with the row numbers of their targets, in order.
  private func pairs(
    _ relationship: RelationshipDescription, of entity: EntityDescription, _ owners: [Int]
  ) throws -> [(owner: Int, target: Int64)] {
    guard relationship.isToMany else {
      return owners.compactMap { owner in
        guard case .int(let target) = rows[owner].values[relationship.slot] else { return nil }
        return (owner, target)
      }
    }
    let members = try reader.members(
      of: relationship, in: entity, owners: owners.map { rows[$0].row })
    let root = entity.rootIndex
    return members.compactMap { member in
      positions[Place(root: root, row: member.owner)].map { ($0, member.row) }
    }
  }
}

/// Says in memory whether filters mean rows: one read of the rows, and one for each relationship on
/// the way, however many filters there are. Confined to its maker.
final class GroupEvaluation {
  private let source: RowSource
  private let positions: [Int64: Int]

  init(_ entity: EntityDescription, rows: [Int64], _ reader: StoreReader) throws {
    source = RowSource(reader)
    let stored = try reader.rows(entity.rootEntity, rows: rows)
    let range = source.begin(stored)
    positions = Dictionary(uniqueKeysWithValues: zip(stored.lazy.map(\.row), range))
  }

  /// Whether the row was among those that were read.
  func knows(_ row: Int64) -> Bool { positions[row] != nil }

  /// Whether a filter means one of the rows.
  func contains(_ row: Int64, _ filter: ResolvedFilter) throws -> Bool {
    guard let position = positions[row] else { return false }
    return try filter.matches(RowSubject(source: source, position: position))
  }
}

/// A stored row, as filters look at it.
private struct RowSubject: FilterSubject {
  let source: RowSource
  let position: Int

  var filterRow: Int64 { source.identifier(of: position).row }

  func filterValue(at slot: Int) throws -> Value { source.value(at: slot, of: position) }

  func filterReference(at slot: Int) throws -> Int64? {
    if case .int(let row) = source.value(at: slot, of: position) { row } else { nil }
  }

  func filterObject(at slot: Int) throws -> (any FilterSubject)? { try objects(at: slot).first }

  func filterMembers(at slot: Int) throws -> [any FilterSubject] { try objects(at: slot) }

  private func objects(at slot: Int) throws -> [RowSubject] {
    let entity = source.identifier(of: position).entity
    guard let relationship = entity.properties[slot].relationship else { return [] }
    return try source.objects(of: relationship, from: position).map {
      RowSubject(source: source, position: $0)
    }
  }
}
