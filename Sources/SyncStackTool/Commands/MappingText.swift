import SyncStack

/// The conventional mapping of a model as text: which JSON keys fill which property.
struct MappingText {
  let model: ManagedObjectModel

  /// An entity after the other, a table of the keys below each.
  func lines(width: Int?) -> [String] {
    var lines: [String] = []
    for entity in model.entities where !entity.isAbstract {
      let plan = MappingPlanCompiler.compile(entity, transformers: TransformerRegistry())
      if !lines.isEmpty { lines.append("") }
      lines.append(entity.name)
      let table = table(of: plan.rootNode)
      lines += table.lines(width: width.map { $0 - 2 }).map { "  " + $0 }
      for remark in plan.remarks where remark.entity == entity.name {
        lines.append("  ! \(remark)")
      }
    }
    return lines
  }

  private func table(of node: PlanNode) -> TextTable {
    var table = TextTable([
      .init("JSON key"), .init("Fills"), .init("As"), .init("Other spellings"),
    ])
    func add(_ keys: [RemoteKey], _ name: String, _ meaning: String) {
      let others = keys.dropFirst().map(\.description).joined(separator: ", ")
      table.add([keys.first?.description ?? "", name, meaning, others])
    }
    for rule in node.attributes {
      add(rule.spellings, rule.name, rule.type.rawValue + (rule.isIdentity ? ", the key" : ""))
    }
    for rule in node.relationships {
      let destination = rule.relationship.destinationName
      let isToMany = rule.relationship.isToMany
      let objects = isToMany ? "list of \(destination)" : destination
      let keys = isToMany ? "list of keys of \(destination)" : "key of \(destination)"
      if rule.hasCustomKey {
        add(rule.objectKeys, rule.name, "\(objects), or \(keys)")
      } else {
        add(rule.objectKeys, rule.name, objects)
        add(rule.referenceKeys, rule.name, keys)
      }
    }
    return table
  }
}
