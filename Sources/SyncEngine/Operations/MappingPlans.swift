import SyncCore
package import SyncGraph

extension DataStack {
  /// The mapping plans of the stack.
  package var mappingPlans: MappingPlanCache {
    attachment {
      MappingPlanCache(
        transformers: transformers, declaredTypes: declaredTypes, registry: writtenRules)
    }
  }

  /// The rules that were written for entities of the stack.
  var writtenRules: RuleRegistry { sharedAttachment { RuleRegistry() } }
}

extension ManagedObjectContext {
  /// The mapping plans of the context's store.
  package var mappingPlans: MappingPlanCache {
    attachment {
      MappingPlanCache(
        transformers: transformers, declaredTypes: declaredTypes,
        registry: sharedAttachment { RuleRegistry() })
    }
  }
}
