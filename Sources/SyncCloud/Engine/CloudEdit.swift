import SyncCore
import SyncStore

/// The edit of one record that waits to be sent; see ``CloudEngine/waiting()``.
public struct CloudEdit: Sendable, Hashable, CustomStringConvertible {
  /// The kind of an edit.
  public enum Kind: String, Sendable, Hashable {
    /// The object is new.
    case insertion
    /// Properties of it were changed.
    case change
    /// It was deleted.
    case deletion
    /// The object went into a shared zone, or out of one.
    case move
    /// Two objects were joined by a many-to-many relationship, or parted.
    case pair
  }

  /// Name of the record on the server.
  public let record: String

  /// Name of the entity; of a pair entity and name of the relationship, as `Note.tags`.
  public let entity: String

  /// The object's row number; nil when there is no object here.
  public let row: Int64?
  /// The kind of the edit.
  public let kind: Kind

  /// The properties that were changed; none where all of the object is sent.
  public let fields: [String]

  /// Why it is not sent; nil when the next push sends it.
  public let problem: String?

  /// The zone of the record.
  let zone: String

  init(_ record: RemoteRecord, problem: String?) {
    self.record = record.name
    entity = record.entity
    row = record.row
    fields = record.waitingFields.sorted()
    self.problem = record.problem ?? problem
    zone = record.zone
    if record.isPair {
      kind = .pair
    } else if record.row == nil {
      kind = record.waiting.contains(.deletion) ? .deletion : .move
    } else if record.tag != nil {
      kind = .change
    } else if case .from? = record.moved {
      kind = .move
    } else {
      kind = .insertion
    }
  }

  /// The edit in one line.
  public var description: String {
    let what = "\(kind) of \(entity) \(row.map { "#\($0)" } ?? record)"
    let named = fields.isEmpty ? what : "\(what): \(fields.joined(separator: ", "))"
    return problem.map { "\(named). \($0)" } ?? named
  }
}

extension CloudEngine {
  /// The edits made here that wait to be sent, those with a problem among them; record by record,
  /// zone by zone. ``discard(_:)`` takes one back.
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: Linear in the waiting records, and in the commits since the latest pull or push.
  public func waiting() async throws -> [CloudEdit] {
    try await write { writing in
      try writing.zoneNames().flatMap { zone in
        let isReadOnly =
          try zone != writing.homeName
          && writing.transaction.remoteZone(zone)?.isReadOnly == true
        let refused = try writing.transaction.remoteProblems(in: zone).filter {
          !$0.waiting.isEmpty
        }
        let others = try writing.transaction.waitingRemoteRecords(in: zone, after: "", limit: .max)
        return (refused + others).sorted { $0.name < $1.name }.map {
          CloudEdit($0, problem: isReadOnly ? Self.readOnlyReason : nil)
        }
      }
    }
  }
}
