import SyncStack

/// A model as text: entities, and the kind of each property.
struct ModelText {
  let model: ManagedObjectModel

  /// An entity after the other, a table of its properties below each.
  func lines(width: Int?) -> [String] {
    var lines: [String] = []
    for entity in model.entities {
      if !lines.isEmpty { lines.append("") }
      lines.append(title(of: entity))
      guard !entity.properties.isEmpty else { continue }
      lines += table(of: entity).lines(width: width.map { $0 - 2 }).map { "  " + $0 }
    }
    return lines
  }

  private func title(of entity: EntityDescription) -> String {
    var title = entity.name
    if let superentity = entity.superentity { title += ": \(superentity.name)" }
    var notes: [String] = []
    if entity.isAbstract { notes.append("abstract") }
    if let key = entity.primaryKey {
      notes.append("key \(key.name)")
    } else if !entity.isAbstract {
      notes.append("no primary key, so JSON cannot be synced into it")
    }
    for constraint in entity.uniquenessConstraints {
      notes.append("unique \(constraint.joined(separator: " + "))")
    }
    return notes.isEmpty ? title : "\(title) (\(notes.joined(separator: ", ")))"
  }

  private func table(of entity: EntityDescription) -> TextTable {
    var table = TextTable([.init("Property"), .init("Type"), .init("Remarks")])
    for property in entity.properties {
      switch property {
      case .attribute(let attribute):
        table.add([
          attribute.name, attribute.type.rawValue,
          remarks(on: attribute, of: entity).joined(separator: ", "),
        ])
      case .relationship(let relationship):
        table.add([
          relationship.name,
          (relationship.isToMany ? "many " : "one ") + relationship.destinationName,
          remarks(on: relationship).joined(separator: ", "),
        ])
      }
    }
    return table
  }

  private func remarks(
    on attribute: AttributeDescription, of entity: EntityDescription
  ) -> [String] {
    var remarks: [String] = []
    if attribute.slot == entity.primaryKey?.slot { remarks.append("key") }
    if !attribute.isOptional { remarks.append("required") }
    if attribute.isTransient { remarks.append("transient") }
    if !attribute.defaultValue.isNull { remarks.append("default \(attribute.defaultValue)") }
    if let name = attribute.valueTransformerName { remarks.append("transformer \(name)") }
    return remarks
  }

  private func remarks(on relationship: RelationshipDescription) -> [String] {
    var remarks: [String] = []
    if relationship.isOrdered { remarks.append("ordered") }
    if !relationship.isOptional { remarks.append("required") }
    remarks.append(relationship.inverseName.map { "inverse \($0)" } ?? "no inverse")
    switch relationship.deleteRule {
    case .nullify: break
    case .cascade: remarks.append("deleted with it")
    case .deny: remarks.append("forbids its deletion")
    case .noAction: remarks.append("not told of its deletion")
    }
    if relationship.minCount > 0 { remarks.append("at least \(relationship.minCount)") }
    if relationship.isToMany, relationship.maxCount > 0 {
      remarks.append("at most \(relationship.maxCount)")
    }
    return remarks
  }
}
