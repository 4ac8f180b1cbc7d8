public import SyncCore

/// The values with which an item fills one object, before anything is looked up or written: shown
/// to the hook ``Serializer/didFill``, which may change it.
///
/// ```swift
/// var didFill: FillHook? {
///   { object, item in
///     let name = object.value(forKey: "fullName", as: String.self)
///     try object.setValue(name?.lowercased(), forKey: "sortName")
///   }
/// }
/// ```
///
/// It has the values of the item, not the stored ones: a sync makes no objects. Values that the
/// hook sets count as the item's: they are compared with the stored ones, and written where they
/// differ.
public struct FilledObject: Sendable {
  private let entity: EntityDescription
  /// The values of the item, by slot; nil where it has none.
  private var values: [Value?]
  /// The slots that were set, each once.
  private(set) var changes: [Int] = []

  /// - Parameter values: By slot; nil where the item says nothing.
  init(_ entity: EntityDescription, values: [Value?]) {
    self.entity = entity
    self.values = values
  }

  /// The entity of the object.
  public var entityName: String { entity.name }

  /// Names of the attributes of which the item says something, in the order of the model.
  public var filledAttributes: [String] {
    entity.attributes.filter { self[$0.slot] != nil }.map(\.name)
  }

  /// The value that the item gives an attribute; nil when it gives none, or one of another type.
  public func value<Result: ValueConvertible>(
    forKey name: String, as type: Result.Type = Result.self
  ) -> Result? {
    guard let slot = entity.property(named: name)?.attribute?.slot, let value = self[slot],
      !value.isNull
    else { return nil }
    return Result.converted(from: value)
  }

  /// Gives an attribute a value; nil empties it. It may be one that no rule fills.
  ///
  /// - Throws: ``MappingError`` with ``MappingError/Code/unknownProperty`` when the entity has no
  ///   stored attribute of that name; as an error of the item it is reported with the path.
  public mutating func setValue(_ value: (any ValueConvertible)?, forKey name: String) throws {
    guard let attribute = entity.property(named: name)?.attribute, !attribute.isTransient else {
      throw MappingError(
        .unknownProperty, entity: entity.name, property: name,
        message: """
          “\(entity.name)” has no stored attribute “\(name)”, so didFill cannot set it. It has \
          \(entity.attributes.filter { !$0.isTransient }.map { "“\($0.name)”" }.joined(separator: ", ")).
          """)
    }
    values[attribute.slot] = value?.storedValue ?? .null
    if !changes.contains(attribute.slot) { changes.append(attribute.slot) }
  }

  /// The value of the object at a slot; nil when the item has none.
  subscript(slot: Int) -> Value? { slot < values.count ? values[slot] : nil }
}
