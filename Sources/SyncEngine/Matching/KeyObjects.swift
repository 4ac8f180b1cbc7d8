/// What was decided about the objects of one key that several mentions or several stored rows have,
/// kept so that a key which thousands of owners use costs each of them a look-up, not a walk over
/// the others.
///
/// Confined to its batch.
final class KeyObjects {
  /// A one-to-many relationship of whatever owner: batch of the owners and relationship rule.
  struct List: Hashable {
    let batch: Int16
    let rule: Int16
  }

  private struct OwnedList: Hashable {
    let owner: Int64
    let list: List
  }

  private struct ListedRow: Hashable {
    let row: Int32
    let list: List
  }

  // MARK: - Mentions

  /// The first new object of the key, and how many there are.
  private(set) var firstNew: Int32?
  private(set) var newCount = 0
  private var members: [OwnedList: Int32] = [:]
  private var listedRows: Set<ListedRow> = []
  private var listsOfNew: Set<List> = []

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

  /// Notes who lists an occurrence.
  ///
  /// - Parameter row: Index of the stored row that its object is, or -1.
  func note(_ occurrence: Int32, row: Int32, isNew: Bool, owner: Int64, in list: List) {
    members[OwnedList(owner: owner, list: list)] = occurrence
    if row >= 0 { listedRows.insert(ListedRow(row: row, list: list)) }
    if isNew { listsOfNew.insert(list) }
  }

  /// The occurrence in the list of an owner.
  func member(of owner: Int64, in list: List) -> Int32? {
    members[OwnedList(owner: owner, list: list)]
  }

  /// Whether an owner of this part of the payload lists a stored row.
  func isListed(row: Int32, in list: List) -> Bool {
    listedRows.contains(ListedRow(row: row, list: list))
  }

  /// Whether an owner of this part of the payload lists a new object.
  func isNewListed(in list: List) -> Bool { listsOfNew.contains(list) }

  // MARK: - Stored rows

  private var sortedRows: [Int32] = []
  private var rowSet: Set<Int32> = []
  private var rowsByOwner: [List: [Int64: [Int32]]] = [:]
  private var ownersThatList: [List: Bool] = [:]

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
    of owner: Int64, in list: List, among rows: [Int32], ownedBy: (Int32) -> Int64
  ) -> [Int32] {
    if let known = rowsByOwner[list] { return known[owner] ?? [] }
    let grouped = Dictionary(grouping: rows, by: ownedBy)
    rowsByOwner[list] = grouped
    return grouped[owner] ?? []
  }

  /// Whether the owner that the only row of the key has lists it too, found out once for each list.
  func isListedByItsOwner(in list: List, _ find: () -> Bool) -> Bool {
    if let known = ownersThatList[list] { return known }
    let result = find()
    ownersThatList[list] = result
    return result
  }
}

@available(*, unavailable, message: "What is known of a key is confined to its batch.")
extension KeyObjects: Sendable {}
