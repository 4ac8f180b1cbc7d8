/// One entity of a model: a number inside the model, with everything known about it.
///
/// A small value that keeps its model alive; two are equal when they are the same entity of the
/// same model.
public struct EntityDescription: Sendable {
  /// The model that it belongs to.
  public let model: ManagedObjectModel

  /// Position of the entity in ``ManagedObjectModel/entities``.
  package let index: Int

  package init(model: ManagedObjectModel, index: Int) {
    self.model = model
    self.index = index
  }

  package var record: EntityRecord { box.record }

  /// Through a class, because a record is large: taking it out of a list to look at one part of it
  /// would copy all parts.
  private var box: EntityBox { model.boxes[index] }

  /// Its name in the model.
  public var name: String { box.record.name }

  /// Whether no object of exactly this entity can be made.
  public var isAbstract: Bool { box.record.isAbstract }

  /// Name of the class that stands for the entity, as the model document gives it.
  public var managedObjectClassName: String? { box.record.className }

  /// The entity whose properties it inherits; nil when it is at the top.
  public var superentity: EntityDescription? {
    box.record.superentity.map { EntityDescription(model: model, index: $0) }
  }

  /// Direct subentities.
  public var subentities: [EntityDescription] {
    box.record.subentities.map { EntityDescription(model: model, index: $0) }
  }

  /// The topmost superentity: objects of all entities with one root share a table.
  public var rootEntity: EntityDescription { EntityDescription(model: model, index: rootIndex) }

  package var rootIndex: Int { box.record.root }

  /// The entity and all below it, the entity itself first.
  package var familyEntities: [EntityDescription] {
    var result: [EntityDescription] = []
    appendFamily(to: &result)
    return result
  }

  private func appendFamily(to result: inout [EntityDescription]) {
    result.append(self)
    for subentity in subentities { subentity.appendFamily(to: &result) }
  }

  /// All properties in slot order, inherited ones first.
  public var properties: [PropertyDescription] { box.record.properties }

  /// All attributes in slot order.
  public var attributes: [AttributeDescription] { properties.compactMap(\.attribute) }

  /// All relationships in slot order.
  public var relationships: [RelationshipDescription] { properties.compactMap(\.relationship) }

  /// Annotations of the model, as `sync.tombstoneKey`.
  public var userInfo: [String: String] { box.record.userInfo }
  /// Its name in an earlier version of the model, by which a migration finds it; nil when it is the
  /// same.
  public var renamingIdentifier: String? { box.record.renamingIdentifier }

  /// Groups of properties whose values may occur once only, as the entity itself declares them;
  /// they hold for its subentities too.
  public var uniquenessConstraints: [[String]] { box.record.uniquenessConstraints }

  /// Indexes that the entity itself declares; they cover its subentities too.
  public var indexes: [FetchIndexDescription] { box.record.indexes }

  /// The property of that name, or nil.
  public func property(named name: String) -> PropertyDescription? {
    box.record.slots[name].map { box.record.properties[$0] }
  }

  /// The attribute of that name, or nil.
  public func attribute(named name: String) -> AttributeDescription? {
    property(named: name)?.attribute
  }

  /// The relationship of that name, or nil.
  public func relationship(named name: String) -> RelationshipDescription? {
    property(named: name)?.relationship
  }

  /// The primary key: the attribute annotated as such, else `id`, else `remoteID`,
  /// else nil.
  public var primaryKey: AttributeDescription? {
    box.record.primaryKey.flatMap { box.record.properties[$0].attribute }
  }

  /// Whether the entity is the other one or lies below it.
  public func isKind(of other: EntityDescription) -> Bool {
    var candidate: EntityDescription? = self
    while let entity = candidate {
      if entity == other { return true }
      candidate = entity.superentity
    }
    return false
  }
}

extension EntityDescription: Hashable, CustomStringConvertible {
  public static func == (left: EntityDescription, right: EntityDescription) -> Bool {
    left.index == right.index && left.model === right.model
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(index)
    hasher.combine(ObjectIdentifier(model))
  }

  public var description: String { name }
}
