extension ManagedObject {
  /// Deletes the object in its context, as ``ManagedObjectContext/delete(_:)`` does. Nothing
  /// happens when it has no context any more, or was deleted before.
  public final func delete() {
    checkAccess()
    guard let owner, !isKnownDeleted else { return }
    owner.delete(self)
  }
}
