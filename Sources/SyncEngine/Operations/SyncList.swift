import Foundation
public import SyncCore
public import SyncGraph

/// One of several lists that a sync brings in step with JSON at once.
///
/// ```swift
/// try await stack.sync([
///   .list(teams, of: "Team"),
///   .list(answer, of: "Player", at: "data.players"),
/// ])
/// ```
///
/// The lists are one sync: one transaction and one commit, one report, one ``ChangeSet``. Objects
/// may refer to each other over all lists, in any order and in circles. Deletions are decided when
/// all lists were read: an object that any of them mentions stays, and lists of one entity say
/// together which objects there are. Apart from that they are applied in order, like the pages of a
/// ``SyncSession``.
///
/// Several lists may stand in one document: give each the document and its own path. A stream can
/// be read once only; save it to a file, or take it as data, for that.
public struct SyncList: Sendable {
  let payload: SyncPayload
  let list: SyncSession.List
  /// The place of the items, and the object whose children they are.
  let setup: SyncSetup

  /// The entity of the items.
  public var entityName: String { list.entityName }

  /// A list of items that conventions map.
  ///
  /// - Parameters:
  ///   - payload: The JSON, in any form that is a payload.
  ///   - entityName: Entity of the items. An unknown one is reported when the sync runs.
  ///   - path: Leads to the list inside the document, as in `data.items`; see ``Sync/path``.
  ///   - predicate: Limits the stored objects that may be deleted.
  ///   - parent: The saved object whose children the items are.
  ///   - parentRelationship: The relationship between the two, by its name at either end; needed
  ///     only when there are several.
  ///   - operations: The changes that the sync may make with this list; nil is those of the sync.
  ///   - deletes: Whether an item says that its object is deleted; see ``SyncSettings/deletes``.
  public static func list(
    _ payload: some SyncPayloadConvertible, of entityName: String, at path: JSONPath? = nil,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations? = nil, deletes: ItemTest? = nil
  ) -> SyncList {
    list(
      payload, with: Conventional(entityName), at: path, predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, operations: operations, deletes: deletes)
  }

  /// A list of items whose mapping was written by hand.
  ///
  /// - Parameters: as for the form that conventions map, but
  ///   - source: A ``Serializer``, or ``Conventional`` mapping. Errors in it are reported when the
  ///     sync runs.
  public static func list(
    _ payload: some SyncPayloadConvertible, with source: some PlanSource,
    at path: JSONPath? = nil, predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations? = nil, deletes: ItemTest? = nil
  ) -> SyncList {
    SyncList(
      payload: payload.syncPayload,
      list: .list(with: source, predicate: predicate, operations: operations, deletes: deletes),
      setup: SyncSetup(
        nil, parent: parent?.objectID, parentRelationship?.relationshipName, .all, at: path))
  }
}

extension SyncList {
  /// The setup of the list in a sync that was set up like this.
  func setup(in sync: SyncSetup) -> SyncSetup {
    var result = list.setup(in: sync)
    result.path = setup.path
    result.parent = setup.parent
    result.parentRelationship = setup.parentRelationship
    return result
  }

  /// Refuses the settings that are about one list where there are several.
  ///
  /// - Throws: ``SyncError`` with ``SyncError/Code/invalidRequest``.
  static func check(_ lists: [SyncList], _ sync: SyncSetup) throws {
    let reason: String? =
      if lists.isEmpty {
        "The sync has no list. Give it at least one."
      } else if sync.path != nil || sync.parent != nil || sync.settings.filter != nil {
        "A path, a parent or a filter is about one list. Give it to SyncList.list in the place of the sync."
      } else if sync.transaction != .whole {
        "Several lists are stored at once. Sync them one by one for a commit per batch."
      } else {
        nil
      }
    if let reason { throw SyncError(.invalidRequest, message: reason) }
  }
}

/// Syncs of several lists in one call.
extension DataStack {
  /// Brings the objects of several lists in step with JSON, together, on the stack's
  /// ``DataStack/syncQueue``. Cancelling the task cancels the sync, and the store stays as it was.
  ///
  /// - Parameters:
  ///   - lists: The lists; see ``SyncList``.
  ///   - operations: The changes that the sync may make with lists that do not set their own.
  /// - Throws: `CancellationError`, ``MappingError`` when a serializer does not fit the model,
  ///   ``SyncError``, ``JSONError`` or errors of the store. Nothing of any list is stored then.
  @discardableResult
  public func sync(
    _ lists: [SyncList], operations: SyncOperations = .all
  ) async throws -> SyncReport {
    try await sync(sync(of: lists, operations))
  }

  /// Brings the objects of several lists in step with JSON, together, now, on the calling thread.
  ///
  /// - Throws: As the `async` form, but for `CancellationError`.
  @discardableResult
  public func sync(_ lists: [SyncList], operations: SyncOperations = .all) throws -> SyncReport {
    try sync(of: lists, operations).runNow()
  }

  /// Brings the objects of several lists in step with JSON, together, on the stack's
  /// ``DataStack/syncQueue``.
  ///
  /// - Parameter completion: Called once, on the main queue, with the report or the error.
  /// - Returns: The operation, to be observed or cancelled.
  @discardableResult
  public func sync(
    _ lists: [SyncList], operations: SyncOperations = .all,
    completion: @escaping @Sendable (SyncResult<SyncReport>) -> Void
  ) -> Sync {
    let sync = sync(of: lists, operations)
    sync.deliver(to: completion)
    syncQueue.addOperation(sync)
    return sync
  }

  private func sync(of lists: [SyncList], _ operations: SyncOperations) -> Sync {
    let sync = Sync(lists: lists, dataStack: self)
    sync.operations = operations
    return sync
  }
}
