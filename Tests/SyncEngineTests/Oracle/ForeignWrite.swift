import SyncStack
import TestSupport

/// A write of another program to one object.
struct ForeignWrite {
  enum Kind: CaseIterable {
    case update
    case rekey
    case delete
    case insert
    case unlink
    case rename
  }

  let kind: Kind
  let entity: String
  /// Which object, in the order of the rows.
  let position: Int
  /// The new key.
  let number: Int64

  func apply(to store: Store) throws {
    let entity = try store.model.requireEntity(named: entity)
    guard !entity.isAbstract, let id = entity.primaryKey else { return }
    let key = [id.name: id.type == .string ? Value.string("\(number)") : .int(number)]
    _ = try store.write(TransactionInfo(source: .import)) { transaction in
      var rows: [StoredRow] = []
      try transaction.scan(entity, .all) { rows.append(try $0.storedRow()) }
      switch (kind, position < rows.count ? rows[position] : nil) {
      case (.insert, _): try transaction.insert(entity.name, [key])
      case (_, nil): break
      case (.delete, let row?): _ = try? transaction.delete([row.row], of: row.entity)
      case (.rekey, let row?): try transaction.update(row.entity.name, row.row, key)
      case (.unlink, let row?):
        let owner = entity.relationships.first {
          !$0.isToMany && ($0.inverseSlot == nil || $0.isInverseToMany)
        }
        if let owner, !row.values[owner.slot].isNull {
          try transaction.lead(owner, of: row.entity, row: row.row, to: nil)
        }
      case (.update, let row?), (.rename, let row?):
        let text = entity.attributes.first { $0.type == .string && $0.name != "id" }
        if let text {
          let value: Value = kind == .update ? "edited" : "a"
          try transaction.update(row.entity.name, row.row, [text.name: value])
        }
      }
    }
  }
}
