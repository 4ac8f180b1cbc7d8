extension MappingDescription: CustomStringConvertible {
  /// The mapping as text: one line per property, entities parted by empty lines, remarks at the end.
  public var description: String {
    var parts = entities.map(\.description)
    if !remarks.isEmpty {
      parts.append(
        (["Remarks"] + remarks.map { "  \($0.description)" }).joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n")
  }
}

extension MappingDescription.Entity: CustomStringConvertible {
  public var description: String {
    let keyWidth = fields.map(\.key.count).max() ?? 0
    let nameWidth = fields.map(\.property.count).max() ?? 0
    let lines = fields.map { field in
      "  \(padded(field.key, keyWidth))  → \(padded(field.property, nameWidth))  \(field.details)"
    }
    let title = identity.isEmpty ? "\(name) (no primary key)" : name
    return ([title] + lines).joined(separator: "\n")
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension MappingDescription.Field {
  /// Type and everything unusual, parted by commas.
  fileprivate var details: String {
    var details = [kind == .toMany ? "list of \(type)" : type]
    if isIdentity { details.append("primary key") }
    if isRequired { details.append("required") }
    if let transformer { details.append("through \(transformer)") }
    if !isExportable { details.append("not exported") }
    if !otherKeys.isEmpty { details.append("also \(otherKeys.joined(separator: ", "))") }
    if referenceKeys == [key] {
      details.append("objects or identifiers")
    } else if !referenceKeys.isEmpty {
      details.append("identifiers under \(referenceKeys.joined(separator: ", "))")
    }
    return details.joined(separator: ", ")
  }
}
