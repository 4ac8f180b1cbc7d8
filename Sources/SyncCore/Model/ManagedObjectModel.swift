/// The immutable description of the data: entities, their attributes and relationships.
///
/// Made of classes, of entities declared in code, or from a model document, validated completely
/// before it exists, and shared freely between threads. Entities are numbered; everything after
/// look-up works on numbers.
public final class ManagedObjectModel: Sendable {
  package let records: [EntityRecord]
  let boxes: [EntityBox]
  private let indexes: [String: Int]

  /// The relationships with a limit on how many objects they lead to, required to-one relationships
  /// among them, each where it is declared.
  package let limitedRelationships: [(entity: Int, slot: Int)]

  /// Version identifier of the model document; empty when there is none.
  public let versionIdentifier: String

  /// Takes records that the builder has validated.
  package init(validated records: [EntityRecord], versionIdentifier: String = "") {
    self.records = records
    boxes = records.map(EntityBox.init)
    limitedRelationships = records.enumerated().flatMap { index, record in
      record.properties.compactMap { property in
        guard let relationship = property.relationship, relationship.declaringIndex == index,
          relationship.isLimited
        else { return nil }
        return (index, relationship.slot)
      }
    }
    self.versionIdentifier = versionIdentifier
    indexes = Dictionary(uniqueKeysWithValues: records.enumerated().map { ($1.name, $0) })
  }

  /// All entities, in the order in which they were declared.
  public var entities: [EntityDescription] {
    records.indices.map { EntityDescription(model: self, index: $0) }
  }

  /// The entity of that name, or nil when the model has none.
  public func entity(named name: String) -> EntityDescription? {
    indexes[name].map { EntityDescription(model: self, index: $0) }
  }

  /// The entity of that name.
  ///
  /// - Throws: ``ModelError`` that lists the entities there are when the model has none of that
  ///   name.
  public func requireEntity(named name: String) throws -> EntityDescription {
    guard let entity = entity(named: name) else {
      throw ModelError.unknownEntity(name, known: records.map(\.name))
    }
    return entity
  }
}

/// The builder's record of one entity once everything is resolved. Properties are in slot order:
/// inherited ones first, in the order of the superentity, then the entity's own.
package struct EntityRecord: Sendable {
  package var name: String
  package var isAbstract: Bool
  package var className: String?
  package var superentity: Int?
  package var subentities: [Int]
  /// Index of the topmost superentity; the entity's own when it has none.
  package var root: Int
  package var properties: [PropertyDescription]
  package var slots: [String: Int]
  /// Slot of the primary-key attribute by the rules of the annotations, if the entity has one.
  package var primaryKey: Int?
  package var uniquenessConstraints: [[String]]
  package var indexes: [FetchIndexDescription]
  package var userInfo: [String: String]
  package var renamingIdentifier: String?
}

extension EntityRecord {
  /// An entity without properties, alone in its model.
  package init(name: String) {
    self.init(
      name: name, isAbstract: false, subentities: [], root: 0, properties: [], slots: [:],
      uniquenessConstraints: [], indexes: [], userInfo: [:])
  }
}

/// A record that is looked at without being copied.
final class EntityBox: Sendable {
  let record: EntityRecord

  init(_ record: EntityRecord) {
    self.record = record
  }
}

/// An index that the model asks for.
public struct FetchIndexDescription: Sendable, Hashable {
  /// Name of the index, which no other index of the entity has.
  public let name: String
  /// Names of the indexed properties, in order, each ascending or descending.
  public let elements: [Element]

  /// One property of an index.
  public struct Element: Sendable, Hashable {
    /// Name of the property.
    public let property: String
    /// Whether the index is sorted upwards by it.
    public let ascending: Bool

    public init(property: String, ascending: Bool = true) {
      self.property = property
      self.ascending = ascending
    }
  }

  public init(name: String, elements: [Element]) {
    self.name = name
    self.elements = elements
  }
}
