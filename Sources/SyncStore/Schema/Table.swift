package import SyncCore

/// The table of one root entity: its objects and those of all entities below it.
///
/// ```
/// _row  _entity  _version  name  age  company  employees_position …
///       └ only with subentities   └ columns ┘  └ positions ┘
/// ```
package final class Table: Sendable {
  /// One attribute or to-one relationship of the family.
  package struct Column: Sendable {
    package let identifier: Identifier

    /// Position in ``Table/columns``.
    package let ordinal: Int
    package let storage: StorageClass

    /// Type of the attribute; nil for a to-one relationship.
    package let type: AttributeType?

    /// The entity that declares the property, and the property's slot.
    package let declaringIndex: Int
    package let slot: Int

    package var quoted: String { identifier.quoted }
  }

  /// Position of an object among the objects of an ordered to-many whose inverse is a to-one.
  package struct Position: Sendable {
    package let identifier: Identifier

    /// Ordinal of the to-one column that the position stands beside.
    package let reference: Int

    package var quoted: String { identifier.quoted }
  }

  /// A secondary index.
  package struct Index: Sendable {
    package let identifier: Identifier

    /// Ordinals of the indexed columns.
    package let columns: [Int]
    package let isAscending: [Bool]
  }

  /// Position in ``TableLayout/tables``.
  package let index: Int
  package let identifier: Identifier

  /// Index of the root entity in the model.
  package let rootIndex: Int

  /// Whether rows say which entity they are of.
  package let hasEntityColumn: Bool
  package let columns: [Column]
  package let positions: [Position]
  package let indexes: [Index]

  /// Whether the column of an ordinal is part of an index.
  package let isIndexed: [Bool]

  /// ``selectList(prefix:)`` without a prefix, made once.
  let plainSelectList: String

  init(
    index: Int, identifier: Identifier, rootIndex: Int, hasEntityColumn: Bool, columns: [Column],
    positions: [Position], indexes: [Index]
  ) {
    self.index = index
    self.identifier = identifier
    self.rootIndex = rootIndex
    self.hasEntityColumn = hasEntityColumn
    self.columns = columns
    self.positions = positions
    self.indexes = indexes
    var isIndexed = [Bool](repeating: false, count: columns.count)
    for index in indexes {
      for column in index.columns { isIndexed[column] = true }
    }
    self.isIndexed = isIndexed
    plainSelectList = Table.selectList(hasEntityColumn, columns, prefix: "")
  }

  package var quoted: String { identifier.quoted }

  /// Ordinal of the first property column in a row that was selected with ``selectList``.
  package var firstColumn: Int { hasEntityColumn ? 3 : 2 }

  /// The columns of a select of whole rows, in this order: row number, entity number if there is
  /// one, version, columns.
  package func selectList(prefix: String = "") -> String {
    prefix.isEmpty
      ? plainSelectList : Table.selectList(hasEntityColumn, columns, prefix: prefix)
  }

  private static func selectList(
    _ hasEntityColumn: Bool, _ columns: [Column], prefix: String
  ) -> String {
    let system = hasEntityColumn ? ["_row", "_entity", "_version"] : ["_row", "_version"]
    return (system + columns.map(\.quoted)).map { prefix + $0 }.joined(separator: ", ")
  }

  /// The position column beside a to-one column, if the inverse is ordered.
  package func position(beside ordinal: Int) -> Position? {
    positions.first { $0.reference == ordinal }
  }
}
