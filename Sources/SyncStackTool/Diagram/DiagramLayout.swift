/// Places boxes in columns and the ends of lines at the boxes: neighbours in neighbouring columns, each
/// box near to what it is connected with, and every line with a place of its own at both ends.
struct DiagramLayout: Sendable {
  struct Box: Sendable {
    var x = 0.0
    var y = 0.0
    var width = 0.0
    var height = 0.0

    var middle: Double { y + height / 2 }
  }

  /// Where a line meets a box.
  struct Port: Sendable {
    var x = 0.0
    var y = 0.0
    /// Whether it leaves the box to the right.
    let isRight: Bool
  }

  static let lineHeight = 18.0
  static let headHeight = 24.0
  private static let portGap = 20.0
  private static let columnGap = 210.0
  private static let rowGap = 32.0
  private static let margin = 24.0

  private(set) var boxes: [Box]
  private(set) var width = 0.0
  private(set) var height = 0.0

  /// Both ends of each line.
  private(set) var ports: [(source: Port, destination: Port)] = []
  private var columns: [Int]

  /// - Parameters:
  ///   - sizes: Lines of text in each box, and characters in the longest.
  ///   - links: Pairs of boxes that a line connects.
  init(sizes: [(lines: Int, characters: Int)], links: [(source: Int, destination: Int)]) {
    boxes = sizes.map { size in
      Box(
        width: max(110, Double(size.characters) * 7.2 + 24),
        height: Double(size.lines - 1) * DiagramLayout.lineHeight + DiagramLayout.headHeight + 8)
    }
    var neighbours = [[Int]](repeating: [], count: sizes.count)
    for link in links where link.source != link.destination {
      neighbours[link.source].append(link.destination)
      neighbours[link.destination].append(link.source)
    }
    columns = DiagramLayout.columns(neighbours)
    ports = links.map { link in
      let (from, to) = (columns[link.source], columns[link.destination])
      return (Port(isRight: from <= to), Port(isRight: from >= to))
    }
    makeRoom(for: links)
    place(neighbours)
    placePorts(of: links)
  }

  /// The distance of each box from the best connected one of its group.
  private static func columns(_ neighbours: [[Int]]) -> [Int] {
    var columns = [Int](repeating: -1, count: neighbours.count)
    let starts = neighbours.indices.sorted {
      (-neighbours[$0].count, $0) < (-neighbours[$1].count, $1)
    }
    for start in starts where columns[start] < 0 {
      columns[start] = 0
      var queue = [start]
      var next = 0
      while next < queue.count {
        for neighbour in neighbours[queue[next]] where columns[neighbour] < 0 {
          columns[neighbour] = columns[queue[next]] + 1
          queue.append(neighbour)
        }
        next += 1
      }
    }
    return columns
  }

  // MARK: - Boxes

  /// Makes boxes as high as the ends at their fuller side need.
  private mutating func makeRoom(for links: [(source: Int, destination: Int)]) {
    for box in boxes.indices {
      let most = [true, false].map { ends(at: box, right: $0, of: links).count }.max() ?? 0
      boxes[box].height = max(
        boxes[box].height, DiagramLayout.headHeight + Double(most) * DiagramLayout.portGap + 6)
    }
  }

  private mutating func place(_ neighbours: [[Int]]) {
    var x = DiagramLayout.margin
    var placed = [Double?](repeating: nil, count: boxes.count)
    for column in 0...(columns.max() ?? 0) {
      let members = columns.indices.filter { columns[$0] == column }
      let ranked = members.map { member -> (index: Int, height: Double) in
        let known = neighbours[member].compactMap { placed[$0] }
        let mean = known.isEmpty ? 0 : known.reduce(0, +) / Double(known.count)
        return (member, mean)
      }.sorted { ($0.height, $0.index) < ($1.height, $1.index) }
      var y = DiagramLayout.margin
      for (member, _) in ranked {
        boxes[member].x = x
        boxes[member].y = y
        placed[member] = boxes[member].middle
        y += boxes[member].height + DiagramLayout.rowGap
      }
      height = max(height, y - DiagramLayout.rowGap + DiagramLayout.margin)
      let widest = members.map { boxes[$0].width }.max() ?? 0
      width = x + widest + DiagramLayout.margin
      x += widest + DiagramLayout.columnGap
    }
    centreColumns()
  }

  /// Moves each column to the middle of the height.
  private mutating func centreColumns() {
    for column in Set(columns) {
      let members = columns.indices.filter { columns[$0] == column }
      let bottom = members.map { boxes[$0].y + boxes[$0].height }.max() ?? 0
      let shift = (height - DiagramLayout.margin - bottom) / 2
      for member in members { boxes[member].y += shift }
    }
  }

  // MARK: - Ends of lines

  /// The ends at one side of a box, as number of the line and whether it is the line's source.
  private func ends(
    at box: Int, right: Bool, of links: [(source: Int, destination: Int)]
  ) -> [(line: Int, isSource: Bool)] {
    var result: [(line: Int, isSource: Bool)] = []
    for (line, link) in links.enumerated() {
      if link.source == box, ports[line].source.isRight == right { result.append((line, true)) }
      if link.destination == box, ports[line].destination.isRight == right {
        result.append((line, false))
      }
    }
    return result
  }

  /// Spreads the ends at each side of each box, ordered by where their lines lead.
  private mutating func placePorts(of links: [(source: Int, destination: Int)]) {
    for box in boxes.indices {
      for right in [true, false] {
        let ranked = ends(at: box, right: right, of: links).map { end in
          let other = end.isSource ? links[end.line].destination : links[end.line].source
          let isLevel = columns[other] == columns[box]
          return (end: end, target: isLevel ? .infinity : boxes[other].middle)
        }.sorted { ($0.target, $0.end.line) < ($1.target, $1.end.line) }
        let x = boxes[box].x + (right ? boxes[box].width : 0)
        let room = boxes[box].height - DiagramLayout.headHeight - 6
        for (rank, item) in ranked.enumerated() {
          let y =
            boxes[box].y + DiagramLayout.headHeight
            + room * (Double(rank) + 0.5) / Double(ranked.count)
          if item.end.isSource {
            (ports[item.end.line].source.x, ports[item.end.line].source.y) = (x, y)
          } else {
            (ports[item.end.line].destination.x, ports[item.end.line].destination.y) = (x, y)
          }
        }
        if right, ranked.contains(where: { $0.target == .infinity }) {
          width = max(width, x + 140)
        }
      }
    }
  }
}
