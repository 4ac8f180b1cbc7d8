package import SyncCore

/// A property by the entity that declares it, the same for all entities that inherit it.
package struct PropertyKey: Hashable, Comparable {
  let entity: Int
  let slot: Int

  package static func < (left: PropertyKey, right: PropertyKey) -> Bool {
    (left.entity, left.slot) < (right.entity, right.slot)
  }
}

extension PropertyKey {
  package init(_ relationship: RelationshipDescription) {
    self.init(entity: relationship.declaringIndex, slot: relationship.slot)
  }
}

/// Names and numbers tables, columns, link tables and indexes of a model.
struct TableLayoutBuilder {
  let model: ManagedObjectModel

  /// Index of the table by root entity.
  private(set) var tableIndex: [Int: Int] = [:]
  private var names = NameSpace()

  /// Ordinal by slot of each entity; -1 for slots without column.
  private var ordinals: [[Int]]
  private var linkEnds: [PropertyKey: (link: Int, isForward: Bool)] = [:]

  init(model: ManagedObjectModel) {
    self.model = model
    ordinals = model.records.map { Array(repeating: -1, count: $0.properties.count) }
  }

  // MARK: - Tables

  mutating func makeTables() -> [Table] {
    let roots = model.entities.filter { $0.superentity == nil }
    // Tables get their names before any index does, so that they keep the plain ones.
    let identifiers = roots.map { names.take($0.name, $0.name + "_table") }
    for (index, root) in roots.enumerated() { tableIndex[root.index] = index }
    return zip(roots, identifiers).enumerated().map { index, root in
      makeTable(index: index, root: root.0, identifier: root.1)
    }
  }

  private mutating func makeTable(
    index: Int, root: EntityDescription, identifier: Identifier
  ) -> Table {
    let family = root.familyEntities
    var columnNames = NameSpace(reserved: [
      "_row", "_entity", "_version", "rowid", "oid", "_rowid_",
    ])
    var columns: [Table.Column] = []
    // Superentities come first.
    for entity in family {
      if let superentity = entity.superentity {
        for (slot, ordinal) in ordinals[superentity.index].enumerated() {
          ordinals[entity.index][slot] = ordinal
        }
      }
      for property in ownProperties(of: entity) where property.isColumn {
        let type = property.attribute?.type
        ordinals[entity.index][property.slot] = columns.count
        columns.append(
          Table.Column(
            identifier: columnNames.take(property.name, "\(entity.name)_\(property.name)"),
            ordinal: columns.count, storage: type?.storage ?? .integer, type: type,
            declaringIndex: entity.index, slot: property.slot))
      }
    }
    let positions = columns.compactMap { column -> Table.Position? in
      guard isInverseOrdered(column) else { return nil }
      let name = column.identifier.name + "_position"
      return Table.Position(
        identifier: columnNames.take(name, "_" + name), reference: column.ordinal)
    }
    let indexes = makeIndexes(family: family, table: identifier, columns: columns)
    return Table(
      index: index, identifier: identifier, rootIndex: root.index,
      hasEntityColumn: family.count > 1, columns: columns, positions: positions, indexes: indexes)
  }

  /// Properties that the entity does not inherit.
  private func ownProperties(of entity: EntityDescription) -> ArraySlice<PropertyDescription> {
    entity.properties.dropFirst(entity.superentity?.properties.count ?? 0)
  }

  private func relationship(of column: Table.Column) -> RelationshipDescription? {
    model.records[column.declaringIndex].properties[column.slot].relationship
  }

  private func inverse(of column: Table.Column) -> RelationshipDescription? {
    relationship(of: column).flatMap {
      EntityDescription(model: model, index: column.declaringIndex).inverse(of: $0)
    }
  }

  private func isInverseOrdered(_ column: Table.Column) -> Bool {
    inverse(of: column).map { $0.isToMany && $0.isOrdered } ?? false
  }

  // MARK: - Indexes

  /// Indexes on primary keys, on references that are looked up from the other side (those with a
  /// to-many inverse, and those without inverse, which a deletion has to clear), on uniqueness
  /// constraints, and those that the model asks for.
  private mutating func makeIndexes(
    family: [EntityDescription], table: Identifier, columns: [Table.Column]
  ) -> [Table.Index] {
    var known: Set<[Int]> = []
    return wantedIndexes(of: family, columns).compactMap { wanted in
      let columns = wanted.elements.map(\.column)
      let isAscending = wanted.elements.map(\.isAscending)
      let signature = zip(columns, isAscending).map { $0 * 2 + ($1 ? 0 : 1) }
      guard !columns.isEmpty, known.insert(signature).inserted else { return nil }
      return Table.Index(
        identifier: names.take("\(table.name)_\(wanted.name)_index"), columns: columns,
        isAscending: isAscending)
    }
  }

  private typealias WantedIndex = (name: String, elements: [(column: Int, isAscending: Bool)])

  private func wantedIndexes(
    of family: [EntityDescription], _ columns: [Table.Column]
  ) -> [WantedIndex] {
    var wanted = family.compactMap { entity in
      entity.primaryKey.flatMap { index($0.name, on: [($0.name, true)], of: entity) }
    }
    for column in columns where relationship(of: column) != nil {
      guard inverse(of: column)?.isToMany ?? true else { continue }
      wanted.append((column.identifier.name, [(column.ordinal, true)]))
    }
    for entity in family {
      for names in entity.uniquenessConstraints {
        let name = names.joined(separator: "_")
        wanted += index(name, on: names.map { ($0, true) }, of: entity).map { [$0] } ?? []
      }
      for fetched in entity.indexes {
        let elements = fetched.elements.map { ($0.property, $0.ascending) }
        wanted += index(fetched.name, on: elements, of: entity).map { [$0] } ?? []
      }
    }
    return wanted
  }

  /// - Returns: Nil when a property has no column.
  private func index(
    _ name: String, on properties: [(name: String, isAscending: Bool)], of entity: EntityDescription
  ) -> WantedIndex? {
    let elements = properties.compactMap { property in
      entity.property(named: property.name).flatMap { ordinal($0.slot, of: entity) }
        .map { (column: $0, isAscending: property.isAscending) }
    }
    return elements.count == properties.count ? (name, elements) : nil
  }

  private func ordinal(_ slot: Int, of entity: EntityDescription) -> Int? {
    let ordinal = ordinals[entity.index][slot]
    return ordinal < 0 ? nil : ordinal
  }

  func ordinals(of entity: EntityDescription) -> [Int] { ordinals[entity.index] }

  // MARK: - Links

  mutating func makeLinks() -> [LinkTable] {
    var links: [LinkTable] = []
    for entity in model.entities {
      for property in ownProperties(of: entity) {
        guard let relationship = property.relationship, relationship.kind == .manyToMany,
          !relationship.isTransient
        else { continue }
        let key = PropertyKey(entity: entity.index, slot: relationship.slot)
        guard linkEnds[key] == nil else { continue }
        links.append(makeLink(relationship, of: entity, key: key, index: links.count))
      }
    }
    return links
  }

  private mutating func makeLink(
    _ relationship: RelationshipDescription, of entity: EntityDescription, key: PropertyKey,
    index: Int
  ) -> LinkTable {
    let inverse = entity.inverse(of: relationship)
    let inverseKey = inverse.map(PropertyKey.init)
    let isSymmetric = inverseKey == key
    let identifier = names.take("\(entity.name)_\(relationship.name)")
    linkEnds[key] = (index, true)
    if let inverseKey, !isSymmetric { linkEnds[inverseKey] = (index, false) }
    return LinkTable(
      index: index, identifier: identifier, sourceEntity: key.entity, sourceSlot: key.slot,
      targetSlot: inverseKey?.slot, isSourceOrdered: relationship.isOrdered,
      isTargetOrdered: !isSymmetric && (inverse?.isOrdered ?? false), isSymmetric: isSymmetric,
      reverseIndex: names.take("\(identifier.name)_reverse_index"))
  }

  func linkEnds(of entity: EntityDescription, in links: [LinkTable]) -> [Int: LinkEnd] {
    var ends: [Int: LinkEnd] = [:]
    for relationship in entity.relationships {
      guard let end = linkEnds[PropertyKey(relationship)] else { continue }
      ends[relationship.slot] = LinkEnd(table: links[end.link], isForward: end.isForward)
    }
    return ends
  }
}
