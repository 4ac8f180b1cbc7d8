import SyncStack

/// A model as a graph for Graphviz: `syncstack model Demo.xcdatamodeld --diagram dot | dot -Tpdf`.
struct DotDiagram {
  let model: ManagedObjectModel

  var text: String {
    var lines = [
      "digraph Model {",
      "  graph [rankdir=LR, fontname=\"Helvetica\"];",
      "  node [shape=plain, fontname=\"Helvetica\", fontsize=11];",
      "  edge [fontname=\"Helvetica\", fontsize=9, dir=both];",
    ]
    for entity in model.entities {
      lines.append("  \(quoted(entity.name)) [label=<\(box(entity))>];")
    }
    for entity in model.entities {
      guard let superentity = entity.superentity else { continue }
      lines.append(
        "  \(quoted(entity.name)) -> \(quoted(superentity.name)) "
          + "[arrowhead=empty, arrowtail=none];")
    }
    for connection in ModelConnection.all(in: model) {
      let source = quoted(model.entities[connection.source].name)
      let destination = quoted(model.entities[connection.destination].name)
      let head = connection.isToMany ? "crow" : "tee"
      let tail =
        connection.inverseName == nil ? "none" : connection.isInverseToMany ? "crow" : "tee"
      lines.append(
        "  \(source) -> \(destination) "
          + "[label=\(quoted(connection.label)), arrowhead=\(head), arrowtail=\(tail)];")
    }
    lines.append("}")
    return lines.joined(separator: "\n") + "\n"
  }

  private func box(_ entity: EntityDescription) -> String {
    var rows = "<tr><td bgcolor=\"#e8eef7\"><b>\(Markup.escaped(entity.name))</b></td></tr>"
    for attribute in entity.ownAttributes {
      let name = Markup.escaped(attribute.name)
      let shown = attribute.name == entity.primaryKey?.name ? "<u>\(name)</u>" : name
      rows += "<tr><td align=\"left\">\(shown): \(attribute.type.rawValue)</td></tr>"
    }
    return
      "<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\">\(rows)</table>"
  }

  private func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}

/// Text inside markup.
enum Markup {
  /// The text with the characters that mean something in markup written as references.
  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("\t", with: "&#9;").replacing("\n", with: "&#10;")
      .replacing("\r", with: "&#13;")
  }
}
