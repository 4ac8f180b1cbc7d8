import SyncCore

/// A relationship of which items speak. Where items speak of one from both ends, nobody can tell of an item alone what is
/// stored of it.
struct SpokenRelationship: Hashable {
  let node: Int
  let rule: Int

  init(node: Int, rule: Int) {
    self.node = node
    self.rule = rule
  }

  /// - Returns: Nil when the plan has none such.
  init?(_ word: UInt64, _ plan: MappingPlan) {
    self.init(node: Int(word >> 32), rule: Int(word & 0xFFFF_FFFF))
    guard plan.nodes.indices.contains(node), plan.nodes[node].relationships.indices.contains(rule)
    else { return nil }
  }

  var word: UInt64 { UInt64(node) << 32 | UInt64(rule) }

  /// Those of which the items of a part speak.
  static func all(in batches: [MatchedBatch]) -> Set<SpokenRelationship> {
    var result: Set<SpokenRelationship> = []
    for batch in batches {
      for rule in batch.mentions.indices where batch.mentions[rule].count > 0 {
        result.insert(SpokenRelationship(node: batch.number, rule: rule))
      }
    }
    return result
  }

  /// Whether one of them is the inverse of another, or of itself.
  static func areOfBothEnds(_ spoken: Set<SpokenRelationship>, _ plan: MappingPlan) -> Bool {
    let relationships = spoken.map { plan.nodes[$0.node].relationships[$0.rule].relationship }
    let ends = relationships.map(Claims.Relationship.init)
    return zip(spoken, relationships).contains { spoken, relationship in
      plan.nodes[spoken.node].entity.inverse(of: relationship)
        .map { ends.contains(Claims.Relationship($0)) } ?? false
    }
  }
}
