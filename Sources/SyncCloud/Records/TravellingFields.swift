import SyncCore
import SyncStore

/// Which properties of each entity travel as fields of its records: attributes and to-one relationships. The other
/// side of a to-one lives on the child, so it does not travel.
struct TravellingFields: Sendable {
  let model: ManagedObjectModel

  /// Per entity, by index: slots and names.
  private let slots: [[Int]]
  private let names: [Set<String>]

  init(_ model: ManagedObjectModel) {
    self.model = model
    slots = model.entities.map { entity in
      entity.properties.filter(Self.travels).map(\.slot)
    }
    names = model.entities.map { entity in
      Set(entity.properties.filter(Self.travels).map(\.name))
    }
  }

  private static func travels(_ property: PropertyDescription) -> Bool {
    if let attribute = property.attribute { return !attribute.isTransient }
    guard let relationship = property.relationship else { return false }
    return !relationship.isToMany && !relationship.isTransient
  }

  /// In slot order.
  func slots(of entity: EntityDescription) -> [Int] { slots[entity.index] }

  func names(of entity: EntityDescription) -> Set<String> { names[entity.index] }

  func contains(_ name: String, in entity: EntityDescription) -> Bool {
    names[entity.index].contains(name)
  }
}
