package import SyncCore

extension RowFill {
  /// An object nested in JSON.
  package struct Nested {
    /// The relationship of its owner that it stands below.
    package let relationship: RelationshipDescription
    package let entity: EntityDescription

    /// Its own JSON, and the place in the mapping that reads it.
    package let item: JSONValue
    package let node: Int

    /// Its key, and the JSON's values of its attributes, by slot.
    package let key: (slot: Int, value: Value)
    package let values: [(slot: Int, value: Value)]
  }

  /// The objects with a key of their own that are nested in JSON, in its order: those that stand
  /// directly below it, as a value or a list of them.
  ///
  /// - Parameter node: The place in the mapping that reads the JSON; nil is its root.
  package func nested(in item: JSONValue, node: Int? = nil) -> [Nested] {
    plan.nodes[node ?? plan.root].relationships.flatMap { rule -> [Nested] in
      let value = rule.objectKeys.lazy.compactMap {
        item.value(at: JSONPath($0.steps.map { .key($0) }))
      }.first
      return (value?.arrayValue ?? value.map { [$0] } ?? []).compactMap { item in
        guard item.objectValue != nil,
          let values = try? ItemValues(item, plan: plan, node: rule.node), let key = values.key
        else { return nil }
        return Nested(
          relationship: rule.relationship, entity: plan.nodes[rule.node].entity, item: item,
          node: rule.node, key: key, values: values.values)
      }
    }
  }
}
