/// A short text that says whether two models store the same things in the same way.
///
/// It does not depend on the process, nor on the order in which entities and properties are
/// declared, except where that order decides about names in the store: which side of a many-to-many
/// relationship its link table is named after, and which of two properties of the same name in one
/// family of entities keeps the plain name.
///
/// | changes it | does not |
/// |---|---|
/// | names, inheritance, abstract | classes, user info |
/// | attribute types, optional or required | widths of integers, float or double |
/// | destination, inverse, to-many, ordered | delete rules, counts, default values, limits |
/// | which attribute is the primary key | how that is said |
/// | uniqueness constraints, indexes | transient properties, renaming identifiers |
extension ManagedObjectModel {
  /// 16 hexadecimal digits (FNV-1a, 64 bits) over the stored shape of the model.
  package var versionHash: String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in storedShape.utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The text under the version hash: a line for each entity, property, constraint and index.
  package var storedShape: String {
    let repeated = repeatedNames()
    let ordered = entities.sortedByText(\.name)
    return ordered.map { $0.storedShape(repeated: repeated) }.joined()
  }

  /// Names that an entity earlier in the same family (or the same entity) declares too; column
  /// names do not distinguish case.
  private func repeatedNames() -> Set<OwnProperty> {
    var result: Set<OwnProperty> = []
    for root in entities where root.superentity == nil {
      var seen: Set<String> = []
      for entity in root.familyEntities {
        for property in entity.ownProperties where property.isColumn {
          guard !seen.insert(property.name.lowercased()).inserted else { continue }
          result.insert(OwnProperty(entity: entity.index, name: property.name))
        }
      }
    }
    return result
  }
}

private struct OwnProperty: Hashable {
  let entity: Int
  let name: String
}

extension EntityDescription {
  /// Properties that the entity declares itself.
  package var ownProperties: ArraySlice<PropertyDescription> {
    record.properties.dropFirst(superentity?.record.properties.count ?? 0)
  }

  fileprivate func storedShape(repeated: Set<OwnProperty>) -> String {
    var lines = ["entity \(name)"]
    if let superentity { lines[0] += " : \(superentity.name)" }
    if isAbstract { lines[0] += " abstract" }
    if let primaryKey { lines[0] += " key \(primaryKey.name)" }
    for property in ownProperties.sortedByText(\.name) {
      guard var line = storedShape(of: property) else { continue }
      if repeated.contains(OwnProperty(entity: index, name: property.name)) { line += " again" }
      lines.append(line)
    }
    lines += uniquenessConstraints.map { " unique \($0.joined(separator: " "))" }.sorted()
    lines += indexes.map { index in
      let elements = index.elements.map { $0.property + ($0.ascending ? "" : " descending") }
      return " index \(index.name) \(elements.joined(separator: " "))"
    }.sorted()
    return lines.map { $0 + "\n" }.joined()
  }

  private func storedShape(of property: PropertyDescription) -> String? {
    switch property {
    case .attribute(let attribute):
      guard !attribute.isTransient else { return nil }
      return " attribute \(attribute.name) \(attribute.type.storedName)"
        + (attribute.isOptional ? "" : " required")
    case .relationship(let relationship):
      guard !relationship.isTransient else { return nil }
      var line = " relationship \(relationship.name)"
      if relationship.isToMany { line += " many" }
      if relationship.isOrdered { line += " ordered" }
      line += " to \(relationship.destinationName)"
      if let inverse = relationship.inverseName { line += " inverse \(inverse)" }
      if relationship.kind == .manyToMany, isFirstSide(of: relationship) { line += " first" }
      return relationship.isOptional ? line : line + " required"
    }
  }

  /// Whether this side of a many-to-many relationship is declared before the other.
  private func isFirstSide(of relationship: RelationshipDescription) -> Bool {
    guard let inverse = relationship.inverseSlot else { return true }
    return (index, relationship.slot) <= (relationship.destinationIndex, inverse)
  }
}

extension AttributeType {
  /// Types that are stored in the same way and convert into each other without loss share a name.
  fileprivate var storedName: String {
    switch self {
    case .integer16, .integer32, .integer64: "Integer"
    case .double, .float: "Double"
    default: rawValue
    }
  }
}
