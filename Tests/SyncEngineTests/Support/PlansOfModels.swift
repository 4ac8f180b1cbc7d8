import SyncStack

/// The plans of models that were synced with lately: random sequences make hundreds of requests of
/// one model, and compiling its plan takes longer than a small sync.
final class PlansOfModels: Sendable {
  private let entries = Locked<[ObjectIdentifier: (model: ManagedObjectModel, MappingPlanCache)]>(
    [:])

  func of(_ model: ManagedObjectModel) -> MappingPlanCache {
    entries.withLock { entries in
      if let (_, plans) = entries[ObjectIdentifier(model)] { return plans }
      if entries.count >= 64 { entries = [:] }
      let plans = MappingPlanCache(transformers: TransformerRegistry())
      entries[ObjectIdentifier(model)] = (model, plans)
      return plans
    }
  }
}
