package import SyncCore
package import SyncStore

/// What another module has to say about what contexts save, when all of a save is written and
/// before it is committed.
private final class SaveCheck: Sendable {
  let check = Locked<(@Sendable (StoreReader, [ChangeSet.EntityChanges]) throws -> Void)?>(nil)
}

extension DataStack {
  /// Has saves and batches of all contexts checked; the last one who says so does it.
  package func setSaveCheck(
    _ check: @escaping @Sendable (StoreReader, [ChangeSet.EntityChanges]) throws -> Void
  ) {
    attachment { SaveCheck() }.check.withLock { $0 = check }
  }
}

extension StackCore {
  var saveCheck: (@Sendable (StoreReader, [ChangeSet.EntityChanges]) throws -> Void)? {
    attachments.value { SaveCheck() }.check.withLock { $0 }
  }
}
