import SyncCore

/// A primary-key value as a program gives it, in the form in which the store keeps keys of an entity.
struct ObjectKey {
  let name: String

  /// The stored form; nil when no object can have such a key.
  let value: Value?

  /// - Parameter id: a number, a text, a date or whatever else the key attribute holds, or a form of it
  ///   that JSON may give: `"6"` for 6.
  /// - Throws: ``SyncError`` when the entity has no primary key, or the value is of a type that no key
  ///   has.
  init(_ id: Any, plan: MappingPlan) throws {
    let node = plan.rootNode
    guard let slot = node.identity.first, let rule = node.attributeRule(forSlot: slot) else {
      throw SyncError.noPrimaryKey(node.entity.name)
    }
    name = node.attributes[rule].name
    guard let given = try ObjectKey.stored(id, node) else {
      value = nil
      return
    }
    let arena = CellArena()
    // A transformer turns JSON into keys; what is given here is a key already.
    let converter = ValueConverter(node.attributes[rule].type)
    guard case .cell(let cell) = converter.cell(for: given, arena: arena), !cell.isEmpty else {
      value = nil
      return
    }
    value = cell.value(as: node.attributes[rule].type)
  }

  private static func stored(_ id: Any, _ node: PlanNode) throws -> Value? {
    if let value = id as? Value { return value }
    if let value = id as? JSONValue { return Value(json: value) }
    // Boxed numbers and the like are told apart by the reader of JSON trees.
    if !(type(of: id) is AnyClass), !(id is any CodableValue),
      let value = id as? any ValueConvertible
    {
      return value.storedValue
    }
    switch try? JSONValue(id) {
    case .array?, .object?, nil:
      throw SyncError(
        .typeMismatch, entity: node.entity.name, property: node.identityName,
        message: """
          A value of the type \(type(of: id)) cannot be a key of “\(node.entity.name)”. Give a number, \
          a text, or a value of the key attribute's type.
          """)
    case let json?: return json.isNull ? nil : Value(json: json)
    }
  }
}
