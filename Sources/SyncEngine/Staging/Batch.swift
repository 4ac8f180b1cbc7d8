import SyncCore

/// Staged rows of one plan node: cells, keys and links of every object the payload mentions.
///
/// ```
///              ┌ block: cells of attributes, by row     index: key → first occurrence
/// occurrences ─┤                                         next:  further ones of the same key
///              └ Occurrence: owner, flags
/// references  ── keys that the payload only refers to    mentions[rule]: owners and targets
/// ```
///
/// The phases behind staging read the cells (``cells(_:)``). Confined to the sync that owns it.
final class Batch {
  let node: PlanNode
  let number: Int
  let block: RowBlock
  let index: KeyIndex

  let occurrences = PlainArray<Occurrence>()

  /// Where the occurrences stand in the payload.
  @exclusivity(unchecked) var origins: Origins

  /// When they were mentioned; nil where that does not matter.
  let orders: MentionOrders?

  /// Those of objects of subentities.
  @exclusivity(unchecked) var ofSubentities = SubentityMentions()
  @exclusivity(unchecked) private(set) var mentions: [LinkMentions]
  /// The mentions of each relationship of which nothing is said.
  private let unsaid: LinkMentions

  /// Keys that the payload refers to without nesting the object.
  let references: StagedKeys

  /// Objects that the payload says are deleted; nil before the first.
  @exclusivity(unchecked) private(set) var goneItems: GoneItems?
  @exclusivity(unchecked) private(set) var groups = StagedGroups()

  /// Whether several occurrences are one object, so that one owner may have several lists.
  var hasRepeats = false
  /// Contradictions between places of the payload.
  var contradictions = Contradictions()
  /// The latest occurrence without key, -1 before the first.
  private(set) var latestKeyless: Int32 = -1

  /// Where the occurrences of a batch stand in the payload.
  struct Origins {
    /// Where the bytes of each one's item begin, 0 for those that the engine adds; kept when new
    /// items are to be offered to a delegate.
    let addresses: PlainArray<UInt>?

    /// Index of the item at the top that each one stands in, -1 for those that the engine adds;
    /// kept when the items that cause an error have to be found.
    let items: PlainArray<Int32>?

    /// The paths of objects whose mapping makes no new ones.
    var paths: [Int32: String] = [:]

    /// The same of a batch without occurrences.
    var emptied: Origins {
      Origins(keepsAddresses: addresses != nil, keepsItems: items != nil)
    }

    init(keepsAddresses: Bool, keepsItems: Bool) {
      addresses = keepsAddresses ? PlainArray() : nil
      items = keepsItems ? PlainArray() : nil
    }
  }

  /// - Parameter unsaid: Empty mentions, one and the same for all batches: most relationships of
  ///   large models are never spoken of.
  init(
    _ node: PlanNode, number: Int, _ origins: Origins, keepsOrders: Bool, unsaid: LinkMentions
  ) {
    self.node = node
    self.number = number
    self.origins = origins
    orders = keepsOrders ? MentionOrders() : nil
    block = RowBlock(width: node.columns.valueCount)
    index = KeyIndex(block: block, identity: node.identity)
    references = StagedKeys(node)
    self.unsaid = unsaid
    mentions = Array(repeating: unsaid, count: node.relationships.count)
  }

  var entity: EntityDescription { node.entity }

  /// Whether nothing was said of its objects.
  var isUntouched: Bool {
    occurrences.isEmpty && references.count == 0 && goneItems == nil
      && ofSubentities.bareCount == 0
  }

  /// The slot of the key when it is a single one, else -1.
  var keySlot: Int { node.identity.count == 1 ? node.identity[0] : -1 }

  /// The cells of an occurrence, by slot.
  @inline(__always)
  func cells(_ occurrence: Int32) -> UnsafePointer<Cell> { UnsafePointer(block[occurrence]) }

  /// Gives the memory of all values back but of keys, which alone may be asked for from now on.
  func dropValues() { block.narrow(to: node.identityRange) }

  /// Sets memory aside for so many times as much as there is now.
  func reserve(_ factor: Double) {
    func expected(_ count: Int) -> Int { Int(Double(count) * factor) }
    block.reserve(expected(block.count))
    index.reserve(expected(block.count))
    occurrences.reserve(expected(occurrences.count))
    origins.addresses?.reserve(expected(occurrences.count))
    origins.items?.reserve(expected(occurrences.count))
    for mention in mentions where mention !== unsaid { mention.reserve(factor) }
  }

  /// The mentions of a relationship, to which some may be added.
  func saidMentions(of rule: Int) -> LinkMentions {
    if mentions[rule] === unsaid { mentions[rule] = LinkMentions() }
    return mentions[rule]
  }

  /// Notes that an object is deleted.
  func addGone(_ cells: UnsafePointer<Cell>, of owner: Owner?) {
    let items = goneItems ?? GoneItems(node)
    goneItems = items
    items.add(cells, of: owner)
  }

  /// Adds an occurrence for the row just appended to the block.
  func append(
    _ occurrence: Occurrence, address: UInt = 0, item: Int = -1, order: UInt32 = 0,
    group: Int32 = -1
  ) -> Int32 {
    groups.append(group)
    orders?.append(order)
    origins.addresses?.append(address)
    origins.items?.append(Int32(truncatingIfNeeded: item))
    occurrences.append(occurrence)
    let result = Int32(occurrences.count - 1)
    if occurrence.traits.contains(.keyless) { latestKeyless = result }
    return result
  }

  /// Index of the item at the top that an occurrence stands in.
  func item(of occurrence: Int32) -> Int? {
    guard let items = origins.items, occurrence < items.count, items[occurrence] >= 0 else {
      return nil
    }
    return Int(items[occurrence])
  }

  /// Adds an occurrence to those of its key, which the index knows. The one identified by its key
  /// alone, of which there is at most one, stays in front; then come the latest.
  func chain(_ occurrence: Int32, to head: Int32) {
    occurrences[head].traits.insert(.shared)
    occurrences[occurrence].traits.insert(.shared)
    if occurrences[occurrence].isOwned, !occurrences[head].isOwned {
      occurrences[occurrence].next = occurrences[head].next
      occurrences[head].next = occurrence
    } else {
      occurrences[occurrence].next = head
      index.replace(head, by: occurrence)
    }
  }

  /// The number of a group of stored objects.
  func number(ofGroup filter: Filter) -> Int32 {
    groups.number(of: filter, after: occurrences.count)
  }

  /// Notes that all objects of a group go that no list names.
  func noteDeleting(_ group: Int32) { groups.deleting.insert(group) }

  /// Whether the objects are told by their key and group, under any owner.
  var goesByKeyAlone: Bool { node.ignoresOwners || !groups.isEmpty }

  /// The key of a row of ``block`` or ``references``, for reports and change sets.
  func key(_ cells: UnsafePointer<Cell>) -> Value {
    guard let slot = node.identity.first else { return .null }
    return cells[slot].value(as: node.entity.properties[slot].attribute?.type)
  }
}

@available(*, unavailable, message: "A batch is confined to the sync that owns it.")
extension Batch: Sendable {}

extension UnsafeMutablePointer<Cell> {
  /// Lays the values of a later mention of an object over those of an earlier one; a value that the
  /// later one lacks stays.
  ///
  /// - Parameter onConflict: Called with the first slot of which both say something else, before it
  ///   is changed.
  @inline(__always)
  func lay(_ later: UnsafePointer<Cell>, of node: PlanNode, onConflict: (Int) -> Void = { _ in }) {
    var isTold = false
    for slot in 0..<node.columns.valueCount where !later[slot].isAbsent {
      if !isTold, !self[slot].isAbsent, !later[slot].isIdentical(to: self[slot]) {
        isTold = true
        onConflict(slot)
      }
      self[slot] = later[slot]
    }
  }
}

/// Keys of objects that the payload does not describe, each once: those that it refers to, or
/// those of which it says that they are deleted. Confined to its batch.
final class StagedKeys {
  /// The cells of the keys, one behind the other.
  private let block: RowBlock
  let index: KeyIndex
  private let identity: [Int]

  /// References of which a stub is made where no object has the key.
  var stubs: Set<Int32> = []

  init(_ node: PlanNode) {
    identity = node.identity
    block = RowBlock(slots: node.identityRange)
    index = KeyIndex(block: block, identity: identity)
  }

  var count: Int { block.count }

  /// The cells of a key.
  @inline(__always)
  subscript(number: some BinaryInteger) -> UnsafePointer<Cell> {
    UnsafePointer(block[Int(number)])
  }

  /// The number of a key of one slot; added when it is the first one.
  @inline(never)
  func number(of key: Cell, in slot: Int) -> Int32 {
    let known = index.find(key)
    guard known < 0 else { return known }
    let number = Int32(block.append())
    block[number][slot] = key
    _ = index.findOrInsert(number)
    return number
  }

  /// The number of the key that a row has; added when it is the first one.
  func number(ofKeyIn cells: UnsafePointer<Cell>) -> Int32 {
    let row = Int32(block.append())
    for slot in identity { block[row][slot] = cells[slot] }
    let known = index.findOrInsert(row)
    if known < 0 { return row }
    block.removeLast()
    return known
  }
}

@available(*, unavailable, message: "Keys are confined to their batch.")
extension StagedKeys: Sendable {}

/// The groups of stored objects that mappings of a batch know about, and in which of them its
/// occurrences are looked for.
struct StagedGroups {
  /// By their numbers.
  private(set) var filters: [Filter] = []
  private var numbers: [String: Int32] = [:]

  /// The group of each occurrence, -1 for all objects; nil while there are no groups.
  private var ofOccurrences: PlainArray<Int32>?

  /// Groups of which all go that no list names; -1 is all objects.
  var deleting: Set<Int32> = []

  var isEmpty: Bool { filters.isEmpty }

  /// The number of a group.
  ///
  /// - Parameter count: How many occurrences there are.
  mutating func number(of filter: Filter, after count: Int) -> Int32 {
    let text = filter.wholeText
    if let known = numbers[text] { return known }
    if ofOccurrences == nil { ofOccurrences = PlainArray(repeating: -1, count: count) }
    let number = Int32(clamping: filters.count)
    filters.append(filter)
    numbers[text] = number
    return number
  }

  /// Notes the group of the next occurrence.
  @inline(__always)
  func append(_ group: Int32) { ofOccurrences?.append(group) }

  /// The number of the group that an occurrence is looked for in, -1 for all objects.
  func group(of occurrence: Int32) -> Int32 {
    guard let ofOccurrences, occurrence < ofOccurrences.count else { return -1 }
    return ofOccurrences[occurrence]
  }
}

@available(*, unavailable, message: "Groups are confined to their batch.")
extension StagedGroups: Sendable {}
