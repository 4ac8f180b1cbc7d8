package import SyncCore

/// One object with edits that an outbox still has to send, or has sent without an answer.
///
/// ```
///  edited ──▶ waiting ──handed over──▶ sent ──accepted──▶ no entry
///                ▲                      │
///                └────── refused ───────┘   an edit meanwhile: waiting beside sent
/// ```
///
/// A shipment is kept as it was handed over, JSON and idempotency key: when its answer is lost the
/// same is sent again.
package struct OutboxEntry: Sendable, Equatable {
  /// The edit of the object.
  package struct Edit: Sendable, Equatable {
    package var kind: HistoryChange.Kind

    /// The slots that changed, of an updated object.
    package var slots: SlotSet

    /// The server's last values, as far as they are known: of an updated object the properties that
    /// changed, of a deleted one all. By name: attributes as they are, references as rows, lists of
    /// them as ``EditedList``, with the links that were edited.
    package var base: [String: Value]

    package init(
      _ kind: HistoryChange.Kind, slots: SlotSet = SlotSet(), base: [String: Value] = [:]
    ) {
      self.kind = kind
      self.slots = slots
      self.base = base
    }
  }

  /// The JSON that was handed over.
  package struct Shipment: Sendable, Equatable {
    package var edit: Edit

    /// The whole object, and its changed part, as JSON text.
    package var json: String
    package var changedJSON: String
    package var idempotencyKey: String

    package init(_ edit: Edit, json: String, changedJSON: String, idempotencyKey: String) {
      self.edit = edit
      self.json = json
      self.changedJSON = changedJSON
      self.idempotencyKey = idempotencyKey
    }
  }

  /// The place in the order in which objects came to wait; 0 before it is kept.
  package var number: Int64 = 0
  package let id: ManagedObjectID

  /// Edits since the object was sent, or all of them when it was not.
  package var waiting: Edit?
  package var sent: Shipment?

  /// Whether it was made here and given up: nothing is to be sent of it until it is edited, and
  /// then it is new. A shipment without an answer is kept until then.
  package private(set) var isGivenUp = false

  /// Of a deleted object its key and the values that the model preserves.
  package var tombstone: [String: Value] = [:]

  /// How often it was tried without success, over all runs.
  package var tries: Int64 = 0

  /// Before when it is not to be tried again, in milliseconds since 1970.
  package var earliest: Int64?

  /// Why the server refused it; nil while it was not refused.
  package var refusal: String?

  package init(_ id: ManagedObjectID) {
    self.id = id
  }

  /// The edit that has to reach the server, sent or not.
  package var edit: Edit? {
    if isGivenUp { return nil }
    guard let sent else { return waiting }
    guard let waiting else { return sent.edit }
    // The shipment was made of the server's values.
    var base = sent.edit.base
    base.join(waiting.base, of: id.entity)
    if waiting.kind == .delete || sent.edit.kind == .delete { return Edit(.delete, base: base) }
    var slots = sent.edit.slots
    slots.formUnion(waiting.slots)
    return sent.edit.kind == .insert ? Edit(.insert) : Edit(.update, slots: slots, base: base)
  }

  /// Whether the same has to reach the server, so that readers of the one need not hear of the
  /// other.
  func hasSameEdit(as other: OutboxEntry) -> Bool {
    edit?.kind == other.edit?.kind && edit?.slots == other.edit?.slots
      && tombstone == other.tombstone && editedLists == other.editedLists
      && (sent == nil) == (other.sent == nil)
  }

  /// Which links of edited lists are edits, by slot.
  private var editedLists: [Int: Set<Int64>?] {
    guard let edit else { return [:] }
    var result: [Int: Set<Int64>?] = [:]
    for slot in edit.slots {
      guard let list = id.entity.properties[slot].relationship, list.kind == .manyToMany else {
        continue
      }
      result[slot] = .some(edit.base[list: list].edited)
    }
    return result
  }

  /// Takes over the server's values of properties that were edited here. The shipment under way was
  /// made of them; later edits were made of the shipment.
  mutating func takeServerValues(_ values: [Int: Value]) {
    let properties = id.entity.properties
    for (slot, value) in values {
      changeBase(slot) { base in
        let property = properties[slot]
        if let list = property.relationship, list.kind == .manyToMany {
          base[list: list].before = EditedList(value).before
        } else {
          base[property.name] = value
        }
      }
    }
  }

  /// Takes over whether the server has a link of an edited list.
  mutating func takeServerLink(_ list: RelationshipDescription, to row: Int64, isThere: Bool) {
    changeBase(list.slot) { base in
      guard let before = base[list: list].before, before.contains(row) != isThere else { return }
      base[list: list].before = isThere ? before + [row] : before.filter { $0 != row }
    }
  }

  private mutating func changeBase(_ slot: Int, _ change: (inout [String: Value]) -> Void) {
    if var shipment = sent, shipment.edit.slots.contains(slot) {
      change(&shipment.edit.base)
      sent = shipment
    } else if var edit = waiting, edit.slots.contains(slot) {
      change(&edit.base)
      waiting = edit
    }
  }

  /// Joins later changes of the object; nothing is left of one that was made and deleted here
  /// without having been sent.
  package mutating func add(_ later: HistoryFold.Entry) {
    refusal = nil
    earliest = nil
    if later.kind == .delete { tombstone = later.tombstone }
    if isGivenUp {
      isGivenUp = false
      if sent == nil {
        waiting = later.kind == .delete ? nil : Edit(.insert)
        return
      }
    }
    var edit = Edit(later.kind, slots: later.slots, base: later.base)
    switch (waiting?.kind, later.kind) {
    case (nil, _): waiting = edit
    case (.insert?, .delete): waiting = nil
    case (.update?, _):
      edit.base = waiting?.base ?? [:]
      edit.base.join(later.base, of: id.entity)
      if later.kind != .delete { edit.slots.formUnion(waiting?.slots ?? SlotSet()) }
      waiting = Edit(later.kind == .delete ? .delete : .update, slots: edit.slots, base: edit.base)
      if later.kind == .delete { tombstone.takeKey(in: edit.base, of: id.entity) }
    case (.insert?, _), (.delete?, _): break
    }
  }

  /// Makes the shipment wait again, with later edits: it is known not to have arrived.
  package mutating func takeBack() {
    waiting = edit
    sent = nil
  }

  /// Ends the shipment: it has arrived.
  package mutating func acknowledge() {
    sent = nil
    tries = 0
    refusal = nil
    isGivenUp = false
  }

  /// Gives up the edits to be sent. One that was made here stays, as an object that the server does
  /// not have.
  package mutating func giveUp() {
    guard edit?.kind == .insert else { return forget() }
    waiting = nil
    refusal = nil
    earliest = nil
    isGivenUp = true
  }

  /// Forgets the edits to be sent.
  package mutating func forget() {
    waiting = nil
    sent = nil
    isGivenUp = false
  }

  /// Whether nothing has to be kept of the object.
  var isOver: Bool { edit == nil && !isGivenUp }

  /// The table's number for the waiting edit: 3 is an object that was given up.
  var waitingCode: Int64? { isGivenUp ? Self.givenUpCode : waiting?.kind.rawValue }

  private static let givenUpCode: Int64 = 3

  /// Reads the table's number for the waiting edit.
  ///
  /// - Returns: Whether that was all of it.
  mutating func readWaiting(_ code: Int64?) -> Bool {
    isGivenUp = code == Self.givenUpCode
    return isGivenUp
  }
}
