import SyncCore

/// The answers of the sources of a plan, asked once for a sync, where all of them are data: no
/// closure sees an item or a value, so that equal texts of it mean equal mappings, in every
/// process.
///
/// ```
/// readers   one for each node of the plan, then one for each mapping that sources gave; readers below each, by rule
/// ```
struct ResolvedSources: Sendable {
  struct Reader: Sendable {
    /// The node of the plan whose objects it reads.
    let number: Int
    let node: PlanNode
    /// The readers of the objects below its relationships, by the number of the rule.
    var below: [Int: Int] = [:]
  }

  private(set) var readers: [Reader]

  /// Asks all sources of a plan.
  ///
  /// - Parameter compile: Compiles the answer of a source; the key tells sources apart that give
  ///   the same answer.
  /// - Returns: Nil when an answer is no data, or cannot be used; an error is reported where an
  ///   item needs it.
  init?(
    nodes: [PlanNode], root: Int, compile: (any PlanSource, NodeKey?) throws -> PlanNode
  ) {
    guard nodes[root].isPlain, nodes[root].members.itself.isEmpty else { return nil }
    readers = nodes.enumerated().map { Reader(number: $0, node: $1) }
    // A source without a key that nests itself has no end.
    let limit = nodes.count * 2 + ResolvedSources.keylessLimit
    var identities = nodes.map(\.identity)
    // Where a mapping has no identifiers, none that has some may come after it.
    var anonymous: Set<Int> = [root]
    var known: [NodeKey: Int] = [:]
    var reader = 0
    while reader < readers.count {
      let node = readers[reader].node
      for (rule, source) in node.sources.inKeyOrder {
        guard case .constant(let make) = source, readers.count < limit else { return nil }
        let source = make()
        let destination = node.relationships[rule].node
        let entity = nodes[destination].entity
        let number =
          nodes.firstIndex { $0.entity.name == source.mappingSource.entityName } ?? destination
        let key = NodeKey(number: number, source)
        if let key, let other = known[key] {
          readers[reader].below[rule] = other
          continue
        }
        guard let nested = try? compile(source, key), nested.isPlain,
          nested.entity == nodes[number].entity, nested.entity.isKind(of: entity),
          nested.explicit == nil || nested.policy.deletionScope != .group,
          nested.tellsApart(below: node.relationships[rule].relationship),
          identities[number] == nested.identity
            || identities[number].isEmpty && !anonymous.contains(number)
        else { return nil }
        identities[number] = nested.identity
        if nested.identity.isEmpty { anonymous.insert(number) }
        if let key { known[key] = readers.count }
        readers[reader].below[rule] = readers.count
        readers.append(Reader(number: number, node: nested))
      }
      reader += 1
    }
  }

  private static let keylessLimit = 16
}

extension AttributeRule {
  /// Whether equal JSON means equal values, in every process: no closure makes them, or one that
  /// promises it.
  var isPlain: Bool { converter.decoder == nil || version != nil }

  /// The version that a closure declares.
  var version: Int? {
    if case .custom(let coding)? = written?.content { coding.version } else { nil }
  }
}

extension PlanNode {
  /// Whether it can be said which objects items mean below a relationship: those without
  /// identifiers are the owner's.
  func tellsApart(below relationship: RelationshipDescription) -> Bool {
    guard let explicit else { return true }
    return !identity.isEmpty || explicit.alwaysInserts || relationship.deleteRule == .cascade
  }

  /// Whether all that the node says is data, and the store agrees with everything that an item says
  /// afterwards.
  var isPlain: Bool {
    guard !hasClosures, kinds?.hasSources != true else { return false }
    guard let explicit else { return true }
    return explicit.validators.isEmpty && explicit.didFill == nil && explicit.deletes == nil
      && !explicit.alwaysInserts && explicit.insertsMissing && explicit.updatesExisting
      // Objects may leave a group without being written, and an item that is about one is about
      // another one then.
      && (explicit.group == nil || policy.identityScope == .entity)
  }
}
