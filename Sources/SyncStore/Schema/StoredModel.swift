import Foundation
package import SyncCore

/// The file's record of the model it was made with: everything that decides how objects are stored,
/// in a form that can be compared and read without the model itself.
package struct StoredModel: Sendable, Hashable, Codable {
  package struct Entity: Sendable, Hashable, Codable {
    package var name: String
    package var superentity: String?
    /// The number in `_entity`.
    package var number: Int64
    package var properties: [Property]
    package var renamingIdentifier: String?
  }

  package struct Property: Sendable, Hashable, Codable {
    package var name: String

    /// Attribute type, or nil for a relationship.
    package var type: AttributeType?
    package var isOptional: Bool
    package var destination: String?
    package var inverse: String?
    package var isToMany: Bool?
    package var isOrdered: Bool?

    /// Where it is kept: name of the column, or of the link table with the side.
    package var place: String?
    package var renamingIdentifier: String?
  }

  package var entities: [Entity]

  /// Describes the stored properties that each entity declares itself.
  package init(_ layout: TableLayout) {
    entities = layout.model.entities.map { entity in
      let own = entity.properties.dropFirst(entity.superentity?.properties.count ?? 0)
      return Entity(
        name: entity.name, superentity: entity.superentity?.name,
        number: layout[entity].number,
        properties: own.compactMap { Self.describe($0, of: layout[entity]) },
        renamingIdentifier: entity.renamingIdentifier)
    }
  }

  private static func describe(
    _ property: PropertyDescription, of entity: EntityLayout
  ) -> Property? {
    let link = entity.links[property.slot]
    let place =
      entity.column(property.slot)?.identifier.name
      ?? link.map { "\($0.table.identifier.name) \($0.isForward ? "source" : "target")" }
    switch property {
    case .attribute(let attribute):
      guard !attribute.isTransient else { return nil }
      return Property(
        name: attribute.name, type: attribute.type, isOptional: attribute.isOptional,
        place: place, renamingIdentifier: attribute.renamingIdentifier)
    case .relationship(let relationship):
      guard !relationship.isTransient else { return nil }
      return Property(
        name: relationship.name, isOptional: relationship.isOptional,
        destination: relationship.destinationName, inverse: relationship.inverseName,
        isToMany: relationship.isToMany, isOrdered: relationship.isOrdered,
        place: place, renamingIdentifier: relationship.renamingIdentifier)
    }
  }

  /// The numbers of the entities, for ``TableLayout/init(model:entityNumbers:)``.
  package var entityNumbers: [String: Int64] {
    Dictionary(entities.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
  }

  /// The description as text with a stable order.
  package func encoded() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  /// - Throws: `DecodingError`; ``StoreError`` with ``StoreError/Code/damaged`` when two entities
  ///   have one number, or one has none that is given out.
  package init(decoding text: String) throws {
    self = try JSONDecoder().decode(StoredModel.self, from: Data(text.utf8))
    var known: Set<Int64> = []
    for entity in entities
    where !(1...Int64(Int32.max)).contains(entity.number) || !known.insert(entity.number).inserted {
      throw StoreError.damaged(
        "_syncstack", "the row of “model”", "the number of “\(entity.name)”", entity.number,
        entity: entity.name)
    }
  }
}

extension StoredModel {
  /// Sentences that tell the differences in storage between a model and this one; empty when there
  /// are none. Optional or required does not count: it is checked when objects are saved, not by
  /// tables.
  package func differences(from model: StoredModel) -> [String] {
    let stored = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let wanted = Set(model.entities.map(\.name))
    // Entities first, then changed forms, then additions and removals: the first few are shown.
    var ofEntities = entities.filter { !wanted.contains($0.name) }.map {
      "the model has no entity “\($0.name)”"
    }
    var ofForm: [String] = []
    var ofProperties: [String] = []
    for entity in model.entities {
      guard let old = stored[entity.name] else {
        ofEntities.append("the store has no entity “\(entity.name)”")
        continue
      }
      if old.superentity != entity.superentity {
        ofEntities.append(
          "“\(entity.name)” is below \(old.superentity ?? "nothing") in the store and below "
            + "\(entity.superentity ?? "nothing") in the model")
      }
      let before = Dictionary(
        old.properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      let names = Set(entity.properties.map(\.name))
      for property in old.properties where !names.contains(property.name) {
        ofProperties.append("the model has no “\(entity.name).\(property.name)”")
      }
      for property in entity.properties {
        if let old = before[property.name] {
          ofForm += old.difference(from: property, of: entity.name).map { [$0] } ?? []
        } else {
          ofProperties.append("the store has no “\(entity.name).\(property.name)”")
        }
      }
    }
    return ofEntities + ofForm + ofProperties
  }
}

extension StoredModel.Property {
  /// A sentence that tells the stored form of the property and the one of the other, or nil.
  fileprivate func difference(from other: StoredModel.Property, of entity: String) -> String? {
    if storageText != other.storageText {
      return
        "“\(entity).\(name)” is \(storageText) in the store and \(other.storageText) in the model"
    }
    guard place != other.place else { return nil }
    return "“\(entity).\(name)” is kept in \(place ?? "nothing") in the store and would be in "
      + "\(other.place ?? "nothing"), because declarations changed places"
  }

  /// How the property is stored, in words.
  fileprivate var storageText: String {
    switch type {
    case .integer16, .integer32, .integer64: return "Integer"
    case .double, .float: return "Double"
    case let type?: return type.rawValue
    case nil: break
    }
    let order = isOrdered == true ? "ordered " : ""
    let count = isToMany == true ? "to-many" : "to-one"
    return "\(order)\(count) \(destination ?? "") (inverse \(inverse ?? "none"))"
  }
}
