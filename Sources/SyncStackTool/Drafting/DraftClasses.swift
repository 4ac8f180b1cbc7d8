import SyncStack

/// A draft as classes, with doubts as comments.
struct DraftClasses {
  let draft: ModelDraft

  var text: String {
    var lines = draft.notes.map { "// \($0)" }
    lines += ["import Foundation", "import SyncStack"]
    for entity in draft.entities { lines += [""] + self.lines(of: entity) }
    let names = draft.entities.map { "\($0.name).self" }.joined(separator: ", ")
    lines += ["", "// let model = try ManagedObjectModel(\(names))"]
    return lines.joined(separator: "\n") + "\n"
  }

  private func lines(of entity: ModelDraft.Entity) -> [String] {
    var lines = entity.notes.map { "// \($0)" }
    lines.append("final class \(entity.name): ManagedObject {")
    if !entity.userInfo.isEmpty {
      lines.append(
        "  override class var entityUserInfo: [String: String] { [\(list(entity.userInfo))] }")
    }
    for attribute in entity.attributes {
      if let note = attribute.note { lines.append("  // \(attribute.name): \(note)") }
      lines.append("  " + declaration(of: attribute))
    }
    for relationship in entity.relationships {
      if let note = relationship.note { lines.append("  // \(relationship.name): \(note)") }
      lines.append("  " + declaration(of: relationship))
    }
    return lines + ["}"]
  }

  private func declaration(of attribute: ModelDraft.Attribute) -> String {
    let wrapper = attribute.isKey ? "@PrimaryKey" : "@Attribute"
    var list = attribute.remoteKey.map { ["remoteKey: \(literal($0))"] } ?? []
    if !attribute.userInfo.isEmpty { list.append("userInfo: [\(self.list(attribute.userInfo))]") }
    let options = list.isEmpty ? "" : "(\(list.joined(separator: ", ")))"
    let type = attribute.className ?? DraftClasses.typeName(attribute.type)
    return "\(wrapper)\(options) var \(attribute.name): \(type)\(attribute.isOptional ? "?" : "")"
  }

  private func declaration(of relationship: ModelDraft.Relationship) -> String {
    var options: [String] = []
    if let inverse = relationship.inverse { options.append("inverse: \(literal(inverse))") }
    if relationship.deleteRule == .cascade { options.append("deleteRule: .cascade") }
    if let key = relationship.remoteKey { options.append("remoteKey: \(literal(key))") }
    if relationship.keyScopeIsOwner { options.append("keyScope: .owner") }
    if relationship.isClearedWhenMissing {
      options.append("userInfo: [\(self.list([("sync.whenMissing", "clear")]))]")
    }
    let list = options.isEmpty ? "" : "(\(options.joined(separator: ", ")))"
    if relationship.isOrdered {
      return "@OrderedToMany\(list) var \(relationship.name): [\(relationship.destination)]"
    }
    return relationship.isToMany
      ? "@ToMany\(list) var \(relationship.name): Set<\(relationship.destination)>"
      : "@ToOne\(list) var \(relationship.name): \(relationship.destination)?"
  }

  private func list(_ info: [(String, String)]) -> String {
    info.map { "\(literal($0)): \(literal($1))" }.joined(separator: ", ")
  }

  private func literal(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case _ where scalar.value < 0x20: "\\u{\(String(scalar.value, radix: 16))}"
      default: String(scalar)
      }
    }
    return "\"\(escaped.joined())\""
  }

  private static func typeName(_ type: AttributeType) -> String {
    switch type {
    case .integer16, .integer32, .integer64: "Int64"
    case .decimal: "Decimal"
    case .double, .float: "Double"
    case .string: "String"
    case .boolean: "Bool"
    case .date: "Date"
    case .binary, .transformable: "Data"
    case .uuid: "UUID"
    case .uri: "URL"
    }
  }
}
