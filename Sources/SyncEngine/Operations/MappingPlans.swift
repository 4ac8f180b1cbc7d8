import SyncCore
package import SyncGraph

extension DataStack {
  /// The conventional mapping plans of the stack.
  package var mappingPlans: MappingPlanCache {
    attachment { MappingPlanCache(transformers: transformers, declaredTypes: declaredTypes) }
  }
}

extension ManagedObjectContext {
  /// The conventional mapping plans of the context's store.
  package var mappingPlans: MappingPlanCache {
    attachment { MappingPlanCache(transformers: transformers, declaredTypes: declaredTypes) }
  }
}
