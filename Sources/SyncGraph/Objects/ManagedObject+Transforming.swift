import SyncCore

/// Transformable attributes: an object shows the model's transformer's object for the stored value.
///
/// `value(forKey:)`, `setValue(_:forKey:)` and wrappers stop the program with a message when there
/// is no such transformer or it refuses a value; the functions here throw the same as an error.
extension ManagedObject {
  /// The value of a property, as ``value(forKey:)`` gives it.
  ///
  /// - Throws: ``GraphError`` with ``GraphError/Code/transformer`` when the transformer that the
  ///   model names is not registered or refuses the stored value.
  /// - Precondition: The entity has a property of that name.
  public final func transformedValue(forKey key: String) throws -> Any? {
    let slot = binding.shape.requireSlot(key)
    guard case .attribute(.transformable) = binding.shape.kinds[slot] else {
      return value(forKey: key)
    }
    return try shown(value(at: slot), slot)
  }

  /// Sets the value of a property, as ``setValue(_:forKey:)`` does.
  ///
  /// - Throws: ``GraphError`` with ``GraphError/Code/transformer`` when the transformer that the
  ///   model names is not registered or refuses the value, which stays as it was.
  /// - Precondition: The entity has a property of that name.
  public final func setTransformedValue(_ newValue: Any?, forKey key: String) throws {
    let slot = binding.shape.requireSlot(key)
    guard case .attribute(.transformable) = binding.shape.kinds[slot] else {
      return setValue(newValue, forKey: key)
    }
    setAttribute(slot, try stored(newValue, slot))
  }

  /// The object's view of a stored value.
  ///
  /// - Precondition: The attribute's transformer is there and takes the value.
  final func shownValue(_ value: Value, at slot: Int) -> Any? {
    guard case .attribute(.transformable) = binding.shape.kinds[slot] else {
      return value.keyedValue
    }
    do {
      return try shown(value, slot)
    } catch {
      programmingError("\(error)")
    }
  }

  /// The value that a wrapped property shows for its stored value.
  ///
  /// - Precondition: The attribute's transformer is there, and makes a value of the type or the
  ///   type is optional.
  final func transformed<Wrapped>(at ordinal: UInt16, as type: Wrapped.Type) -> Wrapped {
    let slot = binding.slots[Int(ordinal)]
    let value = attributeValue(at: ordinal)
    do {
      let transformer = try value.isNull ? nil : transformer(slot)
      let shown = try? transformer?.object(from: value) ?? value.anyValue
      if let result = shown as? Wrapped { return result }
    } catch {
      programmingError("\(error)")
    }
    if let none = (type as? any OptionalType.Type)?.absent as? Wrapped { return none }
    if value.isNull,
      let standIn = binding.defaults[binding.slots[Int(ordinal)]],
      let result = shownValue(standIn, at: binding.slots[Int(ordinal)]) as? Wrapped
    {
      return result
    }
    if flags.contains(.gone),
      let zero = (type as? any ValueConvertible.Type)?.zero as? Wrapped
    {
      return zero
    }
    missing(ordinal, value, "\(type)")
  }

  /// Sets a transformable attribute.
  ///
  /// - Precondition: The attribute's transformer is there and takes the value.
  final func setShownValue(_ newValue: Any?, at slot: Int) {
    do {
      setAttribute(slot, try stored(newValue, slot))
    } catch {
      programmingError("\(error)")
    }
  }

  private func shown(_ value: Value, _ slot: Int) throws -> Any? {
    guard !value.isNull, let transformer = try transformer(slot) else { return value.anyValue }
    do {
      return try transformer.object(from: value)
    } catch {
      throw refused("the stored value “\(value)”", slot, error)
    }
  }

  private func stored(_ newValue: Any?, _ slot: Int) throws -> Value {
    guard let newValue = Value.unwrapped(newValue) else { return .null }
    let transformer = try transformer(slot) ?? PlainTransformer()
    let value: Value
    do {
      value = try transformer.value(ofObject: newValue)
    } catch {
      throw refused("a \(type(of: newValue))", slot, error)
    }
    guard let refusal = refusal(of: value, at: slot) else { return value }
    throw GraphError(
      .transformer, entity: entity.name, key: binding.shape.names[slot], objects: [objectID],
      message: "\(entity.name).\(binding.shape.names[slot]) cannot hold it: \(refusal).")
  }

  private func transformer(_ slot: Int) throws -> (any AttributeTransformer)? {
    guard let name = entity.properties[slot].attribute?.objectTransformerName else { return nil }
    let registry = owner?.transformers ?? .shared
    if let transformer = registry.transformer(named: name) { return transformer }
    let names = registry.names
    throw GraphError(
      .transformer, entity: entity.name, key: binding.shape.names[slot], objects: [objectID],
      message: """
        \(entity.name).\(binding.shape.names[slot]) needs the transformer “\(name)”, and none is \
        registered under that name (\(names.isEmpty ? "none at all" : names.joined(separator: ", "))). \
        Register it: stack.transformers.register(…, named: "\(name)").
        """)
  }

  private func refused(_ what: String, _ slot: Int, _ error: any Error) -> GraphError {
    let name = entity.properties[slot].attribute?.objectTransformerName
    let who = name.map { "The transformer “\($0)” of" } ?? "The transformable attribute"
    return GraphError(
      .transformer, entity: entity.name, key: binding.shape.names[slot], objects: [objectID],
      message: "\(who) \(entity.name).\(binding.shape.names[slot]) refused \(what): \(error)")
  }
}

/// Stores values as they are.
private struct PlainTransformer: AttributeTransformer {}
