import SyncCore
import SyncStore

/// What a payload has said so far, as far as later parts of it and the deletions at its end have to
/// know: which objects it mentioned, who listed whom, and who was not in a list.
///
/// It outlives the batches, so a payload may be worked off in parts, and holds bits, not objects.
/// Confined to its sync.
final class Claims {
  /// Objects that the payload mentions, by root entity.
  var mentioned: [Int: RowSet] = [:]

  /// Members of one-to-many lists of nested objects, by the relationship.
  var listed: [Relationship: RowSet] = [:]

  /// Members that their owner's list does not mention.
  var unlisted: [UnlistedMember] = []

  /// Items at the top that a given parent of a many-to-many relationship has as members.
  var parentMembers = RowSet()

  /// The same in the order of the payload, where the parent's list is ordered and nothing else orders it.
  var parentOrder: [Int64] = []

  /// Stored objects of a repeated key that stay, because they have other owners.
  var namesakes: [Int: RowSet] = [:]

  /// Stored objects of a repeated key that may become one with the first.
  var surplus: [Int: RowSet] = [:]

  /// Keys that no object had, by the place they stand in.
  var unresolvedByPlace: [UnresolvedReference.Place: [UnresolvedReference]] = [:]
  var unresolvedOrder: [UnresolvedReference.Place] = []

  /// What came of them since everything was kept; nil while nothing was.
  var newReferences: NewReferences?

  /// The first row that the sync gave to an object of the root entity, while there is one part only.
  var firstNewRow = Int64.max

  /// Members that the lists of the payload had before: the scope of nested deletion.
  var memberCount = 0

  /// Parts of the payload that were worked off.
  var partCount = 0

  /// Items at the top of the payload, and those among them that can be used.
  var itemCount = 0
  var usableItemCount = 0

  /// Whether a key at the top could not be read, so that nobody knows which object was meant.
  var isRootSuspended = false

  /// Whether an item at the top says anything about the relationship of a tree to itself.
  var rootItemsNameParent = false

  /// The objects in scope before anything was written; nil is every object of the entity.
  var rootScope: [Int64]?

  /// What parts remember of each other; nil while there is only one.
  var parts: PartMemory?

  /// Who nested objects that are not where they were nested.
  var nesters = Nesters()

  /// New objects of which it has to be seen whether they are stored ones.
  var standIns = StandIns()

  /// Keys put into tables that were empty in the beginning, by plan node; of one sync, never kept.
  var seenKeys: [Int: SeenKeys] = [:]

  /// Where to-one columns led before the first part; of one sync, never kept.
  let originIndex = FirstStatements(.column)

  /// The objects without key that parts made under to-one relationships; of one sync, never kept.
  let keylessIndex = FirstStatements(.keyless)

  /// Whom many-to-many lists gained and lost first; of one sync, never kept.
  let pairIndex = PairIndex()

  /// Entities of which earlier parts made objects, by index; of one sync, never kept.
  var madeEntities: Set<Int> = []

  struct Relationship: Hashable, Codable {
    let entity: Int
    let slot: Int

    init(entity: Int, slot: Int) {
      self.entity = entity
      self.slot = slot
    }

    init(_ relationship: RelationshipDescription) {
      entity = relationship.declaringIndex
      slot = relationship.slot
    }
  }

  struct UnlistedMember {
    let row: Int64
    let entity: EntityDescription
    /// The column that leads to the owner.
    let slot: Int
    let owner: Int64
    /// Whether the owner is the given parent, which has the member at the end, whoever listed it in between.
    var isLeftAtTheEnd = false
  }

  // MARK: - Questions

  /// Whether an earlier part of the payload brought the object.
  func wasInserted(_ row: Int64, _ entity: EntityDescription) -> Bool {
    // To ask the memory itself would copy it each time.
    parts?.inserted[entity.rootIndex]?.contains(row) ?? false
  }

  /// Whether an earlier part of the payload described the object, not only referred to it.
  func wasDescribed(_ row: Int64, _ entity: EntityDescription) -> Bool {
    parts?.described[entity.rootIndex]?.contains(row) ?? false
  }

  func isMentioned(_ row: Int64, _ entity: EntityDescription) -> Bool {
    mentioned[entity.rootIndex]?.contains(row) ?? false
  }

  /// Whether the object has a key that the payload mentions, and is not the one it was taken for.
  func isNamesake(_ row: Int64, _ entity: EntityDescription) -> Bool {
    namesakes[entity.rootIndex]?.contains(row) ?? false
  }

  /// Whether an earlier part of the payload listed the object under some owner.
  func isListed(_ row: Int64, under relationship: RelationshipDescription) -> Bool {
    listed[Relationship(relationship)]?.contains(row) ?? false
  }

  /// Who nested the object in an earlier part of the payload, if anybody did.
  ///
  /// - Parameter owner: Who has it now.
  func nester(
    of row: Int64, under relationship: RelationshipDescription, now owner: Int64
  ) -> Int64? {
    let list = Relationship(relationship)
    return nesters.owner(of: row, under: list)
      ?? (listed[list]?.contains(row) == true ? owner : nil)
  }

  func isSurplus(_ row: Int64, _ entity: EntityDescription) -> Bool {
    surplus[entity.rootIndex]?.contains(row) ?? false
  }

  // MARK: - Collecting

  /// Notes the objects that a matched part of the payload mentions.
  ///
  /// - Throws: `CancellationError`.
  func mention(_ batches: [Batch], _ control: SyncControl) throws {
    for batch in batches {
      try control.checkpoint()
      var rows = mentioned[batch.entity.rootIndex] ?? RowSet()
      let occurrences = batch.occurrences
      try rows.insert(occurrences.count) { index in
        if index % SyncControl.stride == 0 { try control.checkpoint() }
        let occurrence = occurrences[index]
        return occurrence.flags.contains(.referenceOnly) ? 0 : occurrence.row
      }
      for row in unreached(in: batch) { rows.insert(row) }
      for stored in batch.referenceStored where stored >= 0 {
        rows.insert(batch.stored.rows[Int(stored)])
      }
      mentioned[batch.entity.rootIndex] = rows
    }
  }

  /// Stored objects that are named below an object the sync may not write: nothing is done to them, so
  /// they are not deleted either.
  private func unreached(in batch: Batch) -> [Int64] {
    var result: [Int64] = []
    for (index, occurrence) in batch.occurrences.enumerated()
    where occurrence.row == 0 && !occurrence.flags.contains(.decided)
      && !occurrence.flags.contains(.keyless)
    {
      let head = batch.index.find(identityOf: batch.block[index])
      guard head >= 0 else { continue }
      let known = batch.firstStored[head] ?? batch.occurrences[Int(head)].stored
      let rows = batch.contested[head] ?? (known >= 0 ? [known] : [])
      if let row = rows.map({ batch.stored.rows[Int($0)] }).min() { result.append(row) }
    }
    return result
  }

  /// Notes an object that the payload refers to by its key.
  func mention(_ row: Int64, _ entity: EntityDescription) {
    mentioned[entity.rootIndex, default: RowSet()].insert(row)
  }

  /// Notes the members of the lists of a linked part of the payload.
  ///
  /// - Throws: `CancellationError`.
  func list(_ planner: LinkPlanner) throws {
    for batch in planner.batches {
      for (rule, relationship) in batch.node.relationships.enumerated()
      where relationship.relationship.kind == .oneToMany {
        let destination = planner.batches[relationship.node]
        let mentions = batch.mentions[rule]
        var rows = listed[Relationship(relationship.relationship)] ?? RowSet()
        try planner.activeMentions(rule, of: batch) { mention, _ in
          if mention % SyncControl.stride == 0 { try planner.control.checkpoint() }
          for target in mentions.targets(of: mention) where target >= 0 {
            if let row = planner.row(of: target, in: destination) { rows.insert(row) }
          }
        }
        listed[Relationship(relationship.relationship)] = rows
      }
    }
  }

  /// Notes one more member of a list of nested objects.
  func list(_ row: Int64, under relationship: RelationshipDescription) {
    listed[Relationship(relationship), default: RowSet()].insert(row)
  }

  /// Notes that a to-one column of a stored object changes.
  func noteColumn(
    _ relationship: RelationshipDescription, of row: Int64, _ entity: EntityDescription,
    from old: Int64
  ) {
    guard parts != nil else { return }
    parts?.noteColumn(relationship, of: row, entity, from: old)
    guard old > 0, let list = entity.inverse(of: relationship), isListed(row, under: list) else {
      return
    }
    nesters.note(old, of: row, under: Relationship(list))
  }

  func append(_ member: UnlistedMember) {
    unlisted.append(member)
  }
}

@available(*, unavailable, message: "Claims are confined to their sync.")
extension Claims: Sendable {}
