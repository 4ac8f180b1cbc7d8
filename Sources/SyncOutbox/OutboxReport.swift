public import SyncCore

/// The outcome of one run of an outbox.
public struct OutboxReport: Sendable {
  /// The objects of one entity.
  public struct Entity: Sendable, Hashable {
    /// How often a change was handed to the handler, repeats counted.
    public internal(set) var sent = 0

    /// The changes that the server has taken.
    public internal(set) var accepted: [ManagedObjectID] = []

    /// The changes that it refused; see ``Outbox/refused`` for the reasons.
    public internal(set) var refused: [ManagedObjectID] = []

    /// The changes without an answer, sent or not: they wait for the next run.
    public internal(set) var waiting: [ManagedObjectID] = []

    /// Objects that became one with a copy of theirs, which a sync had brought before the answer
    /// came.
    public internal(set) var joined: [ManagedObjectID] = []
  }

  /// By name of the entity.
  public internal(set) var entities: [String: Entity] = [:]

  /// Why nothing more was sent: the server did not answer. Nil when everything had its turn.
  public internal(set) var stopReason: String?

  /// Names of entities whose objects wait because no handler sends them, nor any JSON that they are
  /// nested in.
  public internal(set) var unhandled: Set<String> = []

  /// Changes that wait for a date: the server asked for that, or answered others while these had no
  /// answer in several runs. ``Outbox/retry(_:)`` sends one in the next run.
  public internal(set) var postponed: [OutboxItem] = []

  /// Answers that were taken, but whose JSON could not be taken over, with the reason.
  public internal(set) var unusedAnswers: [String] = []

  /// The answers for an entity by its name; empty when nothing was sent of it.
  public subscript(entity: String) -> Entity { entities[entity] ?? Entity() }

  /// How many changes the server has taken.
  public var accepted: Int { entities.values.reduce(0) { $0 + $1.accepted.count } }
  /// How many changes the server has refused.
  public var refused: Int { entities.values.reduce(0) { $0 + $1.refused.count } }
  /// How many changes wait for the next run.
  public var waiting: Int { entities.values.reduce(0) { $0 + $1.waiting.count } }
}

extension OutboxReport: CustomStringConvertible {
  /// A line for each entity: `Order: 3 accepted, 1 refused, 0 waiting`.
  public var description: String {
    var lines = entities.inKeyOrder.map { name, entity in
      "\(name): \(entity.accepted.count) accepted, \(entity.refused.count) refused, "
        + "\(entity.waiting.count) waiting"
    }
    for name in unhandled.sorted() {
      lines.append("\(name): \(OutboxReport.obstacle(name))")
    }
    lines += postponed.map(\.description)
    if let stopReason { lines.append("Stopped: \(stopReason)") }
    lines += unusedAnswers
    return lines.isEmpty ? "Nothing to send" : lines.joined(separator: "\n")
  }

  /// Advice about objects that no handler sends.
  static func obstacle(_ entity: String) -> String {
    """
    no handler sends it. Say how with outbox.send(\(entity).self) { … }, or nest it in what it belongs to, which has to be \
    there.
    """
  }
}
