import SyncCore

/// The names by which entities and fields travel: their renaming identifiers where the model has
/// some, else their names. So a renamed entity or field stays the same to machines with the model
/// before.
///
/// They are translated in two places only: ``RecordContent`` reads records, ``SaveBuilder`` and
/// ``PairWriter`` make them. Kept contents, and the entities in references, are in the form in
/// which they travel.
struct WireNames: Sendable {
  /// Names here by those that travel, for those that differ.
  private var entities: [String: String] = [:]

  /// Per entity, by name.
  private var fields: [String: [String: String]] = [:]

  /// Opens sealed values.
  let seal: FieldSeal?

  /// - Parameter travelling: The properties of an entity that travel as fields; nil when it does
  ///   not travel.
  /// - Throws: ``CloudError`` with the code `unsupported` when two would travel under one name.
  init(
    _ model: ManagedObjectModel, seal: FieldSeal?,
    travelling: (EntityDescription) -> [PropertyDescription]?
  ) throws(CloudError) {
    self.seal = seal
    var types: [String: String] = [:]
    for entity in model.entities {
      guard let properties = travelling(entity) else { continue }
      let type = entity.wireName
      if let other = types.updateValue(entity.name, forKey: type) {
        throw Self.shared(type, other, entity.name, isFirstRenamed: other != type)
      }
      if type != entity.name { entities[type] = entity.name }
      var names: [String: String] = [:]
      for property in properties {
        if let other = names.updateValue(property.name, forKey: property.wireName) {
          throw Self.shared(
            property.wireName, "\(entity.name).\(other)", "\(entity.name).\(property.name)",
            isFirstRenamed: other != property.wireName)
        }
      }
      names = names.filter { $0.key != $0.value }
      if !names.isEmpty { fields[entity.name] = names }
    }
  }

  /// The name here of an entity; one that the model does not know keeps the one that it came with.
  func entity(_ wire: String) -> String { entities[wire] ?? wire }

  /// The names here of the fields of an entity by those that travel, for those that differ.
  func fields(of entity: String) -> [String: String] { fields[entity] ?? [:] }

  private static func shared(
    _ wire: String, _ first: String, _ second: String, isFirstRenamed: Bool
  ) -> CloudError {
    let (renamed, fresh) = isFirstRenamed ? (first, second) : (second, first)
    return CloudError(
      .unsupported,
      message:
        "\(renamed) travels as “\(wire)”, which is its renaming identifier, and so would \(fresh). Give \(fresh) "
        + "a renaming identifier of its own that nothing was ever called.")
  }
}

extension EntityDescription {
  /// The name under which it travels.
  var wireName: String { renamingIdentifier ?? name }

  /// The entity and those above it, upwards.
  var line: [EntityDescription] { Array(sequence(first: self, next: \.superentity)) }
}

extension PropertyDescription {
  /// The name under which it travels.
  var wireName: String { renamingIdentifier ?? name }
}
