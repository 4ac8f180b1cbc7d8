import SyncCore
import SyncStore

/// Edits made in this program and not sent yet, so that a sync leaves them alone: the seam between
/// change tracking and the engine.
///
/// Protected are, until the sender of changes has acknowledged them:
///
/// - an edited slot of a row: the engine may write the others;
/// - all slots of a row that was inserted here, but for the key of one whose insertion is answered;
/// - the existence of both, and of the objects that they require (``kept(in:)``);
/// - the absence of a row that was deleted here: no sync brings it back;
/// - a link of a many-to-many relationship that was made or taken away here, as long as either of
///   its ends has that to be sent; the order of an edited list.
///
/// There is none when the store does not track changes, and asking it costs nothing then. Confined
/// to its sync.
final class UnsentEdits {
  /// The edits that are unsent now; grows with commits between the parts of a sync.
  private var history: UnsentHistory

  /// The edits that the sync left alone. Kept and put back by code that does a part of the work
  /// twice.
  var withheld: [ManagedObjectID: Withheld] = [:]

  /// The objects of which a server sends its own state. It gives them their keys, even if another
  /// sender has not sent them yet.
  private let answered: Set<ManagedObjectID>

  /// The edited lists that were asked for, by owner and slot.
  var lists: [ManagedObjectID: [Int: EditedList]] = [:]

  /// The lists over link tables of which one was edited; nil before that was asked for.
  var editedLists: Set<EditedRelationship>?

  private init(_ history: UnsentHistory, _ answered: [ManagedObjectID]) {
    self.history = history
    self.answered = Set(answered)
  }

  /// Reads the unsent edits at the beginning of a transaction.
  ///
  /// - Parameters:
  ///   - earlier: The edits that an earlier transaction of the same sync left alone.
  ///   - answered: The objects of which a server sends its own state.
  /// - Returns: Nil when the store tracks no changes.
  static func read(
    in transaction: StoreTransaction, after earlier: UnsentEdits?, answered: [ManagedObjectID]
  ) throws -> UnsentEdits? {
    guard let history = try transaction.unsentHistory() else { return nil }
    let edits = earlier ?? UnsentEdits(history, answered)
    edits.history = history
    edits.lists = [:]
    edits.editedLists = nil
    return edits
  }

  /// The edits, those of rows that were deleted here among them.
  var all: some Sequence<HistoryFold.Entry> { history.fold.entries }

  /// The edits of rows that exist.
  var edits: some Sequence<HistoryFold.Entry> {
    history.fold.entries.lazy.filter { $0.kind != .delete }
  }

  /// Whether there is nothing to be careful about.
  var isEmpty: Bool { history.fold.isEmpty }

  // MARK: - Questions

  /// The edit of a row that exists.
  func edit(_ row: Int64, of entity: EntityDescription) -> HistoryFold.Entry? {
    let entry = history.fold[ManagedObjectID(entity: entity, row: row)]
    return entry?.kind == .delete ? nil : entry
  }

  func isInserted(_ row: Int64, of entity: EntityDescription) -> Bool {
    edit(row, of: entity)?.kind == .insert
  }

  func protects(_ slot: Int, of row: Int64, _ entity: EntityDescription) -> Bool {
    guard let edit = edit(row, of: entity) else { return false }
    return edit.kind == .insert || edit.slots.contains(slot)
  }

  /// The object that was deleted here and that an item describes; nil when there is none.
  ///
  /// - Parameter identity: The slots that identify the object.
  func deletedObject(
    _ cells: UnsafePointer<Cell>, identity: [Int], of entity: EntityDescription
  ) -> ManagedObjectID? {
    history.deletedObject(
      entity, identity,
      identity.map { cells[$0].value(as: entity.properties[$0].attribute?.type) })
  }

  // MARK: - Edits that were left alone

  /// Of slots that a sync would write those that it may not.
  func protected(_ slots: SlotSet, of row: Int64, _ entity: EntityDescription) -> SlotSet {
    guard let edit = edit(row, of: entity) else { return SlotSet() }
    if edit.kind == .insert {
      guard let key = entity.primaryKey, answered.contains(edit.id) else { return slots }
      var kept = slots
      kept.subtract([key.slot])
      return kept
    }
    var others = slots
    others.subtract(edit.slots)
    var kept = slots
    kept.subtract(others)
    return kept
  }

  /// Of slots that a sync would write those that it may; notes the others.
  func writable(_ slots: SlotSet, of row: Int64, _ entity: EntityDescription) -> SlotSet {
    let kept = protected(slots, of: row, entity)
    guard !kept.isEmpty else { return slots }
    withhold(kept, of: row, entity)
    var allowed = slots
    allowed.subtract(kept)
    return allowed
  }

  /// Notes that slots of an object would have been written.
  func withhold(_ slots: SlotSet, of row: Int64, _ entity: EntityDescription) {
    let entity = edit(row, of: entity)?.id.entity ?? entity
    let id = ManagedObjectID(entity: entity, row: row)
    withheld[id, default: Withheld(id: id)].slots.formUnion(slots)
  }

  /// Notes that an object would have been deleted.
  func withholdDeletion(of row: Int64, _ entity: EntityDescription) {
    let entity = edit(row, of: entity)?.id.entity ?? entity
    let id = ManagedObjectID(entity: entity, row: row)
    withheld[id, default: Withheld(id: id)].isKept = true
  }

  /// Notes that an object that was deleted here would have been brought back.
  func withholdInsertion(of id: ManagedObjectID) {
    withheld[id, default: Withheld(id: id)].isGone = true
  }

  // MARK: - Report

  /// Finds the keys of objects left alone, as long as the store can be asked.
  func nameWithheld(in transaction: StoreTransaction) throws {
    let unnamed = withheld.values.filter { $0.key == nil }
    guard !unnamed.isEmpty else { return }
    for entry in unnamed where entry.isGone { withheld[entry.id]?.key = keyOfDeleted(entry.id) }
    for (entity, group) in Dictionary(grouping: unnamed.filter { !$0.isGone }, by: \.id.entity) {
      guard let slot = entity.primaryKey?.slot else { continue }
      try transaction.scan(entity, .rows(group.map(\.id.row)), slots: [slot]) { cursor in
        withheld[ManagedObjectID(entity: entity, row: cursor.row)]?.key =
          cursor.value(slot).description
      }
    }
  }

  private func keyOfDeleted(_ id: ManagedObjectID) -> String? {
    id.entity.primaryKey.flatMap { history.fold[id]?.tombstone[$0.name]?.description }
  }

  /// Counts and lists objects left alone, one finding each.
  func describe(in report: ReportBuilder) {
    for (id, entry) in withheld.inKeyOrder {
      report[id.entity].protected += 1
      for slot in entry.slots {
        report[id.entity].protectedProperties[id.entity.properties[slot].name, default: 0] += 1
      }
      report.note(
        .protectedEdit, id.entity, property: entry.onlyProperty, key: entry.key,
        message: entry.message)
    }
  }
}

@available(*, unavailable, message: "Unsent edits are confined to the sync that read them.")
extension UnsentEdits: Sendable {}

/// The changes to one object that a sync left out.
struct Withheld {
  let id: ManagedObjectID
  var key: String?
  var slots = SlotSet()
  var isKept = false
  var isGone = false

  private var names: [String] { slots.map { id.entity.properties[$0].name } }

  var onlyProperty: String? { slots.count == 1 ? names[0] : nil }

  var message: String {
    let name = "\(id.entity.name) \(key ?? "in row \(id.row)")"
    if isGone {
      return "\(name) was deleted here, and that was not sent yet: it was not brought back."
    }
    var parts: [String] = []
    if !slots.isEmpty {
      let list = names.map { "“\($0)”" }.joined(separator: ", ")
      parts.append("\(list) of \(name) was edited here and not sent yet, and stays as it is.")
    }
    if isKept {
      parts.append(
        "\(name), or what needs it, was edited here and not sent yet: it was not deleted.")
    }
    return parts.joined(separator: " ")
  }
}
