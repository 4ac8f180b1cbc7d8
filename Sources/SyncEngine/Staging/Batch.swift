import SyncCore

/// Staged rows of one plan node: cells, keys and links of every object the payload mentions.
///
/// ```
///              ┌ block: cells, row after row            index: key → first occurrence
/// occurrences ─┤                                         next:  further ones of the same key
///              └ Occurrence: row number, owner, flags
/// references  ── keys that the payload only refers to    mentions[rule]: who links to whom
/// ```
///
/// Confined to the sync that owns it.
final class Batch {
  let node: PlanNode
  let number: Int
  let block: RowBlock
  let index: KeyIndex

  /// The slot of the key when it is a single one, else -1.
  let keySlot: Int
  let occurrences = PlainArray<Occurrence>()

  /// Where the bytes of each occurrence's item begin, 0 for those that the engine adds; kept when new
  /// items are to be offered to a delegate.
  let sources: PlainArray<UInt>?

  /// Index of the item at the top that each occurrence stands in, -1 for those that the engine adds;
  /// kept when it has to be found out who is to blame.
  let items: PlainArray<Int32>?
  /// When each occurrence was mentioned first; kept when objects may be mentioned under another entity too.
  let orders: PlainArray<UInt32>?
  /// When slots were given again, by occurrence; 0 where they were not.
  var laterOrders: [Int32: [UInt32]] = [:]
  /// The occurrences that are mentioned under a subentity too, whose mention is the one that is written.
  var ofSubentities: [Int32: SubentityMention] = [:]
  /// How many of those only stand for an object of the subentity, and describe none themselves.
  var mentionCount = 0
  /// Whether others of them describe the object too.
  var isFolded: Bool { ofSubentities.count > mentionCount }
  /// The first occurrences of the keys of which one in a list of an owner is.
  var keysOfSubentities: Set<Int32> = []
  let mentions: [LinkMentions]

  /// Keys the payload refers to without nesting the object, each once.
  let references: RowBlock
  let referenceIndex: KeyIndex
  /// Index in ``stored`` of each reference's object, or -1.
  var referenceStored: [Int32] = []
  /// All stored rows of a reference's key where there are several.
  var referenceDuplicates: [Int32: [Int32]] = [:]

  /// References of which a stub is made where no object has the key.
  var stubs: Set<Int32> = []
  /// Where the objects stand whose mapping makes no new ones.
  var paths: [Int32: String] = [:]
  /// Objects that the payload says are deleted.
  let tombstones: Tombstones

  let stored: StoredRows
  /// What differs between occurrences and their stored rows.
  var differences: [SlotSet] = []
  /// All stored rows of a key that several rows have, by the first occurrence of the key.
  var contested: [Int32: [Int32]] = [:]

  /// The names by which other machines know stored objects that share a key, by row.
  var sharedNames: [Int64: String] = [:]

  /// How many objects were asked for.
  var namedCount = 0
  /// The object that is known by a key alone, once it is decided.
  var sharedObjects: [Int32: Int32] = [:]
  /// The stored row of a key whose first occurrence turned out to be another object.
  var firstStored: [Int32: Int32] = [:]
  /// What was decided about keys that several mentions or stored rows have, by the first occurrence.
  private var keyObjects: [Int32: KeyObjects] = [:]
  /// Index of the given parent's row among the stored ones, known or not.
  var parentRow: Int32?
  /// The stored row of a given parent, of which nothing is known yet but its number.
  var placeholder: Int32?
  /// Whether the whole table was read, so that nothing has to be looked up.
  var isComplete = false
  /// The stored objects that mappings of the batch know about, by the number of the group.
  private(set) var groups: [Filter] = []
  private var groupNumbers: [String: Int32] = [:]
  /// The group that each occurrence is looked for in, -1 for all objects; nil while there are no groups.
  private var groupOfOccurrence: PlainArray<Int32>?
  /// Groups of which all go that no list names, by their numbers; -1 is all objects.
  var deletingGroups: Set<Int32> = []
  /// Stored rows that have the key of an occurrence, beside the one that it is, and whether they take its values.
  var copies: [(occurrence: Int32, stored: Int32, takesValues: Bool)] = []
  /// Whether several occurrences are one object, so that one owner may have several lists.
  var hasRepeats = false
  /// What several places of the payload say differently.
  var contradictions = Contradictions()
  /// The latest occurrence without key, -1 before the first.
  private(set) var latestKeyless: Int32 = -1

  init(
    node: PlanNode, number: Int, keepsSources: Bool, keepsItems: Bool = false,
    keepsOrders: Bool = false
  ) {
    sources = keepsSources ? PlainArray() : nil
    orders = keepsOrders ? PlainArray() : nil
    items = keepsItems ? PlainArray() : nil
    self.node = node
    self.number = number
    keySlot = node.identity.count == 1 ? node.identity[0] : -1
    block = RowBlock(width: node.columns.count)
    index = KeyIndex(block: block, identity: node.identity)
    references = RowBlock(slots: node.identityRange, capacity: 1)
    referenceIndex = KeyIndex(block: references, identity: node.identity)
    tombstones = Tombstones(identity: node.identity, slots: node.identityRange)
    mentions = node.relationships.map { _ in LinkMentions() }
    stored = StoredRows(referenceCount: node.columns.toOne.count)
  }

  var entity: EntityDescription { node.entity }

  /// Sets memory aside for so many times as much as there is now.
  func reserve(_ factor: Double) {
    func expected(_ count: Int) -> Int { Int(Double(count) * factor) }
    block.reserve(expected(block.count))
    index.reserve(expected(block.count))
    occurrences.reserve(expected(occurrences.count))
    sources?.reserve(expected(occurrences.count))
    items?.reserve(expected(occurrences.count))
    for mention in mentions { mention.reserve(factor) }
  }

  /// What was decided about the key of an occurrence that is the first of it.
  func objects(ofKey head: Int32) -> KeyObjects {
    if let known = keyObjects[head] { return known }
    let known = KeyObjects()
    keyObjects[head] = known
    return known
  }

  /// The occurrence that stands for the object of the given one.
  func representative(_ occurrence: Int32) -> Int32 {
    var result = occurrence
    while occurrences[result].flags.contains(.folded) {
      result = occurrences[result].link
    }
    return result
  }

  /// Adds an occurrence for the row just appended to the block.
  func append(
    _ occurrence: Occurrence, source: UInt = 0, item: Int = -1, order: UInt32 = 0, group: Int32 = -1
  ) -> Int32 {
    groupOfOccurrence?.append(group)
    orders?.append(order)
    sources?.append(source)
    items?.append(Int32(truncatingIfNeeded: item))
    occurrences.append(occurrence)
    let result = Int32(occurrences.count - 1)
    if occurrence.flags.contains(.keyless) { latestKeyless = result }
    return result
  }

  /// Index of the item at the top that an occurrence stands in.
  func item(of occurrence: Int32) -> Int? {
    guard let items, items[occurrence] >= 0 else { return nil }
    return Int(items[occurrence])
  }

  /// Adds an occurrence to those of its key, which the index knows. The one identified by its key alone, of which there is at
  /// most one, stays in front; then come the latest.
  func chain(_ occurrence: Int32, to head: Int32) {
    occurrences[head].flags.insert(.shared)
    occurrences[occurrence].flags.insert(.shared)
    if occurrences[occurrence].isOwned, !occurrences[head].isOwned {
      occurrences[occurrence].next = occurrences[head].next
      occurrences[head].next = occurrence
    } else {
      occurrences[occurrence].next = head
      index.replace(head, by: occurrence)
    }
  }

  // MARK: - Groups

  /// The number of a group of stored objects.
  func number(ofGroup filter: Filter) -> Int32 {
    let text = filter.wholeText
    if let known = groupNumbers[text] { return known }
    if groupOfOccurrence == nil {
      let numbers = PlainArray<Int32>()
      for _ in occurrences.indices { numbers.append(-1) }
      groupOfOccurrence = numbers
    }
    let number = Int32(clamping: groups.count)
    groups.append(filter)
    groupNumbers[text] = number
    return number
  }

  /// The number of the group that an occurrence is looked for in, -1 for all objects.
  func group(of occurrence: Int32) -> Int32 { groupOfOccurrence?[occurrence] ?? -1 }

  /// Whether the objects are told by their key and group, whoever owns them.
  var goesByKeyAlone: Bool { node.ignoresOwners || groupOfOccurrence != nil }

  /// Lays the cells of occurrences over those of the stored rows that take the same values.
  func layCopies() {
    for copy in copies where copy.takesValues && stored.occurrences[copy.stored] >= 0 {
      overlay(
        Int(representative(copy.occurrence)), over: Int(stored.occurrences[copy.stored]))
    }
  }

  /// Says whether keys are looked for by several threads, which add none.
  func setIndexesShared(_ isShared: Bool) {
    index.isShared = isShared
    referenceIndex.isShared = isShared
  }

  /// The reference to a key; added when it is the first one.
  @inline(never)
  func reference(toKey key: Cell, in slot: Int) -> Int32 {
    let known = referenceIndex.find(key)
    guard known < 0 else { return known }
    let reference = Int32(references.append())
    references[reference][slot] = key
    _ = referenceIndex.findOrInsert(reference)
    return reference
  }

  /// Refers to the objects of the key that a row has.
  func referToKey(of row: Int) {
    let reference = references.append()
    for slot in node.identity { references[reference][slot] = block[row][slot] }
    if referenceIndex.findOrInsert(Int32(reference)) >= 0 { references.removeLast() }
  }

  /// The occurrence of a stored row; added, without values, when the payload does not describe it.
  func occurrence(ofStored index: Int32) -> Int32 {
    let existing = stored.occurrences[index]
    if existing >= 0 { return existing }
    _ = block.append()
    var occurrence = Occurrence()
    occurrence.row = stored.rows[index]
    occurrence.stored = index
    occurrence.flags = [.active, .referenceOnly]
    let result = append(occurrence)
    stored.occurrences[index] = result
    return result
  }

  /// The concrete entity of a stored row.
  func concreteEntity(ofStored index: Int32) -> EntityDescription {
    stored.entities.isEmpty
      ? entity : EntityDescription(model: entity.model, index: Int(stored.entities[index]))
  }

  /// The concrete entity of an occurrence's object.
  func entity(of occurrence: Occurrence) -> EntityDescription {
    occurrence.stored >= 0 ? concreteEntity(ofStored: occurrence.stored) : entity
  }

  /// Notes what differs between an occurrence and its stored row.
  func noteDifference(_ slots: SlotSet, of occurrence: Int32) {
    guard !slots.isEmpty else { return }
    let link = occurrences[occurrence].link
    if link >= 0 {
      differences[Int(link)].formUnion(slots)
    } else {
      differences.append(slots)
      occurrences[occurrence].link = Int32(differences.count - 1)
    }
  }

  /// The key of a row of ``block`` or ``references``, for reports and change sets.
  func key(_ cells: UnsafePointer<Cell>) -> Value {
    guard let slot = node.identity.first else { return .null }
    return cells[slot].value(as: node.entity.properties[slot].attribute?.type)
  }
}

@available(*, unavailable, message: "A batch is confined to the sync that owns it.")
extension Batch: Sendable {}
