import SyncCore

/// Collects what keys mean, as a tree of steps, and freezes it into a table.
package struct MemberTableBuilder {
  private struct Node {
    var key: String
    var targets: [MemberTarget] = []
    var children = MemberTableBuilder()
  }

  private var nodes: [Node] = []
  private var itself: [MemberTarget] = []

  package init() {}

  /// Says that the value at a place fills a rule.
  package mutating func add(_ target: MemberTarget, at key: RemoteKey) {
    add(target, at: key.steps[...])
  }

  /// Whether a key means something.
  func contains(_ key: String) -> Bool {
    nodes.contains { $0.key.utf8.elementsEqual(key.utf8) }
  }

  private mutating func add(_ target: MemberTarget, at steps: ArraySlice<String>) {
    guard let step = steps.first else {
      itself.append(target)
      return
    }
    // Compared byte by byte, as the payload is: Swift's own equality of text is canonical.
    let index =
      nodes.firstIndex { $0.key.utf8.elementsEqual(step.utf8) }
      ?? {
        nodes.append(Node(key: step))
        return nodes.count - 1
      }()
    if steps.count == 1 {
      nodes[index].targets.append(target)
    } else {
      nodes[index].children.add(target, at: steps.dropFirst())
    }
  }

  /// The table of everything said so far.
  package func table() -> MemberTable { table(aliases: nil) }

  /// The table, with other spellings of the names of attributes, which are in the order of their
  /// rules, understood too. They come after every spelling that was added.
  func table(aliases: MemberAliases?, of names: [String] = []) -> MemberTable {
    let entries = nodes.map { node in
      MemberEntry(
        key: node.key, targets: node.targets,
        child: node.children.nodes.isEmpty ? nil : node.children.table())
    }
    guard var aliases, !names.isEmpty else {
      return MemberTable(entries: entries, itself: itself)
    }
    let others = names.enumerated().map { rule, name in
      MemberEntry(
        key: name, targets: [MemberTarget(.attribute, rule: rule, precedence: .max)])
    }
    aliases.firstEntry = entries.count
    return MemberTable(entries: entries + others, itself: itself, aliases: aliases)
  }
}
