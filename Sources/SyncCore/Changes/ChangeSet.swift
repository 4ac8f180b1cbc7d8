public import Foundation

/// The insertions, updates and deletions of one committed transaction. Exact, and a plain value.
///
/// Objects appear once: inserted and then updated counts as inserted, inserted and then deleted
/// does not appear. Objects whose values came out as they were are not in it; a change of
/// membership in a to-many relationship alone is an update of that slot.
public struct ChangeSet: Sendable {
  /// The changes to objects of one concrete entity.
  package struct EntityChanges: Sendable {
    package let entity: EntityDescription

    /// Row numbers of inserted objects, ascending.
    package var inserted = ChangeRows()

    /// Row numbers of updated objects, ascending, each with the slots that changed.
    package var updated: [(row: Int64, slots: SlotSet)] = []

    /// Row numbers of deleted objects, ascending.
    package var deleted = ChangeRows()

    /// Primary-key values of ``inserted``, ``updated`` and ``deleted``, in their order; empty when
    /// the entity has no primary key. They let an observer name an object that is already gone.
    package var insertedKeys = ChangeKeys()
    package var updatedKeys = ChangeKeys()
    package var deletedKeys = ChangeKeys()

    package init(entity: EntityDescription) {
      self.entity = entity
    }

    /// Whether nothing changed.
    package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
  }

  /// The changes per concrete entity, in model order; entities without changes are left out.
  package var entities: [EntityChanges]

  /// The author of the change: the author of the context or sync, if it has one.
  public package(set) var author: String?

  /// Name of the context or operation that made the change.
  public package(set) var contextName: String?

  /// Where the changes come from.
  public package(set) var source = HistorySource.local

  /// Number of the commit; later commits of one store have larger numbers.
  public package(set) var generation: Int64

  /// When it was committed.
  public package(set) var date: Date

  /// Whether the changes are unknown: another process made the commit, and the file keeps no
  /// history that names them. Anything may have changed, and nothing is named. Copies of rows have
  /// to be read again.
  public package(set) var isUnknown = false

  /// The values of changed objects before and after, of as many as are told, while an observer asks
  /// for them.
  package var values: [ManagedObjectID: ChangedValues] = [:]

  /// The context that made the change, so that it does not merge its own edits; 0 is none.
  package var origin: UInt64

  package init(
    entities: [EntityChanges] = [], author: String? = nil, contextName: String? = nil,
    generation: Int64 = 0, date: Date = Date(timeIntervalSinceReferenceDate: 0), origin: UInt64 = 0
  ) {
    self.entities = entities
    self.author = author
    self.contextName = contextName
    self.generation = generation
    self.date = date
    self.origin = origin
  }

  /// Whether nothing changed.
  public var isEmpty: Bool { entities.isEmpty && !isUnknown }

  /// Identifiers of the inserted objects.
  ///
  /// - Complexity: O(*n*); made on each call, so keep the result.
  public var inserted: Set<ManagedObjectID> {
    identifiers(\.inserted)
  }

  /// Identifiers of the updated objects.
  ///
  /// - Complexity: O(*n*); made on each call, so keep the result.
  public var updated: Set<ManagedObjectID> {
    identifiers { $0.updated.lazy.map(\.row) }
  }

  /// Identifiers of the deleted objects.
  ///
  /// - Complexity: O(*n*); made on each call, so keep the result.
  public var deleted: Set<ManagedObjectID> {
    identifiers(\.deleted)
  }

  /// How many objects were inserted, updated and deleted.
  public var counts: (inserted: Int, updated: Int, deleted: Int) {
    entities.reduce((0, 0, 0)) {
      ($0.0 + $1.inserted.count, $0.1 + $1.updated.count, $0.2 + $1.deleted.count)
    }
  }

  /// Names of the properties of an object that changed; empty when it was not updated.
  ///
  /// - Complexity: O(log *n*).
  public func changedProperties(of id: ManagedObjectID) -> [String] {
    for changes in entities where changes.entity == id.entity {
      return changes.slots(of: id.row).map { changes.entity.properties[$0].name }
    }
    return []
  }

  private func identifiers<Rows: Collection<Int64>>(
    _ rows: (EntityChanges) -> Rows
  ) -> Set<ManagedObjectID> {
    var result = Set<ManagedObjectID>()
    for changes in entities {
      for row in rows(changes) { result.insert(ManagedObjectID(entity: changes.entity, row: row)) }
    }
    return result
  }
}

extension ChangeSet: CustomStringConvertible {
  /// A line for people, as in `Commit 7 by feed: User 2 inserted, 1 updated; Note 3 deleted`.
  public var description: String {
    let author = author.map { " by \($0)" } ?? ""
    let changes = entities.map(\.description).joined(separator: "; ")
    let nothing = isUnknown ? "another process, without a history" : "nothing changed"
    let undo = source == .undo ? " (undo)" : ""
    return "Commit \(generation)\(author)\(undo): \(entities.isEmpty ? nothing : changes)"
  }
}

extension ChangeSet.EntityChanges: CustomStringConvertible {
  /// A few words for people, as in `User 2 inserted, 1 updated`.
  package var description: String {
    let counts = [
      (inserted.count, "inserted"), (updated.count, "updated"), (deleted.count, "deleted"),
    ]
    let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return "\(entity.name) \(words.isEmpty ? "unchanged" : words.joined(separator: ", "))"
  }
}
