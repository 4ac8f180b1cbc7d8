import SyncStack

/// A model that requires nothing, so that a document can be tried to its end, and the values that
/// the real one would have missed.
enum LenientModel {
  /// A required property, and how many objects have no value of it.
  struct MissingValues: Equatable, Encodable {
    let entity: String
    let property: String
    let count: Int
  }

  /// The model with every property optional.
  static func of(_ model: ManagedObjectModel) -> ManagedObjectModel {
    ManagedObjectModel(
      validated: model.records.map { record in
        var record = record
        record.properties = record.properties.map(optional)
        return record
      })
  }

  private static func optional(_ property: PropertyDescription) -> PropertyDescription {
    switch property {
    case .attribute(var attribute):
      attribute.isOptional = true
      return .attribute(attribute)
    case .relationship(var relationship):
      relationship.isOptional = true
      return .relationship(relationship)
    }
  }

  /// The required properties that objects of the store lack, in model order.
  static func missingValues(
    in store: Store, of model: ManagedObjectModel
  ) throws -> [MissingValues] {
    try store.read { reader in
      var result: [MissingValues] = []
      for entity in model.entities {
        let required = entity.properties.filter { $0.isColumn && !$0.isOptional }
        for property in required {
          var plan = FetchPlan(
            entity: try reader.model.requireEntity(named: entity.name),
            filter: Filter("%K == nil", property.name))
          plan.includesSubentities = false
          let count = try reader.count(plan)
          guard count > 0 else { continue }
          result.append(MissingValues(entity: entity.name, property: property.name, count: count))
        }
      }
      return result
    }
  }
}
