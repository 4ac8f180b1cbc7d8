import SyncCore
import SyncEngine
import SyncStore

/// The meaning of an answer beside the objects here: whose key its JSON has. Confined to a
/// transaction.
struct AnswerCheck {
  /// The answer that counts.
  private(set) var answer: OutboxAnswer

  /// Why its JSON does not.
  private(set) var remarks: [String] = []

  /// The key in its JSON.
  private(set) var key: (slot: Int, value: Value)?

  /// Whether the server has made the object, though it counts as refused.
  private(set) var isMade = false

  /// A copy of a new object, which becomes one with it.
  private(set) var copy: ManagedObjectID?

  init(
    _ answer: OutboxAnswer, to change: OutboxChange, _ fill: RowFill?, outbox: String,
    _ transaction: StoreTransaction
  ) throws {
    self.answer = answer
    let isWithoutKey = change.kind == .insert && change.key == nil
    if case .accepted(let alone?) = answer, alone.objectValue == nil, alone.arrayValue == nil {
      self.answer = .accepted()
      if isWithoutKey, let item = fill?.item(ofKey: alone), fill?.key(in: item) != nil {
        self.answer = .accepted(item)
      }
    }
    guard let fill, let keyName = fill.keyName else { return }
    guard let json = self.answer.json else {
      if isWithoutKey, isAccepted { noteMissing(keyName, change) }
      return
    }
    guard let found = fill.key(in: json) else {
      checkWithoutKey(json, change, keyName)
      return
    }
    key = found
    if change.kind != .delete,
      let other = try RowMerger(transaction: transaction, outbox: outbox).copy(
        of: change.objectID, slot: found.slot, key: found.value)
    {
      try checkBeside(other, change, found.value, outbox, transaction)
    }
  }

  private var isAccepted: Bool {
    if case .accepted = answer { true } else { false }
  }

  /// JSON without a key does not say which object it is: it may be an envelope, or tell of an
  /// error.
  private mutating func checkWithoutKey(
    _ json: JSONValue, _ change: OutboxChange, _ keyName: String
  ) {
    if isAccepted {
      guard change.kind == .insert, change.key == nil else { return }
      noteMissing(keyName, change)
    } else if let reason = json.reason {
      answer = .refused("It is in conflict with what the server has: \(reason)")
    } else if change.kind == .insert {
      answer = .refused(
        "The server has it already, and its answer does not say under which “\(keyName)”.")
    }
  }

  private mutating func noteMissing(_ keyName: String, _ change: OutboxChange) {
    remarks.append(
      """
      The server has taken new objects of \(change.entity), but its answers have no “\(keyName)”, so they are without \
      key here, and a sync brings them once more. Say where the object stands, as in OutboxAnswer(data, response, at: \
      "data"), or give the key yourself.
      """)
  }

  /// Another object has the key. That of a new object is a copy that a sync has brought, and
  /// becomes one with it; but not when it was made here, or when both were edited so that one of
  /// the two would lose an edit. The JSON that answers an update is another object's.
  private mutating func checkBeside(
    _ other: ManagedObjectID, _ change: OutboxChange, _ key: Value, _ outbox: String,
    _ transaction: StoreTransaction
  ) throws {
    if change.kind == .update {
      remarks.append(
        "The answer to the \(change) has the key \(key) of another object here; its JSON was not taken over."
      )
      answer = isAccepted ? .accepted() : .conflict()
      return
    }
    let isMadeHere = try isAccepted && transaction.isMadeHere(other)
    if !isMadeHere, try canJoin(other, change, outbox, transaction) {
      copy = other
      return
    }
    isMade = isAccepted && !isMadeHere
    answer = .refused(
      """
      The server gave it the key \(key), which another object has that was made or edited here, or is of another kind. \
      Look at what the server has; then retry this object, or discard it.
      """)
  }

  /// Whether an object and a copy of it can become one without losing an edit of either.
  private func canJoin(
    _ other: ManagedObjectID, _ change: OutboxChange, _ outbox: String,
    _ transaction: StoreTransaction
  ) throws -> Bool {
    // References to a more special object cannot lead to this one.
    guard change.objectID.entity.isKind(of: other.entity) else { return false }
    guard let entry = try transaction.outboxEntry(other, in: outbox), !entry.isGivenUp else {
      return true
    }
    guard isAccepted, other.entity == change.objectID.entity, entry.sent == nil,
      let edit = entry.edit, edit.kind == .update
    else { return false }
    let since = try transaction.outboxEntry(change.objectID, in: outbox)?.waiting?.slots
    return since.map { edit.slots.isDisjoint(with: $0) } ?? true
  }
}
