import Foundation
import SyncCore

/// The objects that a context's notification is about. For a merged commit they are made when an
/// observer asks for them: a context that holds a hundred objects does not make a hundred thousand
/// because of a sync.
final class ContextChanges {
  enum Content {
    case local(
      inserted: [ManagedObject], updated: [ManagedObject], deleted: [ManagedObject],
      ChangeSet? = nil)
    case merged(ChangeSet)
  }

  let content: Content
  private let context: ManagedObjectContext

  init(_ content: Content, _ context: ManagedObjectContext) {
    self.content = content
    self.context = context
  }

  /// The changes that were committed, if there were any.
  var changeSet: ChangeSet? {
    let changes: ChangeSet? =
      switch content {
      case .local(_, _, _, let changes): changes
      case .merged(let changes): changes
      }
    // Between a child and its parent nothing is committed.
    return changes.flatMap { $0.generation == 0 ? nil : $0 }
  }

  lazy var inserted: Set<ManagedObject> =
    switch content {
    case .local(let inserted, _, _, _): Set(inserted)
    case .merged(let changes): objects(changes, \.inserted)
    }

  lazy var updated: Set<ManagedObject> =
    switch content {
    case .local(_, let updated, _, _): Set(updated)
    case .merged(let changes): objects(changes) { $0.updated.map(\.row) }
    }

  lazy var deleted: Set<ManagedObject> =
    switch content {
    case .local(_, _, let deleted, _): Set(deleted)
    case .merged(let changes): objects(changes, areGone: true, \.deleted)
    }

  private func objects<Rows: Collection<Int64>>(
    _ changes: ChangeSet, areGone: Bool = false, _ rows: (ChangeSet.EntityChanges) -> Rows
  ) -> Set<ManagedObject> {
    context.check()
    var result: Set<ManagedObject> = []
    for entity in changes.entities {
      for row in rows(entity) {
        let object = context.object(entity.entity, context.current(row))
        // An object that a child keeps for its unsaved values goes when they go.
        if areGone, !object.flags.contains(.lost) { context.bury(object) }
        result.insert(object)
      }
    }
    return result
  }
}

// MARK: - Telling

extension ManagedObjectContext {
  /// Notes that observers have to hear of a change to an object.
  func announce(_ object: ManagedObject) {
    guard object.flags.insert(.unannounced).inserted else { return }
    unannounced.append(object)
    // Blocks tell at their end. Code that runs on the main queue as it is has no end that we know
    // of.
    guard depth == 0, !isAnnouncementScheduled else { return }
    isAnnouncementScheduled = true
    queue.async { [weak self] in
      self?.isAnnouncementScheduled = false
      self?.announceChanges()
    }
  }

  /// Merges the commits of others, and tells observers of
  /// `Notification.Name.managedObjectContextObjectsDidChange` the changes since they were told
  /// last. Done by itself at the end of each block, before each save, and soon after a change
  /// outside of blocks.
  public func processPendingChanges() {
    mergeCommits()
    announceChanges()
  }

  /// Tells observers the changes since they were told last.
  func announceChanges() {
    tellChildren()
    guard !unannounced.isEmpty else { return }
    var inserted: [ManagedObject] = []
    var updated: [ManagedObject] = []
    var deleted: [ManagedObject] = []
    for object in unannounced {
      object.flags.remove(.unannounced)
      let wasAnnounced = object.flags.contains(.announcedInsert)
      if object.isKnownDeleted {
        if !object.flags.contains(.new) || wasAnnounced { deleted.append(object) }
      } else if object.isInserted, !wasAnnounced {
        object.flags.insert(.announcedInsert)
        inserted.append(object)
      } else {
        updated.append(object)
      }
    }
    unannounced = []
    guard !(inserted.isEmpty && updated.isEmpty && deleted.isEmpty) else { return }
    announce(.local(inserted: inserted, updated: updated, deleted: deleted))
    postOutgoing()
  }

  /// Has a notification wait to be posted.
  func announce(
    _ content: ContextChanges.Content,
    as name: Notification.Name = .managedObjectContextObjectsDidChange
  ) {
    outgoing.append(
      Notification(
        name: name, object: self,
        userInfo: [StackNotifications.contextChangesKey: ContextChanges(content, self)]))
  }

  /// Posts the waiting notifications, in order. An observer that uses the context may make more,
  /// which waits for its turn.
  ///
  /// - Precondition: Observers come to an end.
  func postOutgoing() {
    guard !isPosting else { return }
    isPosting = true
    defer { isPosting = false }
    for _ in 0..<1000 {
      if outgoing.isEmpty { return }
      let round = outgoing
      outgoing = []
      for notification in round {
        tellObservers(notification)
        NotificationCenter.default.post(notification)
      }
    }
    programmingError(
      """
      Observers of a context have answered a thousand of its notifications with changes that it had to \
      tell of at once, the last of them \(outgoing.first?.name.rawValue ?? "none"). Change nothing there \
      that makes the next notification do the same.
      """)
  }
}

/// An observer of a context inside the library. Called on its queue, in the order of registration,
/// before any notification is posted.
protocol ContextObserver: AnyObject {
  /// Objects changed, a commit was merged, or a save is through.
  func contextDidChange(_ changes: ContextChanges, isSave: Bool)

  /// New objects have got their rows, and with them their places among equals.
  func contextDidGetRows()

  /// All objects of the context are gone.
  func contextDidReset()
}

/// Holds an observer as long as it lives elsewhere.
struct WeakContextObserver {
  weak var observer: (any ContextObserver)?
}

extension ManagedObjectContext {
  func addObserver(_ observer: any ContextObserver) {
    observers.removeAll { $0.observer == nil }
    observers.append(WeakContextObserver(observer: observer))
  }

  /// Tells inner observers of a notification before it is posted.
  func tellObservers(_ notification: Notification) {
    guard !observers.isEmpty,
      let changes = notification.userInfo?[StackNotifications.contextChangesKey] as? ContextChanges
    else { return }
    let isSave = notification.name == .managedObjectContextDidSave
    for entry in observers { entry.observer?.contextDidChange(changes, isSave: isSave) }
  }

  func tellObserversOfRows() {
    guard isRenamed else { return }
    isRenamed = false
    for entry in observers { entry.observer?.contextDidGetRows() }
  }

  func tellObserversOfReset() {
    for entry in observers { entry.observer?.contextDidReset() }
  }
}
