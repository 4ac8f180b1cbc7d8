import SyncStack

/// A draft as a model document, with doubts as comments.
struct DraftDocument {
  let draft: ModelDraft

  var text: String {
    var lines = [#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#]
    lines += draft.notes.map { comment($0) }
    lines.append(
      #"<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" "#
        + #"minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">"#
    )
    for entity in draft.entities { lines += self.lines(of: entity) }
    lines.append("</model>")
    return lines.joined(separator: "\n") + "\n"
  }

  private func lines(of entity: ModelDraft.Entity) -> [String] {
    var lines = [#"    <entity name="\#(entity.name)" syncable="YES">"#]
    lines += entity.notes.map { "        " + comment($0) }
    for attribute in entity.attributes { lines += self.lines(of: attribute) }
    for relationship in entity.relationships { lines += self.lines(of: relationship) }
    if !entity.userInfo.isEmpty {
      lines += ["        <userInfo>"] + entity.userInfo.map { "            " + entry($0) }
      lines.append("        </userInfo>")
    }
    return lines + ["    </entity>"]
  }

  private func lines(of attribute: ModelDraft.Attribute) -> [String] {
    var info: [(String, String)] = []
    if attribute.isKey, attribute.name != "id" { info.append(("sync.isPrimaryKey", "YES")) }
    if let key = attribute.remoteKey { info.append(("sync.remoteKey", key)) }
    info += attribute.userInfo
    let optional = attribute.isOptional ? #" optional="YES""# : ""
    return element(
      #"attribute name="\#(attribute.name)"\#(optional) attributeType="\#(attribute.type.rawValue)""#,
      named: "attribute", info, note: attribute.note)
  }

  private func lines(of relationship: ModelDraft.Relationship) -> [String] {
    var info: [(String, String)] = []
    if let key = relationship.remoteKey { info.append(("sync.remoteKey", key)) }
    info += relationship.userInfo
    let order = relationship.isOrdered ? #" ordered="YES""# : ""
    let count = relationship.isToMany ? #"toMany="YES"\#(order)"# : #"maxCount="1""#
    let rule = relationship.deleteRule == .cascade ? "Cascade" : "Nullify"
    let inverse = relationship.inverse.map {
      #" inverseName="\#($0)" inverseEntity="\#(relationship.destination)""#
    }
    return element(
      #"relationship name="\#(relationship.name)" optional="YES" \#(count) deletionRule="\#(rule)" "#
        + #"destinationEntity="\#(relationship.destination)"\#(inverse ?? "")"#,
      named: "relationship", info, note: relationship.note)
  }

  private func element(
    _ start: String, named name: String, _ info: [(String, String)], note: String?
  ) -> [String] {
    var lines = note.map { ["        " + comment($0)] } ?? []
    guard !info.isEmpty else { return lines + ["        <\(start)/>"] }
    lines += ["        <\(start)>", "            <userInfo>"]
    lines += info.map { "                " + entry($0) }
    return lines + ["            </userInfo>", "        </\(name)>"]
  }

  private func entry(_ info: (key: String, value: String)) -> String {
    #"<entry key="\#(info.key)" value="\#(Markup.escaped(info.value))"/>"#
  }

  /// Two hyphens would end a comment.
  private func comment(_ text: String) -> String {
    "<!-- \(text.replacing("--", with: "- -")) -->"
  }
}
