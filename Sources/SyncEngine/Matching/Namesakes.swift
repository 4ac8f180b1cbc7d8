import SyncCore
import SyncStore

/// The names by which other machines know stored objects that share a key.
struct SharedNames {
  /// How many objects were asked for.
  let rowCount: Int
  /// By row.
  let names: [Int64: SharedName]
}

/// Stored objects of an entity that share a key the payload mentions.
struct Namesakes {
  private let batch: MatchedBatch

  init(_ batch: MatchedBatch) {
    self.batch = batch
  }

  /// Learns by which names other machines know the objects that share a key.
  func learnNames(in transaction: StoreTransaction) throws {
    let rows = batch.contested.values.joined().map { batch.stored.rows[$0] }
    guard rows.count != batch.sharedNames?.rowCount else { return }
    batch.sharedNames = SharedNames(
      rowCount: rows.count, names: try transaction.sharedNames(of: rows, batch.entity))
  }

  /// Which of two stored objects of a key stands for it: the older one. Objects that other machines
  /// know go by their names there, which are the same on all of them: else two machines would each
  /// delete the other's object. Names that the key makes are shorter than those that were
  /// drawn, and those that were drawn earlier come first. Of one name that two zones have, the
  /// account's own zone, whose name is the shorter one, comes before those that are shared.
  func isSenior(_ left: Int32, _ right: Int32) -> Bool {
    let rows = (batch.stored.rows[left], batch.stored.rows[right])
    switch (batch.sharedNames?.names[rows.0], batch.sharedNames?.names[rows.1]) {
    case (let left?, let right?):
      return (left.name.utf8.count, left.name, left.zone.utf8.count, left.zone)
        < (right.name.utf8.count, right.name, right.zone.utf8.count, right.zone)
    case (_?, nil): return true
    case (nil, _?): return false
    case (nil, nil): return rows.0 < rows.1
    }
  }

  /// The facts in which two objects of a key have to agree so that they may become one: the entity,
  /// the owner in every to-one relationship, and the zone, as one that is shared may be another
  /// account's. An object that no other machine knows is of any zone.
  private struct Kind: Hashable {
    let entity: Int
    let owners: [Int64]
    var zone: String?
  }

  /// Tells the claims which of them are objects of their own: those with the same owners may be
  /// folded into the first of them, children of other owners stay.
  func sort(in claims: Claims, _ transaction: StoreTransaction) throws {
    let stored = batch.stored
    let further = try furtherOwners(in: transaction)
    for indexes in batch.contested.values {
      var seen: Set<Kind> = []
      for index in indexes.sorted(by: isSenior) {
        let row = stored.rows[index]
        var kind = Kind(
          entity: batch.concreteEntity(ofStored: index).index,
          owners: stored.references.map { $0[Int(index)] }
            + (further[row] ?? []))
        var isFirst = seen.insert(kind).inserted
        kind.zone = batch.sharedNames?.names[row]?.zone
        if kind.zone != nil { isFirst = seen.insert(kind).inserted }
        guard stored.occurrences[index] < 0 else { continue }
        if isFirst {
          claims.insert(row, .distinct(batch.entity.rootIndex))
        } else {
          claims.insert(row, .surplus(batch.entity.rootIndex))
        }
      }
    }
  }

  /// The owners of objects of subentities in relationships that the batch's entity does not have,
  /// by row.
  private func furtherOwners(in transaction: StoreTransaction) throws -> [Int64: [Int64]] {
    guard !batch.stored.entities.isEmpty else { return [:] }
    var rows: [EntityDescription: [Int64]] = [:]
    for indexes in batch.contested.values where indexes.count > 1 {
      for index in indexes {
        let entity = batch.concreteEntity(ofStored: index)
        if entity != batch.entity {
          rows[entity, default: []].append(batch.stored.rows[index])
        }
      }
    }
    var result: [Int64: [Int64]] = [:]
    for (entity, rows) in rows {
      let columns = entity.relationships.filter {
        !$0.isToMany && batch.entity.relationship(named: $0.name) == nil
      }
      guard !columns.isEmpty else { continue }
      try transaction.scan(entity, .rows(rows.sorted()), slots: columns.map(\.slot)) { cursor in
        result[cursor.row] = columns.map { cursor.integer($0.slot) ?? 0 }
      }
    }
    return result
  }
}

/// The decisions about the objects of one key that several mentions or several stored rows have,
/// kept so that a key which thousands of owners use costs each of them a look-up, not a walk over
/// the others.
///
/// Confined to its batch.
final class KeyObjects {
  private struct ListedRow: Hashable {
    let row: Int32
    let list: ListPlace
  }

  // MARK: - Mentions

  /// The first new object of the key, and how many there are.
  private(set) var firstNew: Int32?
  private(set) var newCount = 0
  private var members: [OwnedList: Int32] = [:]
  private var listedRows: Set<ListedRow> = []
  private var listsOfNew: Set<ListPlace> = []

  /// The object that is known by the key alone, once it is decided.
  var shared: Int32?
  /// The stored row of the key, or -1, when the first occurrence of it turned out to be another
  /// object.
  var forgotten: Int32?

  /// Notes that a new object of the key is made where an occurrence stands.
  func noteNew(_ occurrence: Int32) {
    firstNew = firstNew ?? occurrence
    newCount += 1
  }

  /// Notes the owner that lists an occurrence.
  ///
  /// - Parameter row: Index of the stored row that its object is, or -1.
  func note(_ occurrence: Int32, row: Int32, isNew: Bool, owner: Int64, in list: ListPlace) {
    members[OwnedList(owner: owner, list: list)] = occurrence
    if row >= 0 { listedRows.insert(ListedRow(row: row, list: list)) }
    if isNew { listsOfNew.insert(list) }
  }

  /// The occurrence in the list of an owner.
  func member(of owner: Int64, in list: ListPlace) -> Int32? {
    members[OwnedList(owner: owner, list: list)]
  }

  /// Whether an owner of this part of the payload lists a stored row.
  func isListed(row: Int32, in list: ListPlace) -> Bool {
    listedRows.contains(ListedRow(row: row, list: list))
  }

  /// Whether an owner of this part of the payload lists a new object.
  func isNewListed(in list: ListPlace) -> Bool { listsOfNew.contains(list) }

  // MARK: - Stored rows

  private var sortedRows: [Int32] = []
  private var rowSet: Set<Int32> = []
  private var rowsByOwner: [ListPlace: [Int64: [Int32]]] = [:]
  private var ownersThatList: [ListPlace: Bool] = [:]

  /// Stored rows in order; sorted again when more of them were read.
  func sorted(_ rows: [Int32], by comesFirst: (Int32, Int32) -> Bool) -> [Int32] {
    guard rows.count != sortedRows.count else { return sortedRows }
    sortedRows = rows.sorted(by: comesFirst)
    rowsByOwner = [:]
    return sortedRows
  }

  /// Whether a row is among those of the key.
  func holds(_ row: Int32, among rows: [Int32]) -> Bool {
    if rowSet.count != rows.count { rowSet = Set(rows) }
    return rowSet.contains(row)
  }

  /// The rows that belong to an owner.
  func rows(
    of owner: Int64, in list: ListPlace, among rows: [Int32], ownedBy: (Int32) -> Int64
  ) -> [Int32] {
    if let known = rowsByOwner[list] { return known[owner] ?? [] }
    let grouped = Dictionary(grouping: rows, by: ownedBy)
    rowsByOwner[list] = grouped
    return grouped[owner] ?? []
  }

  /// Whether the owner that the only row of the key has lists it too, found out once for each list.
  func isListedByItsOwner(in list: ListPlace, _ find: () -> Bool) -> Bool {
    if let known = ownersThatList[list] { return known }
    let result = find()
    ownersThatList[list] = result
    return result
  }
}

/// A list of one owner.
struct OwnedList: Hashable {
  let owner: Int64
  let list: ListPlace
}

@available(*, unavailable, message: "What is known of a key is confined to its batch.")
extension KeyObjects: Sendable {}
