/// The facts that all objects of one entity in one context share, so that each of them needs only
/// this to know where it belongs. Confined to the queue of the context, like its objects.
final class ObjectHome {
  let binding: ClassBinding
  let shape: EntityShape

  /// Slot by ordinal of the wrapper.
  let slots: [Int]

  /// The queue of the context, looked at by every access; nil when the context is gone.
  private(set) var queue: ContextQueue?

  /// The observation of the objects; nil outside of the main queue.
  let observation: ObjectObservation?

  // Not counted: the context abandons its homes when it goes away, so it never dangles.
  unowned(unsafe) private(set) var context: ManagedObjectContext?

  init(_ binding: ClassBinding, in context: ManagedObjectContext?) {
    self.binding = binding
    shape = binding.shape
    slots = binding.slots
    self.context = context
    queue = context?.queue
    observation = context?.observation
  }

  /// The context goes away, or forgets its objects.
  func abandon() {
    context = nil
    queue = nil
  }
}

/// The homes of a context, made when first needed.
struct ObjectHomes {
  /// By index of the entity.
  private var current: [ObjectHome?]

  /// Those too whose entity got another class since.
  private var all: [ObjectHome] = []

  init(entityCount: Int) {
    current = Array(repeating: nil, count: entityCount)
  }

  /// The home of new objects of a binding.
  mutating func home(_ binding: ClassBinding, in context: ManagedObjectContext) -> ObjectHome {
    let index = binding.shape.index
    if let known = current[index], known.binding === binding { return known }
    let home = ObjectHome(binding, in: context)
    current[index] = home
    all.append(home)
    return home
  }

  /// Lets all objects go.
  mutating func abandon() {
    for home in all { home.abandon() }
    self = ObjectHomes(entityCount: current.count)
  }
}

/// The home and the row of a new object. Contexts make seeds; programs insert or fetch objects
/// instead.
public struct ObjectSeed {
  let home: ObjectHome

  /// The row number, negative for a new object.
  let row: Int64
}

@available(*, unavailable, message: "A seed belongs to the context that makes it.")
extension ObjectSeed: Sendable {}
