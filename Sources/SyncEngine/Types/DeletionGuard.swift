import SyncCore

/// Whether a sync that would delete much is refused, and the limits of it.
///
/// ```swift
/// sync.deletionGuard = .on(count: 20, share: 0.1)   // not more than 20 that are over a tenth
/// sync.deletionGuard = .on(emptyPayload: 0)         // an empty list never deletes anything
/// sync.deletionGuard = .off                         // everything is allowed
/// ```
///
/// A payload with items of which none can be used, as an error document is, is refused at any size,
/// unless the guard is off. An item cannot be used when it has no readable key, is left out, or
/// fills nothing but its key while it has keys that mean nothing: `{"id": 401, "message":
/// "unauthorised"}`.
public struct DeletionGuard: Sendable, Hashable, Codable {
  /// Whether anything is refused.
  public let isOn: Bool

  /// The number of objects that may be deleted. Objects deleted with their owner, or omitted by a
  /// nested list, count.
  public let count: Int

  /// More than ``count`` may go as long as they are at most this share of the scope, from 0 to 1:
  /// of the objects at the top, or of the members of the lists that the payload speaks of.
  public let share: Double

  /// Largest number of objects in the scope that an empty list may delete.
  public let emptyPayload: Int

  /// The default: refused are deleting more than 500 objects that are more than half of the scope,
  /// and an empty list while the scope holds more than 100.
  public static let on: DeletionGuard = .on()

  /// Everything is allowed.
  public static let off = DeletionGuard(
    isOn: false, count: .max, share: 1, emptyPayload: .max)

  /// A guard with limits of its own. Limits that cannot be meant, a negative count or a share
  /// outside 0 to 1, fail the sync with ``SyncError/Code/invalidRequest``.
  ///
  /// - Parameters:
  ///   - count: See ``count``. Default: 500.
  ///   - share: See ``share``. Default: 0.5.
  ///   - emptyPayload: See ``emptyPayload``. Default: 100.
  public static func on(
    count: Int = 500, share: Double = 0.5, emptyPayload: Int = 100
  ) -> DeletionGuard {
    DeletionGuard(isOn: true, count: count, share: share, emptyPayload: emptyPayload)
  }

  /// - Throws: ``SyncError`` with ``SyncError/Code/invalidRequest`` when a limit cannot be meant.
  func check() throws {
    guard count < 0 || emptyPayload < 0 || !(0...1).contains(share) else { return }
    throw SyncError(
      .invalidRequest,
      message: """
        The limits of the deletion guard are count \(count), share \(share) and emptyPayload \
        \(emptyPayload). Give counts that are not negative, and a share from 0 to 1.
        """)
  }
}

extension DeletionGuard: CustomStringConvertible {
  public var description: String {
    isOn ? "on(count: \(count), share: \(share), emptyPayload: \(emptyPayload))" : "off"
  }
}

/// The stored objects that take part in a sync: those that are deleted when the payload does not
/// mention them. It never limits the payload: an object stored outside that the payload names is
/// found and updated.
struct Scope {
  enum Kind {
    /// Every object of the entity.
    case all
    /// Objects whose to-one relationship to their own entity is empty: the roots of a tree.
    case roots(slot: Int)
    /// Objects that meet the filter.
    case filter(Filter)
    /// Objects whose own relationship leads to a given parent.
    case children
    /// Members of a parent's list, which end as the members of any list.
    case members
    /// Members of a parent's list that others may have too: they leave it, and none is deleted.
    case sharedMembers
  }

  let kind: Kind

  /// Whether every object of the entity is in scope.
  var isWholeEntity: Bool {
    if case .all = kind { true } else { false }
  }
}
