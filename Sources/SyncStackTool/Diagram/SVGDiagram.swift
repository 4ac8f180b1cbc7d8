import SyncStack

/// A model as a picture: a box per entity with its attributes, a line per relationship.
struct SVGDiagram {
  private let model: ManagedObjectModel
  private let connections: [ModelConnection]
  private let layout: DiagramLayout

  init(model: ManagedObjectModel) {
    self.model = model
    connections = ModelConnection.all(in: model)
    var links = connections.map { ($0.source, $0.destination) }
    for entity in model.entities {
      if let superentity = entity.superentity { links.append((superentity.index, entity.index)) }
    }
    let sizes = model.entities.map { entity in
      let lines = SVGDiagram.lines(of: entity)
      return (lines.count, lines.map { TextWidth.of($0) }.max() ?? 0)
    }
    layout = DiagramLayout(sizes: sizes, links: links)
  }

  var text: String {
    let size = "width=\"\(number(layout.width))\" height=\"\(number(layout.height))\""
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) font-family=\"Helvetica, Arial, sans-serif\" "
        + "font-size=\"12\">",
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
    ]
    var used: [Int: Int] = [:]
    for entity in model.entities {
      guard let superentity = entity.superentity else { continue }
      lines += line(from: entity.index, to: superentity.index, Ends("", "▷"), "", &used)
    }
    for connection in connections {
      let near =
        connection.inverseName == nil ? "" : connection.isInverseToMany ? "∗" : "1"
      let ends = Ends(near, connection.isToMany ? "∗" : "1")
      lines += line(
        from: connection.source, to: connection.destination, ends, connection.label, &used)
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
    let texts = SVGDiagram.lines(of: entity)
    let head = DiagramLayout.lineHeight + 6
    let frame =
      "x=\"\(number(box.x))\" y=\"\(number(box.y))\" width=\"\(number(box.width))\" rx=\"4\""
    var lines = [
      "<rect \(frame) height=\"\(number(box.height))\" fill=\"white\" stroke=\"#5b7083\"/>",
      "<rect \(frame) height=\"\(number(head))\" fill=\"#e8eef7\" stroke=\"#5b7083\"/>",
    ]
    for (index, text) in texts.enumerated() {
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

  /// What is written at the ends of a line.
  private struct Ends {
    let source: String
    let destination: String

    init(_ source: String, _ destination: String) {
      self.source = source
      self.destination = destination
    }
  }

  /// A curve between two boxes; several at one box leave it at different heights.
  private func line(
    from source: Int, to destination: Int, _ ends: Ends, _ label: String, _ used: inout [Int: Int]
  ) -> [String] {
    let isForward = layout.columns[source] < layout.columns[destination]
    let isLevel = layout.columns[source] == layout.columns[destination]
    let (x1, y1) = port(of: source, right: isForward || isLevel, &used)
    let (x2, y2) = port(of: destination, right: !isForward, &used)
    let reach = isLevel ? 60.0 : max(40, abs(x2 - x1) / 2)
    let bend1 = isForward || isLevel ? reach : -reach
    let bend2 = isForward ? -reach : reach
    let points = [(x1, y1), (x1 + bend1, y1), (x2 + bend2, y2), (x2, y2)]
      .map { "\(number($0.0)) \(number($0.1))" }
    let middle = (
      x: (x1 + 3 * (x1 + bend1) + 3 * (x2 + bend2) + x2) / 8, y: (y1 + y2) / 2
    )
    let anchor = isLevel ? "start" : "middle"
    var lines = [
      "<path d=\"M \(points[0]) C \(points[1]), \(points[2]), \(points[3])\" fill=\"none\" "
        + "stroke=\"#5b7083\"/>",
      mark(ends.source, x1 + (bend1 > 0 ? 6 : -6), y1 - 4, bend1 > 0 ? "start" : "end"),
      mark(ends.destination, x2 + (bend2 > 0 ? 6 : -6), y2 - 4, bend2 > 0 ? "start" : "end"),
    ]
    lines.append(mark(label, middle.x, middle.y - 5, anchor))
    return lines.filter { !$0.isEmpty }
  }

  private func port(
    of entity: Int, right: Bool, _ used: inout [Int: Int]
  ) -> (x: Double, y: Double) {
    let box = layout.boxes[entity]
    let side = entity * 2 + (right ? 1 : 0)
    let number = used[side, default: 0]
    used[side] = number + 1
    let step = 22.0
    let y =
      box.y + 14
      + (Double(number) * step).truncatingRemainder(dividingBy: max(step, box.height - 20))
    return (right ? box.x + box.width : box.x, y)
  }

  private func mark(_ text: String, _ x: Double, _ y: Double, _ anchor: String) -> String {
    guard !text.isEmpty else { return "" }
    return "<text x=\"\(number(x))\" y=\"\(number(y))\" font-size=\"10\" fill=\"#33475b\" "
      + "text-anchor=\"\(anchor)\">\(Markup.escaped(text))</text>"
  }

  private func number(_ value: Double) -> String {
    NumberText.fixed(max(0, value), digits: 1)
  }
}
