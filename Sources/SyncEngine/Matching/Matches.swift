import SyncCore
import SyncStore

/// The matches of a part of a payload: which stored rows its objects are, and which are new.
final class Matches {
  let part: StagedPart
  /// By the number of their nodes.
  let batches: [MatchedBatch]

  /// The members of lists before, by list and owner, where keys do not tell objects apart.
  var formerMembers: [ListPlace: [Int64: Set<Int64>]] = [:]

  /// First row number given out by this part, by root entity: rows from there on are new.
  var firstNewRows: [Int: Int64] = [:]

  init(_ part: StagedPart) {
    self.part = part
    batches = part.batches.map { MatchedBatch($0, parent: part.parent) }
    for (occurrence, row) in part.items.targetRows {
      batches[part.root].matches[occurrence].row = row
    }
  }

  var rootBatch: MatchedBatch { batches[part.root] }

  /// Occurrences of all batches.
  var count: Int { batches.reduce(0) { $0 + $1.matches.count } }

  /// The object of an occurrence in the batch that writes it: that of a subentity, where the
  /// payload mentions it there too.
  @inline(__always)
  func object(_ occurrence: Int32, in batch: MatchedBatch) -> MatchedObject {
    let object = batch.representative(occurrence)
    guard batch.matches[object].traits.contains(.ofSubentity),
      let other = batch.staged.ofSubentities[object]
    else { return MatchedObject(batch: batch, number: object) }
    let deeper = batches[other.batch]
    return MatchedObject(batch: deeper, number: deeper.representative(other.occurrence))
  }

  /// The object under whose relationship an occurrence stands, of one that has an owner.
  func owner(of match: Match) -> MatchedObject {
    let owners = batches[match.list.batch]
    return MatchedObject(batch: owners, number: owners.representative(match.owner))
  }

  /// The relationship under which it stands.
  func rule(of match: Match) -> RelationshipRule {
    batches[match.list.batch].node.relationships[match.list.rule]
  }
}

/// An object in the batch that writes it.
struct MatchedObject {
  let batch: MatchedBatch
  /// The occurrence that stands for it; of one that the payload does not describe its number in
  /// ``LinkedReferences``.
  let number: Int32

  /// The match of an object that the payload describes.
  var match: Match { batch.matches[number] }
}

@available(*, unavailable, message: "Matches are confined to the sync that owns them.")
extension Matches: Sendable {}

/// The match of one occurrence: its stored row, or a new one, and the sync's permissions for it.
///
/// Occurrences that turn out to be the same object are folded: the cells of the later one are laid
/// over those of the earlier one, and only the earlier one, the representative, is written.
struct Match {
  /// Row number: of the stored object, or reserved for the new one; 0 until decided.
  var row: Int64 = 0

  /// The object under whose relationship it stands, as in ``Occurrence``; of a folded one that
  /// lists it, if any does.
  var owner: Int32 = -1
  var ownerBatch: Int16 = -1
  var ownerRule: Int16 = -1

  /// Next occurrence with the same key, or -1.
  let next: Int32

  /// Index of the stored row in the batch's ``StoredRows``, or -1 when there is none.
  var stored: Int32 = -1

  /// Index of the differences in ``MatchedBatch/differences``, or -1; of a folded occurrence its
  /// representative.
  var link: Int32 = -1

  /// The facts that staging found out; of an object with several occurrences those of all.
  var traits: Occurrence.Traits

  var flags: Flags = []

  init(_ occurrence: Occurrence) {
    owner = occurrence.owner
    ownerBatch = occurrence.ownerBatch
    ownerRule = occurrence.ownerRule
    next = occurrence.next
    traits = occurrence.traits
  }

  /// An object that the payload does not describe.
  init(
    row: Int64, stored: Int32 = -1, traits: Occurrence.Traits = [], flags: Flags
  ) {
    self.row = row
    self.stored = stored
    self.traits = traits
    self.flags = flags
    next = -1
  }

  /// The decisions about an occurrence.
  struct Flags: OptionSet {
    let rawValue: UInt16

    /// Reached from the top of the payload through objects that are written.
    static let reached = Flags(rawValue: 1)
    /// In the wave that is being matched.
    static let current = Flags(rawValue: 1 << 1)
    /// Its identity is decided.
    static let decided = Flags(rawValue: 1 << 2)
    /// New, and inserting is allowed.
    static let inserted = Flags(rawValue: 1 << 3)
    /// Takes the values of the payload: new and inserted, or stored and updating is allowed.
    static let active = Flags(rawValue: 1 << 4)
    /// Its cells still have to be compared with the stored row.
    static let uncompared = Flags(rawValue: 1 << 5)
    /// Is the same object as another occurrence, which stands for it.
    static let folded = Flags(rawValue: 1 << 6)
    /// Folded, but its values do not count: its place in the payload may not write the object.
    static let ignored = Flags(rawValue: 1 << 7)
  }

  /// Whether it is identified by its key and its owner, not by its key alone.
  var isOwned: Bool { traits.contains(.owned) }

  /// The list in which it stands, of any owner, of one that has an owner.
  @inline(__always)
  var list: ListPlace { ListPlace(batch: Int(ownerBatch), rule: Int(ownerRule)) }
}

/// The values that all phases of a part work with.
struct PartWork {
  let transaction: StoreTransaction
  let operations: SyncOperations
  /// Whether references to objects that are not there wait for later syncs.
  let defersReferences: Bool
  /// The claims of the payload so far.
  let claims: Claims
  /// The edits that the sync has to leave alone; nil when there are none.
  let edits: UnsentEdits?
  let report: ReportBuilder
  let control: SyncControl
}

/// A phase of the work on a part.
protocol PartPhase {
  var work: PartWork { get }
}

extension PartPhase {
  var transaction: StoreTransaction { work.transaction }
  var operations: SyncOperations { work.operations }
  var claims: Claims { work.claims }
  var edits: UnsentEdits? { work.edits }
  var report: ReportBuilder { work.report }
  var control: SyncControl { work.control }
}

// MARK: - Checks

extension Matches {
  /// Checks in debug builds that every object is one thing: a stored row, a new one, or the same
  /// as an earlier occurrence.
  ///
  /// - Complexity: O(*n*) in the occurrences of the part; nothing in release builds.
  func check() {
    assert(batches.allSatisfy(isSound), "Matching has handed over an object that is no one thing.")
  }

  private func isSound(_ batch: MatchedBatch) -> Bool {
    batch.matches.indices.allSatisfy { isSound(Int32($0), in: batch) }
      && batch.stored.occurrences.allSatisfy { $0 < Int32(batch.matches.count) }
  }

  private func isSound(_ number: Int32, in batch: MatchedBatch) -> Bool {
    let match = batch.matches[number]
    let flags = match.flags
    // An earlier occurrence stands for a later one, so a chain of them ends.
    if flags.contains(.folded) { return match.link >= 0 && match.link < number }
    guard match.link < Int32(batch.differences.count), match.stored < Int32(batch.stored.count)
    else {
      return false
    }
    if flags.contains(.inserted) {
      return flags.isSuperset(of: [.active, .decided]) && match.stored < 0
        && match.row >= firstNewRows[batch.entity.rootIndex] ?? .max
    }
    return match.stored < 0 || !flags.contains(.decided)
      || match.row == batch.stored.rows[match.stored]
  }
}
