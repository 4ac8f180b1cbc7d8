import SyncCore
import SyncStore

/// The outcome of a change in the store.
struct OutboxApplied: Sendable {
  enum Outcome: Sendable {
    case accepted
    case refused(String)
    /// It is sent again, in another form.
    case again

    var isAccepted: Bool {
      if case .accepted = self { true } else { false }
    }
  }

  var outcome = Outcome.accepted

  /// The edits of the object that are to be sent at once.
  var more: OutboxEntry?

  /// The key that the answer gave the object.
  var key: Value?

  /// Objects that were sent inside it.
  var carried: [ManagedObjectID] = []

  /// Whether the object became one with a copy of it.
  var isJoined = false

  /// Why the JSON of an answer was not taken over.
  var remarks: [String] = []
}

/// The meaning of an answer for the entry of an object: the table of the page *Sending edits*.
struct OutboxStep {
  private(set) var outcome = OutboxApplied.Outcome.accepted
  var entry: OutboxEntry

  /// The server's version, to be taken over.
  private(set) var json: JSONValue?
  private(set) var deletesHere = false

  /// Whether a new object turned out to be on the server: the values set here go on top.
  private(set) var isThereAlready = false

  /// Whether the server has made the refused object: the same goes again then, and nothing else.
  let isMade: Bool
  let change: OutboxChange
  let settings: Outbox.Settings

  /// Why an edit of an object is refused that the server does not have.
  static let goneReason = "The server does not have the object any more."

  mutating func take(_ answer: OutboxAnswer) {
    entry.tries += 1
    entry.earliest = nil
    if entry.isGivenUp { return takeLate(answer) }
    switch answer {
    case .accepted(let json): accept(json)
    case .refused(let reason): refuse(reason)
    case .gone where change.kind == .delete: accept(nil)
    case .gone: takeGone()
    case .conflict(let json): takeConflict(json)
    case .retry: break
    }
  }

  /// Takes an answer to a new object that was given up while it was under way.
  private mutating func takeLate(_ answer: OutboxAnswer) {
    switch answer {
    case .accepted(let json): accept(json)
    case .conflict(let json?): accept(json)
    case .refused(let reason): refuse(reason)
    case .conflict, .gone, .retry: refuse("It was given up here.")
    }
  }

  private mutating func accept(_ json: JSONValue?) {
    entry.acknowledge()
    if change.kind != .delete { self.json = json }
  }

  private mutating func refuse(_ reason: String) {
    // An object that the server has not made need not be deleted there.
    let isOver = change.kind == .insert && entry.waiting?.kind == .delete
    if isOver || !isMade { entry.takeBack() }
    if isOver { entry.waiting = nil }
    if !entry.isGivenUp { entry.refusal = reason }
    outcome = .refused(reason)
  }

  private mutating func takeGone() {
    switch settings.whenGone {
    case .deleteHere where change.kind == .update:
      entry.sent = nil
      entry.waiting = nil
      deletesHere = true
    case .insertAgain where change.kind == .update && entry.waiting?.kind != .delete:
      entry.sent = nil
      entry.waiting = OutboxEntry.Edit(.insert)
      outcome = .again
    case _ where change.kind == .insert:
      refuse(
        "The server has nothing at the address where it was to be made, or not what it belongs to.")
    default:
      refuse(OutboxStep.goneReason)
    }
  }

  /// Puts the values set here on top of the object that the server has; without any of them the
  /// object is there as it is.
  mutating func put(_ edit: OutboxEntry.Edit) {
    entry.waiting = edit.slots.isEmpty ? nil : edit
    if edit.slots.isEmpty { outcome = .accepted }
  }

  private mutating func takeConflict(_ json: JSONValue?) {
    switch settings.whenInConflict {
    case .refuse: refuse("The object has changed on the server.")
    case .takeServer:
      guard json != nil || change.kind == .delete else {
        return refuse("The object has changed on the server, and the answer does not say how.")
      }
      accept(json)
      if entry.waiting?.kind != .delete { entry.waiting = nil }
    case .merge:
      guard let json else {
        return refuse(
          "The object has changed on the server, and the answer does not say how. Sync it, then try again."
        )
      }
      // It is there already, under the key that the JSON says.
      isThereAlready = entry.edit?.kind == .insert
      if isThereAlready {
        entry.sent = nil
        entry.waiting = entry.waiting ?? OutboxEntry.Edit(.update)
      } else {
        entry.takeBack()
      }
      self.json = json
      outcome = .again
    }
  }
}
