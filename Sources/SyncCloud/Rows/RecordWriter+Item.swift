import SyncCore
import SyncStore

extension RecordWriter {
  /// A record on its way into the store. Confined to the writer.
  final class Item {
    let shown: CloudRecord
    let before: RemoteRecord?
    var merge: Merge
    let entity: EntityDescription

    /// Values to write by slot; references still by name.
    var values: [(slot: Int, value: Value)] = []
    var references: [(slot: Int, target: FieldCoding.Reference?)] = []

    /// Values of one-to-one relationships, which are written when all objects are here.
    var partners: [(slot: Int, value: Value)] = []

    /// Orders to write, by the names of members.
    var orders: [(list: RelationshipDescription, names: [String])] = []

    /// Whether it was deleted elsewhere, could not be here, and lives again.
    var isBackAlive: Bool { before?.isDeadButHere == true && merge.isAlive }

    init(shown: CloudRecord, before: RemoteRecord?, merge: Merge, entity: EntityDescription) {
      self.shown = shown
      self.before = before
      self.merge = merge
      self.entity = entity
    }
  }

  /// The numbers of written records.
  struct Counts {
    var inserted = 0
    var updated = 0
    var deleted = 0

    /// Records that could not be used, or only in part.
    var problems = 0

    /// Whether the server showed less of a record than it was seen to have.
    var isBehind = false
  }
}

extension RecordWriter.Counts {
  mutating func add(_ other: RecordWriter.Counts) {
    inserted += other.inserted
    updated += other.updated
    deleted += other.deleted
    problems += other.problems
    isBehind = isBehind || other.isBehind
  }
}
