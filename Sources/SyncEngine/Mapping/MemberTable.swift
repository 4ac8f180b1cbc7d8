import SyncCore

/// The targets of the keys of a JSON object: from the bytes of a key to the rules it fills.
///
/// Found by open addressing over the bytes; ``StagingTable`` guesses most of them.
package struct MemberTable: Sendable {
  /// One entry per key; then, for attributes with a natural name, one for all other spellings of
  /// it.
  package let entries: [MemberEntry]

  /// The targets of the item itself, of any kind: rules with an empty path.
  package let itself: [MemberTarget]

  /// The targets of the elements of an array; nil when they have none.
  package let positions: Positions?
  let index: MemberIndex
  private let aliases: MemberAliases?

  init(
    entries: [MemberEntry], itself: [MemberTarget] = [], aliases: MemberAliases? = nil,
    positions: Positions? = nil
  ) {
    self.entries = entries
    self.itself = itself
    self.positions = positions
    self.aliases = aliases
    let spelled = aliases.map { entries.prefix($0.firstEntry) } ?? entries[...]
    index = MemberIndex(keys: spelled.map { Array($0.key.utf8) })
  }

  /// Finds the entry of a key, or -1 when the key means nothing.
  ///
  /// - Parameter key: The bytes of the key, without escapes.
  /// - Complexity: O(length of the key).
  func find(_ key: UnsafeRawBufferPointer) -> Int {
    let found = index.find(key)
    return found < 0 ? aliases?.find(key) ?? -1 : found
  }

  /// Finds the entry of a key, or -1. For occasional use.
  package func find(_ key: String) -> Int {
    var key = key
    return key.withUTF8 { find(UnsafeRawBufferPointer($0)) }
  }
}

extension MemberTable {
  /// A table whose keys are positions.
  package final class Positions: Sendable {
    package let table: MemberTable

    init(_ table: MemberTable) { self.table = table }
  }
}

/// One key that means something.
package struct MemberEntry: Sendable {
  package let key: String
  package let targets: [MemberTarget]

  /// The targets of the members of the value when it is an object, or of its elements when it is an
  /// array (their positions `0`, `1`… are the keys): further steps of dotted keys.
  package let child: MemberTable?

  /// Attribute targets below that a null here clears: all, but those of a rule for which null on
  /// the way is as good as missing.
  package let descendants: [MemberTarget]

  package init(key: String, targets: [MemberTarget], child: MemberTable? = nil) {
    self.key = key
    self.targets = targets
    self.child = child
    descendants =
      child.map { table in
        table.entries.flatMap { entry in
          entry.targets.filter { $0.kind == .attribute && !$0.isOfRule } + entry.descendants
        }
      } ?? []
  }
}

/// A rule that a key fills.
package struct MemberTarget: Sendable, Hashable {
  package enum Kind: UInt8, Sendable, BitwiseCopyable {
    case attribute
    /// A relationship given by identifiers.
    case references
    /// A relationship given by nested objects.
    case objects
    /// A relationship under its custom key: the shape of the value decides.
    case either
  }

  package let kind: Kind

  /// Index in the node's attributes or relationships.
  package let rule: Int

  /// When several keys of one object fill one rule, the lowest wins; at equal precedence the later
  /// key, as for a repeated one. 0 is the custom key, then the default key, then the property's own
  /// name, then last resorts.
  package let precedence: UInt8

  /// Whether it comes from a written rule, not from a convention.
  package let isOfRule: Bool

  package init(_ kind: Kind, rule: Int, precedence: UInt8, isOfRule: Bool = false) {
    self.kind = kind
    self.rule = rule
    self.precedence = precedence
    self.isOfRule = isOfRule
  }
}

/// A name that counts in any spelling, and its targets.
struct SpelledName {
  let name: String
  var targets: [MemberTarget]
}

/// Collects the targets of keys, as a tree of steps, and freezes it into a table.
struct MemberTableBuilder {
  private struct Node {
    var key: String
    var targets: [MemberTarget] = []
    var children = MemberTableBuilder()
  }

  private var nodes: [Node] = []
  /// The targets of the elements of an array, by their positions.
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

  /// Notes that a rule or setting asks for the value at a place, though it may fill nothing.
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

  /// The table of all targets so far, with other spellings of some names understood too, each with
  /// its targets. They come after every spelling that was added.
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
