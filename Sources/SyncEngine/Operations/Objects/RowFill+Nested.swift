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

  /// The objects with a key of their own that are nested in JSON, in its order.
  ///
  /// - Parameter node: The place in the mapping that reads the JSON; nil is its root.
  package func nested(in item: JSONValue, node: Int? = nil) -> [Nested] {
    guard let item = node == nil ? validated(item) : item else { return [] }
    return plan.nodes[node ?? plan.root].relationships.flatMap { rule -> [Nested] in
      let value = rule.objectKeys.lazy.compactMap {
        item.value(at: JSONPath($0.steps.map { .key($0) }))
      }.first
      let node = plan.nodes[rule.node]
      return (value.map { rule.objects(in: $0) } ?? []).compactMap { object, key in
        guard let item = object.naming(key, at: rule.memberSlot, node),
          let values = try? ItemValues(item, plan: plan, node: rule.node), let key = values.key
        else { return nil }
        return Nested(
          relationship: rule.relationship, entity: node.entity, item: item, node: rule.node,
          key: key, values: values.values)
      }
    }
  }
}

extension RelationshipRule {
  /// The values that stand for objects below a relationship, with the keys that they have in an
  /// object of objects.
  fileprivate func objects(in value: JSONValue) -> [(JSONValue, key: String?)] {
    guard elements.isEmpty else { return follow(elements[...], from: value, key: nil) }
    return (value.arrayValue ?? [value]).map { ($0, nil) }
  }

  private func follow(
    _ steps: ArraySlice<JSONPath.Step>, from value: JSONValue, key: String?
  ) -> [(JSONValue, key: String?)] {
    guard let step = steps.first else { return [(value, key)] }
    let rest = steps.dropFirst()
    switch (step, value) {
    case (.each, .array(let list)): return list.flatMap { follow(rest, from: $0, key: nil) }
    case (.each, .object(let members)):
      return members.flatMap { follow(rest, from: $0.value, key: $0.key) }
    default: return value.value(at: JSONPath([step])).map { follow(rest, from: $0, key: key) } ?? []
    }
  }
}

extension JSONValue {
  /// The object with the key that it has in an object of objects, unless it says another value
  /// itself; nil when it is no object.
  fileprivate func naming(_ key: String?, at slot: Int?, _ node: PlanNode) -> JSONValue? {
    guard var object = objectValue else { return nil }
    if let key, let number = (slot ?? node.keyRule?.slot).flatMap(node.attributeRule(forSlot:)),
      let name = node.attributes[number].remoteKey.steps.last, object[name] ?? .null == .null
    {
      object[name] = .string(key)
    }
    return .object(object)
  }
}
