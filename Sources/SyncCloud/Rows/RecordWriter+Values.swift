import SyncCore
import SyncStore

/// The values of records for rows: decoded, completed by the model's defaults, references resolved.
extension RecordWriter {
  mutating func decode(_ item: Item) {
    guard item.merge.fate == .insert || item.merge.fate == .update else { return }
    for field in item.merge.resets.sorted() { reset(field, item) }
    let rules = writing.fields.rules(of: item.entity)
    for travelling in rules.fields {
      let (slot, field) = (travelling.slot, travelling.name)
      guard let json = item.merge.values[field] else { continue }
      if let type = travelling.type {
        if let value = FieldCoding.decode(json, as: type) {
          if value.isNull, let attribute = item.entity.properties[slot].attribute,
            !attribute.isOptional
          {
            clear(attribute, item)
            continue
          }
          item.values.append((slot, value))
          if rules.assets[field] != nil, CloudAsset(json) != nil { writing.bringsAssets = true }
        } else if FieldSeal.isSealed(json) {
          refuse(
            field, item,
            "Field “\(field)” is encrypted and cannot be opened here; the value here stays as it is."
          )
        } else {
          refuse(
            field, item,
            "Field “\(field)” holds \(json.kindText) that is no \(type.rawValue); the value "
              + "here stays as it is.")
        }
      } else if let list = item.entity.properties[slot].relationship, list.isToMany {
        if let names = FieldCoding.decodeOrder(json) {
          item.orders.append((list, names))
        } else {
          refuse(field, item, "Field “\(field)” holds no order; the one here stays as it is.")
        }
      } else if let reference = FieldCoding.decodeReference(json) {
        item.references.append((slot, reference))
      } else {
        refuse(field, item, "Field “\(field)” holds no reference; the value here stays as it is.")
      }
    }
  }

  /// Takes the model's default for a required value that was cleared elsewhere, where the model
  /// does not require it. Without a default, a stored object keeps its value, and a new one is put
  /// aside because the value is missing.
  private mutating func clear(_ attribute: AttributeDescription, _ item: Item) {
    if !attribute.defaultValue.isNull {
      item.values.append((attribute.slot, attribute.storedDefault))
    } else if item.merge.fate == .update {
      refuse(
        attribute.name, item,
        "The required value “\(attribute.name)” was cleared elsewhere, and the model has no default "
          + "for it; the value here stays as it is.")
    }
  }

  /// A required value without default stays as it is.
  private func reset(_ field: String, _ item: Item) {
    guard let property = item.entity.property(named: field) else { return }
    if let attribute = property.attribute {
      guard attribute.isOptional || !attribute.defaultValue.isNull else { return }
      item.values.append((property.slot, attribute.storedDefault))
    } else if let list = property.relationship, list.isToMany {
      item.orders.append((list, []))
    } else {
      item.references.append((property.slot, nil))
    }
  }

  /// Leaves a field as it is, and keeps the record until its value can be used: with another model,
  /// or another key.
  private mutating func refuse(_ field: String, _ item: Item, _ reason: String) {
    item.merge.leave(field, as: item.before)
    item.merge.record.kept = item.shown.content?.description
    item.merge.record.problem = reason
    counts.problems += 1
  }

  /// Gives objects that come their row numbers, and fills in the fields that their records leave
  /// out.
  mutating func place(_ items: inout [Item]) throws {
    var comers: [Int: [Int]] = [:]
    var usable: [Item] = []
    for item in items {
      if item.merge.fate == .insert, let missing = fillDefaults(item) {
        try keepAside(
          item.shown, item.before,
          "The required value “\(missing)” is missing, and the model has "
            + "no default for it.")
        continue
      }
      if item.merge.fate == .insert {
        comers[item.entity.index, default: []].append(usable.count)
      }
      usable.append(item)
    }
    for (index, places) in comers.inKeyOrder {
      let entity = EntityDescription(model: writing.model, index: index)
      let first = try transaction.reserveRows(places.count, in: entity)
      for (offset, place) in places.enumerated() {
        usable[place].merge.record.row = first + Int64(offset)
      }
    }
    items = usable
    guard items.contains(where: { !$0.references.isEmpty }) else { return }
    var rows: [String: (row: Int64, entity: EntityDescription)] = [:]
    for item in items where item.merge.fate == .insert {
      rows[item.shown.name] = item.merge.record.row.map { ($0, item.entity) }
    }
    for item in items { try resolve(item, rows) }
  }

  /// - Returns: the name of a required value that is missing.
  func fillDefaults(_ item: Item) -> String? {
    var given = SlotSet()
    for (slot, _) in item.values { given.insert(slot) }
    for attribute in writing.fields.rules(of: item.entity).filled
    where !given.contains(attribute.slot) {
      if attribute.defaultValue.isNull { return attribute.name }
      item.values.append((attribute.slot, attribute.storedDefault))
    }
    return nil
  }

  mutating func resolve(
    _ item: Item, _ rows: [String: (row: Int64, entity: EntityDescription)]
  ) throws {
    for (slot, target) in item.references {
      let property = item.entity.properties[slot]
      guard let relationship = property.relationship else { continue }
      try writing.removeLink(from: item.shown.name, property.name)
      var row: Int64?
      var isForeign = false
      if let target {
        let destination = item.entity.destination(of: relationship)
        if let comer = rows[target.name] {
          row = comer.entity.isKind(of: destination) ? comer.row : nil
        } else {
          let known = try writing.find(target.name, destination)
          if let known, try !mayLead(relationship, item, to: known) {
            isForeign = true
          } else {
            row = known?.row
          }
          if let known, row != nil, known.zone != zone,
            writing.fields.rules(of: item.entity).parent?.slot == slot
          {
            try writing.setStray(item.shown.name, property.name, known)
          }
        }
        if row == nil {
          let link = RemoteLink(
            source: item.shown.name, field: property.name, target: target.name,
            entity: target.entity)
          try writing.setLink(link)
          if isForeign { foreign.append((item, link)) }
        }
      }
      let value = row.map(Value.int) ?? .null
      if relationship.isOneToOne {
        item.partners.append((slot, value))
      } else {
        item.values.append((slot, value))
      }
    }
  }

  /// Whether a record may lead to an object; see ``CloudWriting/mayLead(_:of:from:to:)``. Where two
  /// halves of a one-to-one lead to each other already, the other one has said so.
  private func mayLead(
    _ relationship: RelationshipDescription, _ item: Item, to target: RemoteRecord
  ) throws -> Bool {
    if try writing.mayLead(relationship, of: item.entity, from: source, to: target) { return true }
    guard item.merge.fate == .update, let row = item.merge.record.row, let other = target.row else {
      return false
    }
    let object = ManagedObjectID(entity: item.entity, row: row)
    return try transaction.value(relationship.slot, of: object) == .int(other)
  }
}
