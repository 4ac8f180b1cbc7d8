/// What the keys of a JSON object mean: from the bytes of a key to the rules it fills.
///
/// Found by open addressing over the bytes; ``StagingTable`` guesses most of them.
package struct MemberTable: Sendable {
  /// One entry per key; then, for attributes with a natural name, one for all other spellings of
  /// it.
  package let entries: [MemberEntry]

  /// What the item itself fills, whatever it is: rules with an empty path.
  package let itself: [MemberTarget]

  /// What the elements of an array mean; nil when they mean nothing.
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

  /// What the members of the value mean when it is an object, or its elements when it is an array
  /// (their positions `0`, `1`… are the keys): further steps of dotted keys.
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

  /// Whether a rule that somebody wrote says so, not a convention.
  package let isOfRule: Bool

  package init(_ kind: Kind, rule: Int, precedence: UInt8, isOfRule: Bool = false) {
    self.kind = kind
    self.rule = rule
    self.precedence = precedence
    self.isOfRule = isOfRule
  }
}
