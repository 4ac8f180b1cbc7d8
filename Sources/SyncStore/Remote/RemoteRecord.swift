import SyncCore

/// The known state of one record of a server, and of the object that it stands for.
///
/// Stamps are opaque texts here: the layer above compares them.
package struct RemoteRecord: Sendable, Equatable {
  package let zone: String

  /// The record's name on the server; unique in its zone, and never used for another object.
  package let name: String

  /// Name of the concrete entity, which the model may not know.
  package var entity: String

  /// The object; nil while there is none: it was deleted, or it could not be made.
  package var row: Int64?

  /// The server's mark of the version that was seen last; nil when the server is not known to have
  /// the record.
  package var tag: String?

  /// The stamp of every field that has none of its own; empty for fields that were never given.
  package var stamp: String
  package var stamps = RemoteStamps()

  /// The stamp of the latest deletion.
  package var deletion: String?

  /// The fields to be sent: those with a newer stamp here than the server was last seen to have.
  package var waiting: Set<Waiting> = []

  /// The content as the server has it, when part of it cannot be used with this model.
  package var kept: String?

  /// Whether the object was removed here only, so that its record on the server does not bring it
  /// back.
  package var isEvicted = false

  /// Why the record is not sent, or could not be used.
  package var problem: String?

  /// The other zone that the record went to, or came from; nil when it was always here.
  package var moved: Move?

  /// Whether it went to another zone, and its object with it.
  package var hasLeft: Bool { if case .to? = moved { true } else { false } }

  package enum Move: Sendable, Equatable {
    case to(String)
    case from(String)

    /// The other zone.
    package var zone: String {
      switch self {
      case .to(let zone), .from(let zone): zone
      }
    }
  }

  /// A part of a record that may be to be sent.
  package enum Waiting: Sendable, Hashable {
    /// All of one that the server has never been seen to have.
    case whole
    case deletion
    case field(String)
  }

  package init(zone: String, name: String, entity: String, stamp: String) {
    self.zone = zone
    self.name = name
    self.entity = entity
    self.stamp = stamp
  }

  /// The stamp that counts for a field.
  package func stamp(of field: String) -> String { stamps[field] ?? stamp }

  /// Whether it stands for a pair of a many-to-many relationship, whose name is in the place of the
  /// entity's.
  package var isPair: Bool { entity.utf8.contains(UInt8(ascii: ".")) }

  /// Whether the pair is joined as far as its own stamps say: it was joined later than it was
  /// parted.
  package var isJoined: Bool { isPair && stamp > deletion ?? "" }

  /// The latest stamp of any of its fields.
  package var latestStamp: String { stamps.latest(stamp) }

  /// Whether it was deleted elsewhere and has an object still, because a rule denied that here.
  package var isDeadButHere: Bool {
    !isPair && row != nil && stamps.isEmpty && !stamp.isEmpty && deletion == stamp
  }

  /// Whether a field is waiting, alone or with the whole record.
  package func isWaiting(_ field: String) -> Bool {
    waiting.contains(.field(field)) || waiting.contains(.whole)
  }

  /// The fields that are waiting by themselves.
  package var waitingFields: [String] {
    waiting.compactMap { if case .field(let name) = $0 { name } else { nil } }
  }

  /// The server's stamp of a field at the time when it began to wait: a stamp that is neither this
  /// nor ours is news.
  package func base(of field: String) -> String? { stamps[baseOf: field] }

  package mutating func setBase(_ stamp: String?, of field: String) {
    stamps[baseOf: field] = stamp
  }

  /// Forgets the bases of fields that do not wait.
  package mutating func forgetBases() {
    stamps.keepBases { [waiting] in waiting.contains(.field($0)) }
  }

  // MARK: - Stored forms

  /// Names of fields, `*` for all of it and `-` for a deletion, in order.
  var waitingText: String? { Self.text(of: waiting) }

  static func text(of waiting: Set<Waiting>) -> String? {
    guard waiting.count > 1 else { return waiting.first?.text }
    return waiting.map(\.text).sorted().joined(separator: " ")
  }

  /// `to` or `from`, a blank and the zone.
  var movedText: String? {
    switch moved {
    case .to(let zone)?: "to \(zone)"
    case .from(let zone)?: "from \(zone)"
    case nil: nil
    }
  }

  static func moved(_ text: String) -> Move? {
    if text.hasPrefix("to ") { return .to(String(text.dropFirst(3))) }
    return text.hasPrefix("from ") ? .from(String(text.dropFirst(5))) : nil
  }

  static func waiting(_ text: String) -> Set<Waiting> {
    text == "*" ? [.whole] : Set(text.split(separator: " ").map { Waiting(String($0)) })
  }
}

extension RemoteRecord.Waiting {
  /// The same under another name of the field.
  func renamed(_ names: [String: String]) -> RemoteRecord.Waiting {
    if case .field(let name) = self { .field(names[name] ?? name) } else { self }
  }

  fileprivate init(_ text: String) {
    switch text {
    case "*": self = .whole
    case "-": self = .deletion
    default: self = .field(text)
    }
  }

  fileprivate var text: String {
    switch self {
    case .whole: "*"
    case .deletion: "-"
    case .field(let name): name
    }
  }
}

/// How far one zone of a server was brought in step.
package struct RemoteZone: Sendable, Equatable {
  package let name: String

  /// The account that was signed in when the zone was first opened.
  package var account: String?

  /// The number that tells the zone from one of the same name that was made later.
  package var generation: String?

  /// The place in the server's changes up to which they are stored here.
  package var token: String?

  /// The latest version of a record that was seen, or written, and when the server wrote it: a
  /// server that has neither it nor a later one was taken back to a backup.
  package var witness: String?
  package var newest: Int64 = 0

  /// The transaction of the history up to which edits have stamps.
  package var history: Int64 = 0

  /// Milliseconds of the latest stamp that was made or seen.
  package var clock: Int64 = 0

  /// Version hash of the model with which records were read last.
  package var model: String?

  /// Whether the objects that are older than the history have records.
  package var isEnrolled = false

  /// How many objects the pull has deleted that has not come to its end yet.
  package var deleted: Int64 = 0

  /// Whether the account may not write into it, because its owner shares it to be read.
  package var isReadOnly = false

  /// When a pull and a push last went through, in milliseconds since 1970.
  package var lastPull: Int64?
  package var lastPush: Int64?

  package init(_ name: String) {
    self.name = name
  }
}

/// A to-one relationship whose target is not there yet.
package struct RemoteLink: Sendable, Hashable {
  package let source: String
  package let field: String
  package let target: String
  package let entity: String

  package init(source: String, field: String, target: String, entity: String) {
    self.source = source
    self.field = field
    self.target = target
    self.entity = entity
  }
}

/// A value that lost to a later one that did not know of it.
package struct RemoteConflict: Sendable, Hashable {
  package var id: Int64 = 0
  package let name: String
  package let entity: String
  package let field: String

  /// The value that lost, as it would have been sent.
  package let value: String

  /// The stamps of the value that lost and of the one that won.
  package let stamp: String
  package let winner: String

  /// Milliseconds since 1970.
  package var time: Int64 = 0

  package init(
    name: String, entity: String, field: String, value: String, stamp: String, winner: String
  ) {
    self.name = name
    self.entity = entity
    self.field = field
    self.value = value
    self.stamp = stamp
    self.winner = winner
  }
}
