package import SyncCore

/// Which tables, columns and indexes hold the objects of a model. The only place that makes names.
///
/// - A table for each root entity, named as the entity, shared by its subentities (``Table``).
/// - A column for each attribute and to-one relationship, named as the property.
/// - A link table for each many-to-many relationship (``LinkTable``).
package struct TableLayout: Sendable {
  package let model: ManagedObjectModel

  /// One table per root entity, in model order.
  package let tables: [Table]
  package let links: [LinkTable]

  /// By index of the entity in the model.
  package let entities: [EntityLayout]

  /// Number by name of each entity that shares a table, to be kept in the file.
  package let entityNumbers: [String: Int64]

  /// Whether the model asks that values are unique beside primary keys.
  let hasUniquenessConstraints: Bool

  private let entityIndexes: [Int64: Int]

  /// The entities whose objects each table holds, by index of the table, in model order.
  private let members: [[EntityLayout]]

  /// Lays out the tables of a model.
  ///
  /// - Parameter entityNumbers: the numbers that an existing file uses; entities that are not in it
  ///   get numbers that were never used there.
  package init(model: ManagedObjectModel, entityNumbers: [String: Int64] = [:]) {
    self.model = model
    var numbers = entityNumbers
    var builder = TableLayoutBuilder(model: model)
    let tables = builder.makeTables()
    let links = builder.makeLinks()
    var next = (numbers.values.max() ?? 0) + 1
    for entity in model.entities where numbers[entity.name] == nil {
      numbers[entity.name] = next
      next += 1
    }
    self.tables = tables
    self.links = links
    self.entityNumbers = numbers
    entityIndexes = Dictionary(
      uniqueKeysWithValues: model.entities.map { (numbers[$0.name] ?? 0, $0.index) })
    let entities = model.entities.map { entity in
      EntityLayout(
        entity: entity, table: tables[builder.tableIndex[entity.rootIndex] ?? 0],
        number: numbers[entity.name] ?? 0,
        familyNumbers: entity.familyEntities.map { numbers[$0.name] ?? 0 },
        ordinals: builder.ordinals(of: entity), links: builder.linkEnds(of: entity, in: links))
    }
    var members = tables.map { _ in [EntityLayout]() }
    for entity in entities { members[entity.table.index].append(entity) }
    self.entities = entities
    self.members = members
    hasUniquenessConstraints = model.entities.contains { !$0.uniquenessConstraints.isEmpty }
  }

  package subscript(entity: EntityDescription) -> EntityLayout { entities[entity.index] }

  /// The entity whose rows carry a number in `_entity`.
  package func entity(numbered number: Int64) -> EntityLayout? {
    entityIndexes[number].map { entities[$0] }
  }

  /// The table that holds the objects of an entity.
  package func table(of entity: EntityDescription) -> Table { entities[entity.index].table }

  /// The entities whose objects a table holds, in model order.
  func members(of table: Table) -> [EntityLayout] { members[table.index] }

  /// Where the pairs of a relationship are stored; nil for transient ones.
  package func storage(
    of relationship: RelationshipDescription, in entity: EntityDescription
  ) -> RelationshipStorage? {
    let owner = entities[entity.index]
    if let column = owner.column(relationship.slot) { return .column(column) }
    if let link = owner.links[relationship.slot] { return .link(link) }
    guard relationship.kind == .oneToMany, !relationship.isTransient,
      let inverse = relationship.inverseSlot,
      let column = entities[relationship.destinationIndex].column(inverse)
    else { return nil }
    let table = entities[relationship.destinationIndex].table
    return .inverse(table: table, column: column, position: table.position(beside: column.ordinal))
  }
}
