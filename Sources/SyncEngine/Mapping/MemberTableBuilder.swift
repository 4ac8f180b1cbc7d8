import SyncCore

/// A name that counts in any spelling, and what it fills.
struct SpelledName {
  let name: String
  var targets: [MemberTarget]
}

/// Collects what keys mean, as a tree of steps, and freezes it into a table.
struct MemberTableBuilder {
  private struct Node {
    var key: String
    var targets: [MemberTarget] = []
    var children = MemberTableBuilder()
  }

  private var nodes: [Node] = []
  /// What the elements of an array mean, by their positions.
  private var positions: [Node] = []
  private var itself: [MemberTarget] = []

  /// Says that the value at a place fills a rule.
  mutating func add(_ target: MemberTarget, at key: RemoteKey) {
    add(target, at: JSONPath(key.steps.map { .key($0) }))
  }

  /// Whether a key means something.
  func contains(_ key: String) -> Bool {
    nodes.contains { $0.key.utf8.elementsEqual(key.utf8) }
  }

  /// Says that somebody asks for the value at a place, though it may fill nothing.
  mutating func know(_ path: JSONPath) {
    var steps = path.steps[...]
    guard let key = steps.popFirst()?.key else { return }
    let index = MemberTableBuilder.index(of: key, in: &nodes)
    nodes[index].children.know(JSONPath(Array(steps)))
  }

  /// Says that the value at a place fills a rule. A step that is a key of digits means a member of
  /// an object and an element of an array alike.
  mutating func add(_ target: MemberTarget, at path: JSONPath) {
    add(target, at: path.steps[...])
  }

  private mutating func add(_ target: MemberTarget, at steps: ArraySlice<JSONPath.Step>) {
    guard let step = steps.first else {
      itself.append(target)
      return
    }
    if case .key(let key) = step {
      MemberTableBuilder.add(target, under: key, steps.dropFirst(), to: &nodes)
    }
    if let position = step.position {
      MemberTableBuilder.add(target, under: String(position), steps.dropFirst(), to: &positions)
    }
  }

  private static func add(
    _ target: MemberTarget, under key: String, _ rest: ArraySlice<JSONPath.Step>,
    to nodes: inout [Node]
  ) {
    let index = index(of: key, in: &nodes)
    if rest.isEmpty {
      nodes[index].targets.append(target)
    } else {
      nodes[index].children.add(target, at: rest)
    }
  }

  private static func index(of key: String, in nodes: inout [Node]) -> Int {
    // Compared byte by byte, as the payload is: Swift's own equality of text is canonical.
    if let known = nodes.firstIndex(where: { $0.key.utf8.elementsEqual(key.utf8) }) { return known }
    nodes.append(Node(key: key))
    return nodes.count - 1
  }

  /// The table of everything said so far, with other spellings of some names understood too, each
  /// with what it fills. They come after every spelling that was added.
  func table(of names: [SpelledName] = []) -> MemberTable {
    let entries = MemberTableBuilder.entries(nodes)
    let others = names.map { MemberEntry(key: $0.name, targets: $0.targets) }
    return MemberTable(
      entries: entries + others, itself: itself,
      aliases: names.isEmpty ? nil : MemberAliases(names.map(\.name), firstEntry: entries.count),
      positions: positions.isEmpty
        ? nil : MemberTable.Positions(MemberTable(entries: MemberTableBuilder.entries(positions))))
  }

  private static func entries(_ nodes: [Node]) -> [MemberEntry] {
    nodes.map { node in
      let hasChildren = !node.children.nodes.isEmpty || !node.children.positions.isEmpty
      return MemberEntry(
        key: node.key, targets: node.targets, child: hasChildren ? node.children.table() : nil)
    }
  }
}
