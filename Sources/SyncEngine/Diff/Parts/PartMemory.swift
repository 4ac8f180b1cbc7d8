import SyncCore

/// What the parts of a payload have to remember of each other, so that together they give what the payload
/// gives in one piece.
///
/// Each part is linked as if it were the whole payload. That is right unless two parts speak of the same
/// thing: an owner gives its list again, an object is in a list and says itself where it belongs, both
/// sides of a relationship disagree. Bits tell when that happens (an object more is a bit more), the log
/// tells what was said; ``LinkSettlement`` settles it when the whole payload has been seen.
struct PartMemory: Codable, Sendable {
  typealias Relationship = Claims.Relationship

  var log = StatementLog()

  /// Objects that the payload brought, by root entity.
  var inserted: [Int: RowSet] = [:]

  /// Objects that said something about a relationship of theirs.
  var spoken: [Relationship: RowSet] = [:]

  /// Members of one-to-many lists, given as objects or keys, by the relationship of the owner.
  var named: [Relationship: RowSet] = [:]

  /// Owners whose lists have to be looked at again.
  var relisted: [Relationship: RowSet] = [:]

  /// Members of one-to-many lists, and objects with to-one relationships, that have to be looked at again;
  /// the former by the relationship of the owner.
  var contested: [Relationship: RowSet] = [:]

  /// Rows whose to-one column changed, and those where it did so again.
  var changed: [Relationship: RowSet] = [:]
  var changedAgain: [Relationship: RowSet] = [:]

  /// Ends of pairs of link tables that came or went, and those where that happened again.
  var paired: [Relationship: RowSet] = [:]
  var pairedAgain: [Relationship: RowSet] = [:]

  /// Owners of ordered lists that changed, and those where that happened again.
  var ordered: [Relationship: RowSet] = [:]
  var orderedAgain: [Relationship: RowSet] = [:]

  /// Rows of which attributes were written, and those where it happened again, by root entity.
  var written: [Int: RowSet] = [:]
  var writtenAgain: [Int: RowSet] = [:]

  /// Owners whose members were counted, by their list; nil before the first.
  var counted: [Relationship: RowSet]?

  /// How many stored objects each owner lost whose members were not counted yet, by the members' relationship.
  var lost: [Relationship: RowNumbers]?

  /// Objects that the payload described under their key, not only referred to, by root entity; nil before the first.
  private var describedRows: [Int: RowSet]?

  /// The same where nobody asks whether there are any.
  var described: [Int: RowSet] {
    get { describedRows ?? [:] }
    set { describedRows = newValue.isEmpty ? nil : newValue }
  }

  /// The same where nobody asks whether there are any.
  var countedOwners: [Relationship: RowSet] {
    get { counted ?? [:] }
    set { counted = newValue.isEmpty ? nil : newValue }
  }

  // MARK: - Collecting

  /// Notes the objects of a part.
  mutating func noteObjects(_ batches: [Batch]) {
    for batch in batches {
      let root = batch.entity.rootIndex
      var new = inserted[root] ?? RowSet()
      var rows = describedRows?[root] ?? RowSet()
      // Taken out, so that they are changed in place.
      inserted[root] = nil
      describedRows?[root] = nil
      for occurrence in batch.occurrences
      where occurrence.row > 0 && occurrence.flags.isDisjoint(with: [.folded, .referenceOnly]) {
        let (isKeyless, isNew) = (
          occurrence.flags.contains(.keyless), occurrence.flags.contains(.inserted)
        )
        if isKeyless, isNew { noteKeyless(occurrence, batches) }
        if !isKeyless { rows.insert(occurrence.row) }
        if isNew { new.insert(occurrence.row) }
      }
      inserted[root] = new
      if describedRows == nil { describedRows = [:] }
      describedRows?[root] = rows
    }
  }

  /// Notes under what a new object without key stands.
  private mutating func noteKeyless(_ occurrence: Occurrence, _ batches: [Batch]) {
    guard occurrence.owner >= 0 else { return }
    let owners = batches[Int(occurrence.ownerBatch)]
    let relationship = owners.node.relationships[Int(occurrence.ownerRule)].relationship
    guard !relationship.isToMany else { return }
    let owner = owners.occurrences[Int(owners.representative(occurrence.owner))].row
    log.append(.keyless, [], Relationship(relationship), owner, CollectionOfOne(occurrence.row))
  }

  /// Notes that a to-one column of a stored object changes.
  mutating func noteColumn(
    _ relationship: RelationshipDescription, of row: Int64, _ entity: EntityDescription,
    from old: Int64
  ) {
    let key = Relationship(relationship)
    let isFirst = changed[key, default: RowSet()].insert(row)
    // A new object has its column from when it was inserted.
    if !isFirst || wasInserted(row, entity.rootIndex) {
      changedAgain[key, default: RowSet()].insert(row)
    } else if old > 0 {
      lost = lost ?? [:]
      let count = lost?[key]?[old] ?? 0
      lost?[key, default: RowNumbers()][old] = count + 1
    }
    log.append(.column, [], key, row, CollectionOfOne(old))
  }

  /// Counts the members that an owner lost before its list was seen; nothing when it was counted before.
  mutating func countMembers(
    of owner: Int64, _ list: Relationship, column: Relationship
  ) -> Int {
    counted = counted ?? [:]
    guard counted?[list, default: RowSet()].insert(owner) == true else { return 0 }
    guard let count = lost?[column]?[owner] else { return 0 }
    lost?[column]?[owner] = nil
    return Int(count)
  }

  /// Notes that attributes of stored objects are written.
  ///
  /// - Parameter hash: Of what an attribute holds now.
  mutating func noteValue(_ slot: Int, of row: Int64, _ root: Int, hash: Int64) {
    log.append(.value, [], Relationship(entity: root, slot: slot), row, CollectionOfOne(hash))
  }

  mutating func noteWritten(_ row: Int64, _ root: Int) {
    if !written[root, default: RowSet()].insert(row) {
      writtenAgain[root, default: RowSet()].insert(row)
    }
  }

  /// Notes that pairs of a many-to-many relationship come or go.
  mutating func notePairs(
    _ pairs: [(owner: Int64, member: Int64)], areAdded: Bool,
    _ relationship: RelationshipDescription, of entity: EntityDescription
  ) {
    let key = Relationship(relationship)
    let destination = entity.destination(of: relationship)
    let inverse = entity.inverse(of: relationship).map(Relationship.init)
    notePaired(pairs.map(\.owner), key)
    if let inverse { notePaired(pairs.map(\.member), inverse) }
    for (owner, member) in pairs {
      if !areAdded, let inverse, hasSpoken(member, of: inverse) { look(at: owner, listing: key) }
      if wasInserted(owner, entity.rootIndex), wasInserted(member, destination.rootIndex) {
        continue
      }
      log.append(.pair, areAdded ? .isAdded : [], key, owner, CollectionOfOne(member))
    }
  }

  /// Owners of ordered lists that are about to change, as far as nobody noted yet what they hold.
  mutating func ownersToNote(
    _ owners: some Sequence<Int64>, _ relationship: RelationshipDescription,
    of entity: EntityDescription
  ) -> [Int64] {
    let key = Relationship(relationship)
    var result: [Int64] = []
    for owner in Set(owners) where owner > 0 && !wasInserted(owner, entity.rootIndex) {
      if ordered[key, default: RowSet()].insert(owner) {
        result.append(owner)
      } else {
        orderedAgain[key, default: RowSet()].insert(owner)
      }
    }
    return result.sorted()
  }

  mutating func noteOrder(
    _ members: [Int64], of owner: Int64, _ relationship: RelationshipDescription
  ) {
    log.append(.order, [], Relationship(relationship), owner, members)
  }

  private mutating func notePaired(_ rows: [Int64], _ relationship: Relationship) {
    let before = paired[relationship]
    for row in rows {
      paired[relationship, default: RowSet()].insert(row)
      if before?.contains(row) ?? false {
        pairedAgain[relationship, default: RowSet()].insert(row)
      }
    }
  }

  mutating func look(at row: Int64, of relationship: Relationship) {
    contested[relationship, default: RowSet()].insert(row)
  }

  mutating func look(at owner: Int64, listing relationship: Relationship) {
    relisted[relationship, default: RowSet()].insert(owner)
  }
}
