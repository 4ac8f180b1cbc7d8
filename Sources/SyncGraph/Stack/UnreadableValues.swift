public import SyncCore
import SyncStore

/// A stored value that the property of a class cannot show.
///
/// A file holds one when another program or an earlier version wrote it: the text of an enum's case
/// that is gone, JSON that a type does not decode any more. ``Attribute`` tells the effect of
/// reading it.
public struct UnreadableValue: Sendable, Equatable {
  /// The object that has the value.
  public let objectID: ManagedObjectID

  /// Name of the attribute.
  public let key: String

  /// The value as it is stored.
  public let value: Value

  /// A sentence that tells the problem.
  public let message: String
}

extension UnreadableValue: CustomStringConvertible {
  public var description: String { message }
}

extension DataStack {
  /// Finds the stored values that a property of a class cannot show, so that they can be put right
  /// before a required one stops the program:
  ///
  /// ```swift
  /// for unreadable in try stack.unreadableValues() { print(unreadable) }
  /// try context.batchUpdate(Fetch<User>("kind == %@", "purple"), ["kind": Kind.other])
  /// ```
  ///
  /// Unsaved values are not looked at.
  ///
  /// - Parameter name: The entity to look at, with its subentities; nil is all of them.
  /// - Returns: In model order, those of an entity in the order of insertion.
  /// - Throws: `ModelError` for an unknown entity, `StoreError` when the store cannot be read.
  /// - Complexity: a scan of each table.
  public func unreadableValues(inEntityNamed name: String? = nil) throws -> [UnreadableValue] {
    let entities = try name.map { try model.requireEntity(named: $0).familyEntities }
    return try store.read { reader in
      var result: [UnreadableValue] = []
      for entity in entities ?? model.entities {
        let checks = core.attributeChecks(of: entity, core.classes.current[entity.index])
        let slots = entity.attributes.filter { !$0.isTransient }.map(\.slot)
        guard !slots.isEmpty, !entity.isAbstract else { continue }
        try reader.scan(entity, .all, slots: slots) { cursor in
          // Objects of subentities are looked at with the types of their own classes.
          guard cursor.entityIndex == entity.index else { return }
          for slot in slots {
            let value = cursor.value(slot)
            guard let refusal = refusal(of: value, at: slot, in: entity, checks[slot]) else {
              continue
            }
            let id = ManagedObjectID(entity: entity, row: cursor.row)
            let key = entity.properties[slot].name
            result.append(
              UnreadableValue(
                objectID: id, key: key, value: value,
                message: "\(entity.name).\(key) of \(id) cannot be read: \(refusal)."))
          }
        }
      }
      return result
    }
  }

  private func refusal(
    of value: Value, at slot: Int, in entity: EntityDescription, _ check: AttributeCheck?
  ) -> String? {
    if let type = entity.properties[slot].attribute?.type, type.coerced(value) == nil {
      return "“\(value.excerpt)” is no value of type \(type.rawValue)"
    }
    return check?.refusal(of: value)
  }
}

extension StackCore {
  /// The checks before a value is stored in an attribute of an entity or of its subentities, by
  /// slot.
  func attributeChecks(of entity: EntityDescription) -> [Int: AttributeCheck] {
    let types = classes.declaredTypes.types(of: entity)
    return attributeChecks(of: entity) { types[$0] ?? [] }
  }

  /// The checks before an object of the very entity shows a value, by slot.
  func attributeChecks(
    of entity: EntityDescription, _ binding: ClassBinding
  ) -> [Int: AttributeCheck] {
    attributeChecks(of: entity) { binding.declaredTypes[$0].map { [$0] } ?? [] }
  }

  private func attributeChecks(
    of entity: EntityDescription, types: (Int) -> [DeclaredType]
  ) -> [Int: AttributeCheck] {
    var result: [Int: AttributeCheck] = [:]
    for attribute in entity.attributes {
      result[attribute.slot] = AttributeCheck(
        attribute, types: types(attribute.slot), transformers: transformers)
    }
    return result
  }
}
