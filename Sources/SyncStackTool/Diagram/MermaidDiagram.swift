import SyncStack

/// A model as a class diagram for Mermaid, which many sites draw from text.
struct MermaidDiagram {
  let model: ManagedObjectModel

  var text: String {
    var lines = ["classDiagram"]
    for entity in model.entities {
      lines.append("  class \(entity.name) {")
      if entity.isAbstract { lines.append("    <<abstract>>") }
      for attribute in entity.ownAttributes {
        let mark = attribute.name == entity.primaryKey?.name ? "+" : ""
        let optional = attribute.isOptional ? "?" : ""
        lines.append("    \(mark)\(attribute.type)\(optional) \(attribute.name)")
      }
      lines.append("  }")
    }
    for entity in model.entities {
      if let superentity = entity.superentity {
        lines.append("  \(superentity.name) <|-- \(entity.name)")
      }
    }
    for connection in ModelConnection.all(in: model) {
      let source = model.entities[connection.source].name
      let destination = model.entities[connection.destination].name
      let near =
        connection.inverseName == nil ? "" : connection.isInverseToMany ? " \"*\"" : " \"0..1\""
      let far = connection.isToMany ? "*" : "0..1"
      lines.append("  \(source)\(near) --> \"\(far)\" \(destination) : \(connection.label)")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
