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
    var table = TextTable([.init("JSON key"), .init("Fills"), .init("As")])
    for rule in node.attributes {
      table.add([
        list(rule.spellings), rule.name, rule.type.rawValue + (rule.isIdentity ? ", the key" : ""),
      ])
    }
    for rule in node.relationships {
      let destination = rule.relationship.destinationName
      let objects = rule.relationship.isToMany ? "list of \(destination)" : destination
      let keys =
        rule.relationship.isToMany ? "list of keys of \(destination)" : "key of \(destination)"
      if rule.hasCustomKey {
        table.add([list(rule.objectKeys), rule.name, "\(objects), or \(keys)"])
      } else {
        table.add([list(rule.objectKeys), rule.name, objects])
        table.add([list(rule.referenceKeys), rule.name, keys])
      }
    }
    return table
  }

  private func list(_ keys: [RemoteKey]) -> String {
    keys.map(\.description).joined(separator: ", ")
  }
}
