import SyncCore

/// The matches of the objects of a batch.
///
/// ```
/// staged       the values of the payload; they stay as they are
/// matches      the match of each: its row, its stored row, the permissions of the sync
/// cells        the values of an object: those of its row of the payload, or its own
/// stored       the stored rows that take part; references[…]: which of them each key means
/// differences  which attributes a stored row and the payload say differently
/// ```
///
/// Stubs and copies are added behind the occurrences of the payload. Confined to the sync that owns
/// it.
final class MatchedBatch {
  let staged: Batch
  let matches: PlainArray<Match>
  let stored: StoredRows

  /// The cells of objects that no row of the payload has as they are, and where in it those of each
  /// occurrence lie; nil while there are none.
  private var ownBlock: RowBlock?
  @exclusivity(unchecked) private var ownPlaces: [Int32: Int] = [:]

  /// The mentions of relationships, and empty ones of items that replace an object and lack the
  /// relationship.
  @exclusivity(unchecked) private(set) var mentions: [LinkMentions]

  /// Stubs: new objects that have nothing but the key by which the payload refers to them, by the
  /// reference.
  private var stubs: [Int32: Int32] = [:]

  /// The slots in which occurrences differ from their stored rows.
  @exclusivity(unchecked) private(set) var differences: [SlotSet] = []

  /// All stored rows of a key that several rows have, by the first occurrence of the key.
  @exclusivity(unchecked) var contested: [Int32: [Int32]] = [:]

  /// The names by which other machines know stored objects that share a key.
  var sharedNames: SharedNames?

  /// The decisions about keys that several mentions or stored rows have, by the first occurrence.
  private var keyObjects: [Int32: KeyObjects] = [:]

  /// The stored rows that references mean.
  @exclusivity(unchecked) var references = ReferencedRows()

  /// Stored rows that have the key of an occurrence, beside the one that it is, and whether they
  /// take its values.
  private(set) var copies: [(occurrence: Int32, stored: Int32, takesValues: Bool)] = []

  /// Whether several occurrences are one object, so that one owner may have several lists.
  private(set) var hasRepeats: Bool

  /// Contradictions about objects that were laid together here.
  private(set) var contradictions = Contradictions()

  init(_ staged: Batch, parent: GivenParent?) {
    self.staged = staged
    mentions = staged.mentions
    hasRepeats = staged.hasRepeats
    stored = StoredRows(referenceCount: staged.node.columns.toOne.count)
    matches = PlainArray(capacity: staged.occurrences.count)
    for occurrence in staged.occurrences { matches.append(Match(occurrence)) }
    guard let parent, parent.batch == staged.number else { return }
    let index = stored.append(
      row: parent.id.row, entity: entity.subentities.isEmpty ? nil : parent.id.entity.index
    ) { _ in 0 }
    stored.placeholder = index
    matches[parent.occurrence] = Match(
      row: parent.id.row, stored: index, traits: .referenceOnly,
      flags: [.active, .reached, .decided])
    stored.occurrences[index] = parent.occurrence
  }

  // MARK: - Values of the payload

  var node: PlanNode { staged.node }
  var number: Int { staged.number }
  var entity: EntityDescription { staged.node.entity }
  var index: KeyIndex { staged.index }
  var keySlot: Int { staged.keySlot }

  /// The key of a row, for reports and change sets.
  func key(_ cells: UnsafePointer<Cell>) -> Value { staged.key(cells) }

  /// Empties a relationship of owners of which the payload says nothing.
  func empty(_ rule: Int, of owners: [Int32]) {
    guard !owners.isEmpty else { return }
    let isOrdered =
      !mentions[rule].orders.isEmpty || node.relationships[rule].isOneToOne || staged.orders != nil
    mentions[rule] = LinkMentions(mentions[rule], emptying: owners, order: isOrdered ? 0 : nil)
  }

  /// The key of an object as a sentence names it.
  func keyText(_ occurrence: Int32) -> String {
    let key = key(cells(occurrence))
    return key == .null ? "(no key)" : key.description
  }

  // MARK: - Cells

  /// The values of an object's attributes, by slot.
  @inline(__always)
  func cells(_ occurrence: some BinaryInteger) -> UnsafePointer<Cell> {
    let occurrence = Int32(truncatingIfNeeded: occurrence)
    guard let ownBlock else { return staged.cells(occurrence) }
    return ownPlaces[occurrence].map { UnsafePointer(ownBlock[$0]) } ?? staged.cells(occurrence)
  }

  /// The cells of an object for a change: from now on they are its own, in the beginning with the
  /// values of the payload.
  func changeableCells(_ occurrence: Int32) -> UnsafeMutablePointer<Cell> {
    let block = ownBlock ?? RowBlock(width: node.columns.valueCount)
    ownBlock = block
    if let known = ownPlaces[occurrence] { return block[known] }
    let place = block.append()
    ownPlaces[occurrence] = place
    if occurrence < staged.occurrences.count {
      block[place].update(from: staged.cells(occurrence), count: node.columns.valueCount)
    }
    return block[place]
  }

  // MARK: - Objects

  /// The first occurrence of a key, or -1; stubs among them.
  func occurrence(ofKey key: (Int) -> Cell) -> Int32 {
    let found = index.find(key)
    if found >= 0 || stubs.isEmpty { return found }
    return stubs[staged.references.index.find(key)] ?? -1
  }

  /// The first occurrence of the key of an occurrence.
  @inline(__always)
  func head(of occurrence: some BinaryInteger) -> Int32 {
    index.find(identityOf: cells(occurrence))
  }

  /// Adds a new object that has nothing but the key of a reference.
  func appendStub(of reference: Int32, row: Int64) {
    let stub = Int32(matches.count)
    matches.append(Match(row: row, flags: [.reached, .decided, .inserted, .active]))
    let cells = changeableCells(stub)
    for slot in node.identity { cells[slot] = staged.references[reference][slot] }
    stubs[reference] = stub
  }

  /// Adds a stored object that takes the values of an occurrence, or is left as it is.
  func appendCopy(_ index: Int32, of occurrence: Int32, takesValues: Bool) {
    let copy = Int32(matches.count)
    matches.append(
      Match(row: stored.rows[index], stored: index, flags: [.reached, .decided, .uncompared]))
    if takesValues { matches[copy].flags.insert(.active) }
    _ = changeableCells(copy)
    stored.occurrences[index] = copy
    copies.append((occurrence, index, takesValues))
  }

  /// The decisions about the key of an occurrence that is the first of it.
  func objects(ofKey head: Int32) -> KeyObjects {
    if let known = keyObjects[head] { return known }
    let known = KeyObjects()
    keyObjects[head] = known
    return known
  }

  /// The same, where anything was decided.
  func known(ofKey head: Int32) -> KeyObjects? { keyObjects[head] }

  /// The stored row of a key that one row has at most, -1 for none.
  func onlyStored(ofKey head: Int32) -> Int32 {
    keyObjects[head]?.forgotten ?? matches[head].stored
  }

  /// The stored rows that were left to other occurrences of their key than the first.
  var forgotten: [Int32] { keyObjects.values.compactMap(\.forgotten) }

  /// The occurrence that stands for the object of the given one.
  func representative(_ occurrence: Int32) -> Int32 {
    var result = occurrence
    while matches[result].flags.contains(.folded) {
      result = matches[result].link
    }
    return result
  }

  /// The concrete entity of a stored row, by its index in the model.
  @inline(__always)
  func concreteEntityIndex(ofStored index: Int32) -> Int {
    stored.entities.isEmpty ? entity.index : Int(stored.entities[index])
  }

  /// The concrete entity of a stored row.
  func concreteEntity(ofStored index: Int32) -> EntityDescription {
    EntityDescription(model: entity.model, index: concreteEntityIndex(ofStored: index))
  }

  /// The concrete entity of an occurrence's object.
  func entity(of match: Match) -> EntityDescription {
    match.stored >= 0 ? concreteEntity(ofStored: match.stored) : entity
  }

  /// Where a to-one column of the stored rows leads, 0 for nowhere; nil where the entity has no
  /// such column.
  func destinations(of slot: Int) -> PlainArray<Int64>? {
    node.columns.toOne.firstIndex(of: slot).map { stored.references[$0] }
  }

  /// The object that a to-one relationship of a stored object leads to, or 0.
  func linkedRow(of match: Match, by slot: Int) -> Int64 {
    match.stored >= 0 ? destinations(of: slot)?[match.stored] ?? 0 : 0
  }

  /// Notes the slots in which an occurrence differs from its stored row.
  func noteDifference(_ slots: SlotSet, of occurrence: Int32) {
    guard !slots.isEmpty else { return }
    let link = matches[occurrence].link
    if link >= 0 {
      differences[Int(link)].formUnion(slots)
    } else {
      differences.append(slots)
      matches[occurrence].link = Int32(differences.count - 1)
    }
  }

  // MARK: - Folding

  /// Folds an occurrence into another one that was already matched, and returns the one that stands
  /// for both: the earlier one in the payload. ``layFoldedCells()`` gives it the values of both.
  func fold(_ occurrence: Int32, into matched: Int32) -> Int32 {
    let earlier = min(occurrence, matched)
    let later = max(occurrence, matched)
    let source = matches[matched]
    hasRepeats = true
    let earlierIsIgnored = matches[earlier].flags.contains(.ignored)
    matches[earlier].row = source.row
    matches[earlier].stored = source.stored
    matches[earlier].link = -1
    matches[earlier].traits.formUnion(source.traits)
    matches[earlier].flags.formUnion(source.flags.subtracting(.ignored))
    if earlierIsIgnored { matches[earlier].flags.insert(.ignored) }
    matches[earlier].flags.insert(.uncompared)
    matches[later].flags.insert(.folded)
    matches[later].link = earlier
    if source.stored >= 0 { stored.occurrences[source.stored] = earlier }
    return earlier
  }

  /// Lays the cells of folded occurrences over those of the one that stands for them, in payload
  /// order: later values win, those of mentions that may not write the object do not count.
  func layFoldedCells() {
    guard hasRepeats else { return }
    for index in matches.indices {
      let match = matches[index]
      if match.flags.contains(.folded) {
        guard !match.flags.contains(.ignored) else { continue }
        let earlier = representative(Int32(index))
        // Of items at the top that repeat each other each is told.
        let isTold = match.owner < 0 && matches[earlier].owner < 0
        let (target, later) = (changeableCells(earlier), cells(index))
        target.lay(later, of: node) { slot in
          if !isTold { contradictions.add(staged, later, target, in: slot) }
        }
      } else if match.flags.contains(.ignored) {
        let cells = changeableCells(Int32(index))
        for slot in node.columns.attributes where !node.identity.contains(slot) {
          cells[slot] = .absent
        }
      }
    }
  }

  /// Lays the cells of occurrences over those of the stored rows that take the same values.
  func layCopies() {
    for copy in copies where copy.takesValues {
      changeableCells(stored.occurrences[copy.stored])
        .lay(cells(representative(copy.occurrence)), of: node)
    }
  }
}

@available(*, unavailable, message: "A batch is confined to the sync that owns it.")
extension MatchedBatch: Sendable {}
