public import SyncCore

/// The result of taking commits back: what is again as it was, and what was left alone.
///
/// ```swift
/// let report = try await stack.undo(token)
/// print(report)      // Undone: User 2 inserted, 40 updated. Left: User 6 email (changed since).
/// ```
public struct UndoReport: Sendable, Hashable {
  /// How many objects of an entity an undo has changed.
  public struct Counts: Sendable, Hashable {
    /// Deleted objects that are there again.
    public var inserted = 0
    /// Objects with properties that are as before.
    public var updated = 0
    /// Objects that the commits had made, and that are gone.
    public var deleted = 0

    package init(inserted: Int = 0, updated: Int = 0, deleted: Int = 0) {
      self.inserted = inserted
      self.updated = updated
      self.deleted = deleted
    }
  }

  /// Why something was left as it is.
  public enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
    /// A later commit has changed it, so it is not the undone commits' any more.
    case changedSince
    /// A later commit has deleted the object.
    case deletedSince
    /// A later commit has moved members of the list, which keeps its order.
    case orderChangedSince
    /// Another object, which stays, refers to the object.
    case referredTo
    /// It referred to an object that is not there any more.
    case targetGone
    /// The other object of a one-to-one relationship belongs to a third one since.
    case partnerTaken
    /// Another object has the value since, and the model or the primary key allows one.
    case valueTaken
    /// It had no value, and the model demands one now.
    case required
    /// The model has no such entity, or no such property, any more.
    case notInModel
  }

  /// An object, or a property of it, that was left as it is.
  public struct Left: Sendable, Hashable {
    /// Name of the entity.
    public let entity: String
    /// The object; nil where it is about all of the entity.
    public let objectID: ManagedObjectID?
    /// The object's primary key; nil when it has none.
    public let key: Value?
    /// Name of the property; nil where it is about the whole object.
    public let property: String?
    /// Why it was left.
    public let reason: Reason
  }

  /// The changes by the names of entities.
  public package(set) var undone: [String: Counts] = [:]

  /// Everything that was left, in the order of entities and objects.
  public package(set) var left: [Left] = []

  /// The commit that the undo made, which can be undone itself; nil when nothing was changed, and
  /// in a dry run.
  public package(set) var token: HistoryToken?

  /// Whether nothing was written: what an undo would do.
  public package(set) var isDryRun = false

  package init() {}

  /// Whether there was nothing to take back.
  public var isEmpty: Bool { undone.isEmpty }
}

extension UndoReport: CustomStringConvertible {
  /// One sentence about each of both, as in `Undone: User 2 updated. Left: User 6 email (changed
  /// since).`
  public var description: String {
    let counts = undone.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    let undone = counts.isEmpty ? "nothing" : counts.joined(separator: "; ")
    let words = isDryRun ? "Would be undone" : "Undone"
    guard !left.isEmpty else { return "\(words): \(undone)." }
    return "\(words): \(undone). Left: \(left.map(\.description).joined(separator: "; "))."
  }
}

extension UndoReport.Counts: CustomStringConvertible {
  public var description: String {
    [(inserted, "inserted"), (updated, "updated"), (deleted, "deleted")].filter { $0.0 > 0 }
      .map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}

extension UndoReport.Left: CustomStringConvertible {
  /// The object and the reason, as in `User 6 email (changed since)`.
  public var description: String {
    let object = key.map { " \($0)" } ?? objectID.map { " #\($0.row)" } ?? ""
    return "\(entity)\(object)\(property.map { " \($0)" } ?? "") (\(reason.words))"
  }
}

extension UndoReport.Reason {
  /// The reason in a few words.
  public var words: String {
    switch self {
    case .changedSince: "changed since"
    case .deletedSince: "deleted since"
    case .orderChangedSince: "order changed since"
    case .referredTo: "something that stays refers to it"
    case .targetGone: "referred to an object that is gone"
    case .partnerTaken: "the other object has another partner"
    case .valueTaken: "another object has the value since"
    case .required: "had no value, which the model demands"
    case .notInModel: "not in the model any more"
    }
  }
}
