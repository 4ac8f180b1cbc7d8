import SyncStack

/// Places the entities of a model in columns: neighbours in neighbouring columns, and in each column
/// near to what they are connected with.
struct DiagramLayout {
  struct Box: Sendable {
    var x = 0.0
    var y = 0.0
    var width = 0.0
    var height = 0.0
  }

  static let lineHeight = 18.0
  static let columnGap = 150.0
  static let rowGap = 32.0
  static let margin = 24.0

  /// A box per entity, by index in the model.
  private(set) var boxes: [Box]
  private(set) var width = 0.0
  private(set) var height = 0.0

  /// Column of each entity, by index in the model.
  private(set) var columns: [Int]

  /// - Parameters:
  ///   - sizes: Lines of text in each box, and characters in the longest.
  ///   - links: Pairs of entities that are connected.
  init(sizes: [(lines: Int, characters: Int)], links: [(Int, Int)]) {
    boxes = sizes.map { size in
      Box(
        width: max(110, Double(size.characters) * 7.2 + 24),
        height: Double(size.lines) * DiagramLayout.lineHeight + 14)
    }
    columns = []
    var neighbours = [[Int]](repeating: [], count: sizes.count)
    for (left, right) in links where left != right {
      neighbours[left].append(right)
      neighbours[right].append(left)
    }
    columns = DiagramLayout.columns(neighbours)
    place(neighbours)
  }

  /// The distance of each entity from the best connected one of its group.
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

  private mutating func place(_ neighbours: [[Int]]) {
    var x = DiagramLayout.margin
    var placed = [Double?](repeating: nil, count: boxes.count)
    for column in 0...(columns.max() ?? 0) {
      let members = columns.indices.filter { columns[$0] == column }
      let ranked = members.map { member -> (index: Int, height: Double) in
        let known = neighbours[member].compactMap { placed[$0] }
        let mean = known.isEmpty ? Double(member) : known.reduce(0, +) / Double(known.count)
        return (member, mean)
      }.sorted { ($0.height, $0.index) < ($1.height, $1.index) }
      var y = DiagramLayout.margin
      for (member, _) in ranked {
        boxes[member].x = x
        boxes[member].y = y
        placed[member] = y + boxes[member].height / 2
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
}
