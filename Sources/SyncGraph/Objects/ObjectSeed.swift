import SyncCore

/// What an object is made from. Contexts make seeds; programs insert or fetch objects instead.
public struct ObjectSeed {
  let binding: ClassBinding
  let objectID: ManagedObjectID
  let context: ManagedObjectContext?
}

@available(*, unavailable, message: "A seed belongs to the context that makes it.")
extension ObjectSeed: Sendable {}
