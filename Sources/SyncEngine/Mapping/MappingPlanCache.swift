package import SyncCore

/// The conventional plans of one stack: each is compiled once, and again when transformers were
/// registered since. Safe to use from any thread: everything lies under one lock.
package final class MappingPlanCache: Sendable {
  private struct Entry {
    let plan: MappingPlan
    let generation: Int
  }

  /// The registry that plans take their transformers from.
  package let transformers: TransformerRegistry
  private let entries = Locked<[EntityDescription: Entry]>([:])

  /// Makes an empty cache.
  package init(transformers: TransformerRegistry) {
    self.transformers = transformers
  }

  /// The plan for items of the entity.
  package func plan(for entity: EntityDescription) -> MappingPlan {
    let generation = transformers.generation
    if let entry = entries.withLock({ $0[entity] }), entry.generation == generation {
      return entry.plan
    }
    // Compiled outside the lock: two threads may both do it, and get equal plans.
    let plan = MappingPlanCompiler.compile(entity, transformers: transformers)
    entries.withLock { $0[entity] = Entry(plan: plan, generation: generation) }
    return plan
  }
}
