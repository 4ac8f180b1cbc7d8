import SyncStack

/// Compiles the plan of the first of some entities.
func plan(
  _ entities: [EntityDraft], transformers: TransformerRegistry = TransformerRegistry()
) throws -> MappingPlan {
  let model = try ManagedObjectModel(entities)
  return MappingPlanCompiler.compile(
    try model.requireEntity(named: entities[0].name), MappingEnvironment(transformers: transformers)
  )
}

/// Compiles the plan of one entity with these properties.
func plan(
  named name: String = "User", _ properties: [PropertyDraft],
  transformers: TransformerRegistry = TransformerRegistry()
) throws -> MappingPlan {
  try plan([EntityDraft(name, properties)], transformers: transformers)
}

extension PlanNode {
  /// The properties that a path of keys fills: `name`, `company.objects`, parted by spaces; sorted.
  func meaning(of keys: String...) -> String {
    var table: MemberTable? = members
    var targets: [MemberTarget] = []
    for key in keys {
      guard let current = table else { return "" }
      let index = current.find(key)
      guard index >= 0 else { return "" }
      targets = current.entries[index].targets
      table = current.entries[index].child
    }
    return targets.map { target in
      switch target.kind {
      case .attribute: attributes[target.rule].name
      case .references: relationships[target.rule].name + ".references"
      case .objects: relationships[target.rule].name + ".objects"
      case .either: relationships[target.rule].name + ".either"
      }
    }.sorted().joined(separator: " ")
  }

  /// Precedence of the only target of a key.
  func precedence(of key: String) -> UInt8? {
    let index = members.find(key)
    return index < 0 ? nil : members.entries[index].targets.first?.precedence
  }
}
