import SyncCore
import SyncStore

/// Records that were put aside because something here stood in their way: a unique value that
/// another object has, a value that cannot be used, or a deletion that a delete rule denies. They
/// are tried again once that is gone. Confined to the body of a write.
struct SetAside: WritingPart {
  let writing: CloudWriting

  // MARK: - Deletions

  /// Deletes objects that were deleted elsewhere and that a delete rule has kept, as far as it
  /// denies that no more.
  ///
  /// - Returns: How many objects went.
  func deleteDenied() throws -> Int {
    let deleter = ObjectDeleter(writing: writing)
    var count = 0
    for record in try transaction.remoteProblems(in: zone) where record.isDeadButHere {
      guard let object = writing.object(of: record) else { continue }
      do {
        try deleter.delete(object, name: record.name)
      } catch let error as StoreError where error.code == .deletionDenied {
        continue
      }
      try writing.forgetReferences(of: record.name)
      var gone = record
      gone.row = nil
      gone.problem = nil
      try transaction.setRemoteRecord(gone)
      count += 1
    }
    return count
  }

  // MARK: - Values

  /// A record with the values that it would give to its object.
  private struct Candidate {
    let record: RemoteRecord
    let claims: [Claim]
  }

  /// Values that only one object may have.
  private struct Claim {
    let entity: EntityDescription
    let values: [(slot: Int, value: Value)]
  }

  /// Records whose values no object has that is not among them, so that trying them is worth it.
  func free() throws -> [RemoteRecord] {
    var candidates = try transaction.remoteProblems(in: zone).compactMap(candidate)
    while true {
      let rows = Set(candidates.compactMap { candidate in candidate.record.row })
      let free = try candidates.filter { candidate in
        try !candidate.claims.contains { try holder(of: $0, except: rows) != nil }
      }
      if free.count == candidates.count { return free.map(\.record) }
      candidates = free
    }
  }

  /// Reads records once more as the server has them.
  func read(_ records: [RemoteRecord]) throws -> RecordWriter.Counts {
    var shown: [CloudRecord] = []
    for record in records {
      guard let version = record.keptVersion(at: writing.zone.newest) else { continue }
      var open = record
      open.problem = nil
      open.kept = nil
      try writing.store(open, before: record)
      shown.append(version)
    }
    var writer = RecordWriter(writing)
    try writer.write(shown, isFeed: false)
    return writer.counts
  }

  private func candidate(_ record: RemoteRecord) throws -> Candidate? {
    guard let kept = record.keptContent, let entity = writing.model.entity(named: record.entity),
      let content = try? RecordContent(
        CloudRecord(name: record.name, tag: "", content: kept, time: 0), writing.fields.wire)
    else { return nil }
    let taken = writing.fields.rules(of: entity).taken
    let isOpen = content.fields.contains { field in
      field.stamp.text > record.stamp(of: field.name) && taken.contains(field.name)
        && entity.property(named: field.name).map { Self.canTake(field.value, $0) } == true
    }
    guard record.row == nil || isOpen else { return nil }
    let stored = try record.row.flatMap { try transaction.rows(entity, rows: [$0]).first }
    let claims = claims(content, entity, stored)
    // An object without any waits for another model.
    return record.row == nil && claims.isEmpty ? nil : Candidate(record: record, claims: claims)
  }

  /// Whether a property can have the value of a field.
  private static func canTake(_ json: JSONValue, _ property: PropertyDescription) -> Bool {
    guard let attribute = property.attribute else {
      return property.relationship?.isToMany == true
        ? FieldCoding.decodeOrder(json) != nil : FieldCoding.decodeReference(json) != nil
    }
    guard let value = FieldCoding.decode(json, as: attribute.type) else { return false }
    return !value.isNull || attribute.isOptional || !attribute.defaultValue.isNull
  }

  private func claims(
    _ content: RecordContent, _ entity: EntityDescription, _ stored: StoredRow?
  ) -> [Claim] {
    var claims: [Claim] = []
    for each in entity.line {
      for constraint in each.uniquenessConstraints {
        let values = constraint.compactMap { name -> (slot: Int, value: Value)? in
          guard let attribute = entity.property(named: name)?.attribute else { return nil }
          let given = content.fields.first { $0.name == name }
          let value =
            given.flatMap { FieldCoding.decode($0.value, as: attribute.type) }
            ?? stored?.values[attribute.slot] ?? attribute.storedDefault
          return value.isNull ? nil : (attribute.slot, value)
        }
        if values.count == constraint.count { claims.append(Claim(entity: each, values: values)) }
      }
    }
    return claims
  }

  /// The object that has values that only one may have.
  private func holder(of claim: Claim, except rows: Set<Int64>) throws -> ManagedObjectID? {
    let arena = CellArena()
    return try withExtendedLifetime(arena) {
      let first = claim.values[0]
      let cell = arena.cell(first.value, as: claim.entity.properties[first.slot].attribute?.type)
      var holder: ManagedObjectID?
      try transaction.scan(
        claim.entity, .keys(slot: first.slot, [cell]), slots: claim.values.map(\.slot),
        isOrdered: false
      ) { cursor in
        guard holder == nil, !rows.contains(cursor.row),
          claim.values.allSatisfy({ cursor.value($0.slot) == $0.value })
        else { return }
        holder = ManagedObjectID(entity: cursor.entity, row: cursor.row)
      }
      return holder
    }
  }

  /// The text that names the object in the way of a record, and the values that both have.
  func obstacle(of shown: CloudRecord, _ known: RemoteRecord?) throws -> String {
    if let content = try? RecordContent(shown, writing.fields.wire),
      let entity = (content.type ?? known?.entity).flatMap(writing.model.entity(named:))
    {
      let stored = try known?.row.flatMap { try transaction.rows(entity, rows: [$0]).first }
      for claim in claims(content, entity, stored) {
        guard let holder = try holder(of: claim, except: Set([known?.row].compactMap(\.self)))
        else { continue }
        let values = claim.values.map { slot, value in
          "\(claim.entity.properties[slot].name) “\(value)”"
        }.joined(separator: " and ")
        return "\(try name(of: holder)) here has \(values), which the model says is unique. "
          + "Change or delete one of the two."
      }
    }
    return
      "An object here has a value that the model says is unique. Change or delete one of the two."
  }

  private func name(of object: ManagedObjectID) throws -> String {
    guard let key = object.entity.primaryKey else {
      return "\(object.entity.name) in row \(object.row)"
    }
    return "\(object.entity.name) \(try transaction.value(key.slot, of: object))"
  }
}

@available(*, unavailable, message: "Confined to the body of a write.")
extension SetAside: Sendable {}
