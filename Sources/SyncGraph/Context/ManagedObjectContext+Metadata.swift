public import SyncCore
import SyncStore

extension ManagedObjectContext {
  /// Values that the next ``save()`` writes beside the objects, in its transaction; in a child they
  /// become unsaved values of the ``parent``. ``rollback()`` and ``reset()`` drop them. Default:
  /// none.
  ///
  /// ```swift
  /// context.metadata["imported"] = .date(now)
  /// try context.save()
  /// try stack.metadata["imported"]
  /// ```
  ///
  /// - Precondition: It is used on the queue of the context.
  public var metadata: StoreMetadata {
    get {
      check()
      return unsavedMetadata
    }
    set {
      check()
      unsavedMetadata = newValue
    }
  }

  /// Writes, or hands to the parent, unsaved metadata that no edit of an object takes along.
  func saveMetadataAlone() throws {
    guard !unsavedMetadata.isEmpty else { return }
    if parent != nil {
      handOverMetadata()
    } else {
      let info = TransactionInfo(author: author, contextName: name, origin: origin)
      _ = try core.storeForWriting("A context was saved").write(info) { [unsavedMetadata] in
        try $0.write(unsavedMetadata)
      }
    }
    unsavedMetadata = StoreMetadata()
  }

  /// Makes unsaved metadata unsaved metadata of the parent.
  func handOverMetadata() {
    guard let parent, !unsavedMetadata.isEmpty else { return }
    parent.queue.sync { [unsavedMetadata] in parent.unsavedMetadata.merge(unsavedMetadata) }
    unsavedMetadata = StoreMetadata()
  }
}

extension DataStack {
  /// The values that the store keeps beside its objects, as they were committed last.
  ///
  /// ```swift
  /// let cursor = try stack.metadata["topics.cursor"]       // .string("…"), or nil
  /// ```
  ///
  /// A sync (`Sync.metadata`), a page session and a context (``ManagedObjectContext/metadata``)
  /// write them, in the transaction of their rows. It may be called on any thread.
  ///
  /// - Throws: `StoreError` when the store cannot be read, or the stack was closed.
  /// - Complexity: linear in the number of values.
  public var metadata: StoreMetadata {
    get throws { try store.read { try $0.metadata() } }
  }
}
