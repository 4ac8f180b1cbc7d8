package import SyncCore

/// The conventional plans of one stack, by the index of the entity: each is compiled once, and again when
/// transformers were registered, classes mentioned or rules written since. Safe to use from any thread:
/// everything lies under one lock.
package final class MappingPlanCache: Sendable {
  private struct Entry {
    let plan: MappingPlan
    let generation: Generation
  }

  private struct Generation: Equatable {
    let transformers: Int
    let types: Int
    let written: Int
  }

  /// The registry that plans take their transformers from.
  package let transformers: TransformerRegistry
  private let declaredTypes: DeclaredTypes
  private let registry: RuleRegistry
  private let entries = Locked<[Int: Entry]>([:])

  /// Makes an empty cache.
  package init(
    transformers: TransformerRegistry, declaredTypes: DeclaredTypes = .none,
    registry: RuleRegistry = RuleRegistry()
  ) {
    self.registry = registry
    self.transformers = transformers
    self.declaredTypes = declaredTypes
  }

  /// The plan for items of the entity.
  package func plan(for entity: EntityDescription) -> MappingPlan {
    let (written, version) = registry.current
    let generation = Generation(
      transformers: transformers.generation, types: declaredTypes.generation, written: version)
    if let entry = entries.withLock({ $0[entity.index] }), entry.generation == generation,
      entry.plan.rootNode.entity == entity
    {
      return entry.plan
    }
    // Compiled outside the lock: two threads may both do it, and get equal plans.
    let plan = MappingPlanCompiler.compile(
      entity, transformers: transformers, declaredTypes: declaredTypes, written: written)
    entries.withLock { $0[entity.index] = Entry(plan: plan, generation: generation) }
    return plan
  }
}
