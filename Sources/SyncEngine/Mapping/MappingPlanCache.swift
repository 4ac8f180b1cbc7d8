package import SyncCore

/// The conventional plans of one stack, by the index of the entity: each is compiled once, and
/// again when transformers were registered, classes mentioned or rules written since. Safe to use
/// from any thread: everything lies under one lock.
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
  private let explicit = Locked<[PlanKey: Entry]>([:])
  private let nested = Locked<[NestedKey: NestedEntry]>([:])

  /// The key of a source's node in plans that begin with an entity by convention or by hand, which
  /// numbers their nodes.
  private struct NestedKey: Hashable {
    let root: EntityDescription
    let isExplicit: Bool
    let node: NodeKey
  }

  private struct NestedEntry {
    let node: PlanNode
    let generation: Generation
  }

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
    let (environment, generation) = current
    if let entry = entries.withLock({ $0[entity.index] }), entry.generation == generation,
      entry.plan.rootNode.entity == entity
    {
      return entry.plan
    }
    // Compiled outside the lock: two threads may both do it, and get equal plans.
    let plan = MappingPlanCompiler.compile(entity, environment)
    entries.withLock { $0[entity.index] = Entry(plan: plan, generation: generation) }
    return plan
  }

  /// The facts that the plan depends on beside its source.
  private var current: (environment: MappingEnvironment, generation: Generation) {
    let (written, version) = registry.current
    return (
      MappingEnvironment(
        transformers: transformers, declaredTypes: declaredTypes, written: written),
      Generation(
        transformers: transformers.generation, types: declaredTypes.generation, written: version)
    )
  }

  /// The plan for items that a source describes, for one sync: sources of nested objects are asked
  /// each time.
  ///
  /// - Throws: ``MappingError`` when it cannot describe them; `ModelError` when the model has no
  ///   such entity.
  package func plan(for source: any PlanSource, in model: ManagedObjectModel) throws -> MappingPlan
  {
    if let plan = try writtenPlan(for: source, in: model) { return plan }
    let entity = try model.requireEntity(named: source.mappingSource.entityName)
    return resolving(plan(for: entity), current.generation)
  }

  /// The plan for items that a source describes by hand; nil where it leaves them to the
  /// conventions.
  ///
  /// - Throws: As ``plan(for:in:)``.
  func writtenPlan(for source: any PlanSource, in model: ManagedObjectModel) throws -> MappingPlan?
  {
    guard let mapping = try source.mappingSource.explicit(in: model) else { return nil }
    let entity = try model.requireEntity(named: mapping.entityName)
    let (environment, generation) = current
    let key = PlanKey(source)
    if let key, let entry = explicit.withLock({ $0[key] }), entry.generation == generation,
      entry.plan.rootNode.entity == entity
    {
      return resolving(entry.plan, generation)
    }
    let plan = try MappingPlanCompiler.compile(mapping, environment, in: model)
    if let key {
      explicit.withLock { plans in
        // Keys may hold values of which there is no end.
        if plans.count >= MappingPlanCache.explicitLimit { plans = [:] }
        plans[key] = Entry(plan: plan, generation: generation)
      }
    }
    return resolving(plan, generation)
  }

  private static let explicitLimit = 256

  /// The plan with the present answers of its sources. The node of a source with a key is compiled
  /// once: below one that follows the conventions that may be a whole model.
  private func resolving(_ plan: MappingPlan, _ generation: Generation) -> MappingPlan {
    guard let compiler = plan.sources else { return plan }
    return plan.resolving { source, key in
      guard let key else { return try compiler.node(for: source.mappingSource) }
      let root = plan.rootNode
      let place = NestedKey(root: root.entity, isExplicit: root.explicit != nil, node: key)
      if let known = nested.withLock({ $0[place] }), known.generation == generation {
        return known.node
      }
      let node = try compiler.node(for: source.mappingSource)
      nested.withLock { nodes in
        if nodes.count >= MappingPlanCache.nestedLimit { nodes = [:] }
        nodes[place] = NestedEntry(node: node, generation: generation)
      }
      return node
    }
  }

  private static let nestedLimit = 4096
}
