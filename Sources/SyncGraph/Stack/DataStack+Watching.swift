public import SyncCore

extension DataStack {
  /// Every commit from now on, in order. Ends when the stack is closed or freed.
  ///
  /// ```swift
  /// for await changes in stack.changes { print(changes.counts) }
  /// ```
  public var changes: AsyncStream<ChangeSet> { core.streams.makeStream() }

  /// Every commit from now on that changes objects of a class, restricted to those, in order.
  ///
  /// - Precondition: The model has an entity for the class.
  public func changes<Object: ManagedObject>(
    of type: Object.Type
  ) -> some AsyncSequence<ChangeSet, Never> & Sendable {
    guard let entity = model.entity(named: type.entityName) else {
      programmingError("The model has no entity “\(type.entityName)” for the class \(type).")
    }
    return changes.compactMap { $0.restricted(to: entity) }
  }

  /// Every commit from now on that changes objects of an entity, restricted to those, in order.
  ///
  /// - Throws: ``ModelError`` when the model has no entity of that name.
  public func changes(
    ofEntityNamed name: String
  ) throws -> some AsyncSequence<ChangeSet, Never> & Sendable {
    let entity = try model.requireEntity(named: name)
    return changes.compactMap { $0.restricted(to: entity) }
  }

  /// Every commit from now on that changes one object, restricted to it, in order. Its deletion is
  /// the last that is heard of it; the sequence goes on until the stack is closed or the task
  /// cancelled.
  public func changes(of id: ManagedObjectID) -> some AsyncSequence<ChangeSet, Never> & Sendable {
    changes.compactMap { $0.restricted(to: id) }
  }

  /// Every commit from now on that changes the object, restricted to it, in order; as
  /// ``changes(of:)`` with its identifier. The object is not kept alive.
  ///
  /// - Precondition: The object was saved: until then nothing can be committed about it, and saving
  ///   gives it another identifier.
  public func changes(of object: ManagedObject) -> some AsyncSequence<ChangeSet, Never> & Sendable {
    let id = object.objectID
    require(!id.isTemporary, "Save the object before it is watched: \(id).")
    return changes(of: id)
  }

  /// Returns when every notification about earlier commits has been delivered, by this process or
  /// another.
  ///
  /// Contexts with a queue of their own have merged and told their observers then. So have the main
  /// context and its children when this is called on the main queue, or in a block of a context
  /// that the main queue waits for; on other threads they are passed over, because the main queue
  /// may wait for those. Use the `async` form there. Inside an observer it returns at once, because
  /// an observer cannot wait for itself.
  public func drainNotifications() {
    guard !delivery.isCurrent else { return }
    core.tellOfOthers()
    let main = ContextQueue.main
    let entersMain = main.isCurrent || main.waitsForCaller
    for context in core.contexts where entersMain || !context.needsMainQueue {
      context.performAndWait { context.processPendingChanges() }
    }
    delivery.drain()
  }

  /// Returns when every notification about earlier commits has been delivered, in all contexts and
  /// to all observers of the stack.
  public func drainNotifications() async {
    core.tellOfOthers()
    for context in core.contexts {
      await context.perform { context.processPendingChanges() }
    }
    await delivery.drain()
  }
}
