package import SyncCore

/// A row as the object graph wants it: values by slot.
package struct StoredRow: Sendable {
  package let entity: EntityDescription
  package let row: Int64

  /// Raised by every change of the row; a save that expects another version is in conflict.
  package let version: Int64

  /// By slot: attributes as values of their type, a to-one as `.int` of the destination's row
  /// number, to-many and transient properties as `.null`.
  package var values: RowValues

  package init(entity: EntityDescription, row: Int64, version: Int64, values: RowValues) {
    self.entity = entity
    self.row = row
    self.version = version
    self.values = values
  }

  package var id: ManagedObjectID { ManagedObjectID(entity: entity, row: row) }
}

/// One member of an owner's to-many relationship.
package struct StoredMember: Sendable, Hashable {
  package let owner: Int64
  package let row: Int64
  package let entity: EntityDescription

  package init(owner: Int64, row: Int64, entity: EntityDescription) {
    self.owner = owner
    self.row = row
    self.entity = entity
  }
}

/// The values of a row by slot: those of the page it was read with, until one is set.
package enum RowValues: Sendable {
  /// There are none.
  case none

  /// A row of a page that other rows use too.
  case shared(RowPage, Int32)

  /// Values of one's own.
  case own([Value])

  package var isNone: Bool {
    if case .none = self { true } else { false }
  }

  /// All values, in slot order; made anew for a row of a page.
  ///
  /// - Complexity: O(*n*) in the number of slots.
  package var array: [Value] {
    switch self {
    case .none: []
    case .shared(let page, let index):
      (0..<page.slotCount(Int(index))).map { page.value(Int(index), $0) }
    case .own(let values): values
    }
  }

  /// Whether a slot has no value; cheaper than to ask for the value.
  package func isNull(_ slot: Int) -> Bool {
    switch self {
    case .none: true
    case .shared(let page, let index): page.isNull(Int(index), slot)
    case .own(let values): values[slot].isNull
    }
  }

  /// Those of some slots that have no value.
  package func nulls(among slots: [Int]) -> [Int] {
    switch self {
    case .none: slots
    case .shared(let page, let index): slots.filter { page.isNull(Int(index), $0) }
    case .own(let values): slots.filter { values[$0].isNull }
    }
  }

  /// The value of a slot. Setting one copies those of a page.
  package subscript(slot: Int) -> Value {
    get {
      switch self {
      case .none: .null
      case .shared(let page, let index): page.value(Int(index), slot)
      case .own(let values): values[slot]
      }
    }
    set {
      var values = array
      // Nothing else may hold the values, or they would be copied once more.
      self = .none
      values[slot] = newValue
      self = .own(values)
    }
  }
}

extension RowValues: Equatable {
  /// Whether all slots hold equal values.
  package static func == (left: RowValues, right: RowValues) -> Bool {
    if case .shared(let page, let index) = left, case .shared(let other, let position) = right,
      page === other, index == position
    {
      return true
    }
    return left.isNone == right.isNone && left.array == right.array
  }
}
