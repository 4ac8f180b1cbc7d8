import SyncStack

/// A model as a picture: a box per entity with its attributes, a line per relationship with the name
/// of each side where it starts.
struct SVGDiagram {
  private let model: ManagedObjectModel
  private let connections: [ModelConnection]
  private let subentities: [EntityDescription]
  private let layout: DiagramLayout

  init(model: ManagedObjectModel) {
    self.model = model
    connections = ModelConnection.all(in: model)
    subentities = model.entities.filter { $0.superentity != nil }
    let sizes = model.entities.map { entity in
      let lines = SVGDiagram.lines(of: entity)
      return (lines.count, lines.map { TextWidth.of($0) }.max() ?? 0)
    }
    layout = DiagramLayout(
      sizes: sizes,
      links: connections.map { ($0.source, $0.destination) }
        + subentities.map { ($0.index, $0.superentity?.index ?? $0.index) })
  }

  var text: String {
    let size = "width=\"\(number(layout.width))\" height=\"\(number(layout.height))\""
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) "
        + "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">",
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
    ]
    for (connection, ports) in zip(connections, layout.ports) {
      lines.append(curve(ports.source, ports.destination))
      lines.append(mark(connection.name, many: connection.isToMany, at: ports.source))
      if let name = connection.inverseName {
        lines.append(mark(name, many: connection.isInverseToMany, at: ports.destination))
      }
    }
    for ports in layout.ports.dropFirst(connections.count) {
      lines.append(curve(ports.source, ports.destination, dashed: true))
      lines.append(text("is a", at: ports.source))
    }
    for entity in model.entities { lines += box(entity) }
    return lines.joined(separator: "\n") + "\n</svg>\n"
  }

  // MARK: - Boxes

  private static func lines(of entity: EntityDescription) -> [String] {
    [entity.name] + entity.ownAttributes.map { "\($0.name): \($0.type.rawValue)" }
  }

  private func box(_ entity: EntityDescription) -> [String] {
    let box = layout.boxes[entity.index]
    let frame =
      "x=\"\(number(box.x))\" y=\"\(number(box.y))\" width=\"\(number(box.width))\" rx=\"4\" "
      + "stroke=\"#5b7083\""
    var lines = [
      "<rect \(frame) height=\"\(number(box.height))\" fill=\"white\"/>",
      "<rect \(frame) height=\"\(number(DiagramLayout.headHeight))\" fill=\"#e8eef7\"/>",
    ]
    for (index, text) in SVGDiagram.lines(of: entity).enumerated() {
      let y = box.y + Double(index + 1) * DiagramLayout.lineHeight + (index == 0 ? -2 : 4)
      let isKey = index > 0 && entity.ownAttributes[index - 1].name == entity.primaryKey?.name
      let style =
        index == 0 ? " font-weight=\"bold\"" : isKey ? " text-decoration=\"underline\"" : ""
      lines.append(
        "<text x=\"\(number(box.x + 10))\" y=\"\(number(y))\"\(style)>"
          + "\(Markup.escaped(text))</text>")
    }
    return lines
  }

  // MARK: - Lines

  private func curve(
    _ source: DiagramLayout.Port, _ destination: DiagramLayout.Port, dashed: Bool = false
  ) -> String {
    let isLevel = source.isRight == destination.isRight
    let reach = isLevel ? 110.0 : max(60, abs(destination.x - source.x) / 2)
    let points = [
      (source.x, source.y), (source.x + (source.isRight ? reach : -reach), source.y),
      (destination.x + (destination.isRight ? reach : -reach), destination.y),
      (destination.x, destination.y),
    ].map { "\(number($0.0)) \(number($0.1))" }
    let style = dashed ? " stroke-dasharray=\"4 3\"" : ""
    return "<path d=\"M \(points[0]) C \(points[1]), \(points[2]), \(points[3])\" fill=\"none\" "
      + "stroke=\"#5b7083\"\(style)/>"
  }

  /// The name of a relationship where its line leaves the box, with a star when it leads to many.
  private func mark(_ name: String, many: Bool, at port: DiagramLayout.Port) -> String {
    text(many ? "\(name) ∗" : name, at: port)
  }

  private func text(_ text: String, at port: DiagramLayout.Port) -> String {
    let x = port.x + (port.isRight ? 6 : -6)
    let anchor = port.isRight ? "start" : "end"
    return "<text x=\"\(number(x))\" y=\"\(number(port.y - 4))\" font-size=\"10\" "
      + "fill=\"#33475b\" text-anchor=\"\(anchor)\">\(Markup.escaped(text))</text>"
  }

  private func number(_ value: Double) -> String {
    Figures.fixed(max(0, value), digits: 1)
  }
}
