import Foundation

/// Somebody inside the library who follows a context. Called on its queue, in the order of
/// registration, before any notification is posted.
protocol ContextObserver: AnyObject {
  /// Objects changed, a commit was merged, or a save is through.
  func contextDidChange(_ changes: ContextChanges, isSave: Bool)

  /// All objects of the context are gone.
  func contextDidReset()
}

/// Holds an observer as long as somebody else does.
struct WeakContextObserver {
  weak var observer: (any ContextObserver)?
}

extension ManagedObjectContext {
  func addObserver(_ observer: any ContextObserver) {
    observers.removeAll { $0.observer == nil }
    observers.append(WeakContextObserver(observer: observer))
  }

  /// Tells observers what a notification is about to tell everybody else.
  func tellObservers(_ notification: Notification) {
    guard !observers.isEmpty,
      let changes = notification.userInfo?[StackNotifications.contextChangesKey] as? ContextChanges
    else { return }
    let isSave = notification.name == .managedObjectContextDidSave
    for entry in observers { entry.observer?.contextDidChange(changes, isSave: isSave) }
  }

  func tellObserversOfReset() {
    for entry in observers { entry.observer?.contextDidReset() }
  }
}
