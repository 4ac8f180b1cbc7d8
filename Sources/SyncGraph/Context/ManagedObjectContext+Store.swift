package import SyncCore
package import SyncStore

/// The parts of a context that code working on rows needs.
extension ManagedObjectContext {
  /// Whether the caller runs on the context's queue, or in a block that does work for it.
  package var isCurrent: Bool { queue.isCurrent }

  /// Whether saving discards everything: a disposable context, or a child of one.
  package var keepsNothing: Bool { discardsOnSave || parent?.keepsNothing == true }

  /// The store behind the context; that of its stack, unless it is disposable.
  ///
  /// - Throws: ``GraphError`` when the stack was closed.
  package var store: Store {
    get throws { try core.store() }
  }

  /// The transformers that attributes of the model name.
  package var transformers: TransformerRegistry { core.transformers }

  /// The types that classes declare for attributes.
  package var declaredTypes: DeclaredTypes { core.classes.declaredTypes }

  /// A value that another module keeps with the context's store, made on the first call.
  package func attachment<T: Sendable>(_ make: () -> T) -> T {
    core.attachments.value(make)
  }

  /// A value that another module keeps with the stack that the context was made of.
  package func sharedAttachment<T: Sendable>(_ make: () -> T) -> T {
    core.sharedAttachments.value(make)
  }

  /// Takes notice of a class that a program mentions, so that objects of its entity are made of it.
  ///
  /// - Throws: ``GraphError`` when the class does not fit its entity.
  package func learn(_ type: ManagedObject.Type) throws {
    guard type != ManagedObject.self, model.entity(named: type.entityName) != nil else { return }
    _ = try bind(type)
  }

  /// Merges commits, also in the midst of a block.
  package func mergeCommits() {
    check()
    mergedBlock = queue.blocks.number
    core.tellOfOthers()
    mergeInbox()
  }

  /// Notes that the caller has waited for others. On the main queue, outside of blocks of contexts,
  /// a pass ends.
  package static func hasWaited() {
    if ContextQueue.main.isServedItself { ContextQueue.main.endPass() }
  }
}

extension ManagedObject {
  /// Sets an attribute to a value in its stored form.
  ///
  /// - Precondition: The attribute's type can hold the value, and the object can be changed.
  package final func setStoredValue(_ value: Value, at slot: Int) {
    setAttribute(slot, value)
  }
}
