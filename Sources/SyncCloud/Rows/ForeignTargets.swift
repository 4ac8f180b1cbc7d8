import SyncCore
import SyncStore

/// A record of a shared zone that says something of an object in another zone. A participant that
/// may write can send records that no engine makes: as a parent, or a half of a one-to-one, they
/// could name an object that is private. Such a reference leads nowhere until its object is in the
/// zone, and is a problem with a name.
///
/// The own zone is written by the account alone: a reference there is an edit, wherever it leads.
/// So is a plain reference, of which the object at the other end has no part.
extension CloudWriting {
  /// Whether a record of a zone may lead to an object.
  ///
  /// - Parameters:
  ///   - zone: That of the record.
  ///   - target: The object's record.
  func mayLead(
    _ relationship: RelationshipDescription, of entity: EntityDescription, from zone: String,
    to target: RemoteRecord
  ) throws -> Bool {
    guard zone != target.zone, CloudZone(key: zone).root != nil else { return true }
    if fields.rules(of: entity).parent?.slot == relationship.slot {
      // An object that is put below one that has gone meanwhile goes along.
      return try transaction.remoteRecord(target.name, in: zone) != nil
        && (target.zone != homeName || target.moved != nil)
    }
    return !relationship.isOneToOne
  }

  /// The problem of a reference that may not lead where its record says.
  func foreignReason(_ link: RemoteLink) -> String {
    "“\(link.field)” is to lead to \(link.entity) \(link.target), which is not in the share. It "
      + "leads nowhere until that is moved there, or until it is edited."
  }

  /// Forgets problems of references whose objects went meanwhile, and leads those that may lead
  /// where they say by now. Zones are pulled one after the other: the record that ends such a
  /// problem may come in any of them, by any way.
  func settleForeign() throws {
    guard hasLinks, hasShares else { return }
    for zone in try sharedZones.get().map(\.key) {
      for record in try transaction.remoteProblems(in: zone) {
        let links = try transaction.remoteLinks(from: record.name, in: zone)
        for link in links where record.problem == foreignReason(link) {
          try settleForeign(link, of: record)
        }
      }
    }
  }

  private func settleForeign(_ link: RemoteLink, of record: RemoteRecord) throws {
    guard let entity = model.entity(named: record.entity),
      let relationship = entity.property(named: link.field)?.relationship
    else { return }
    let target = try enter(record.zone) {
      try find(link.target, entity.destination(of: relationship))
    }
    guard let target, let object = object(of: target) else {
      return try removeForeignProblem(of: link, in: record.zone)
    }
    guard try mayLead(relationship, of: entity, from: record.zone, to: target) else { return }
    try enter(target.zone) { try followLinks(to: link.target, object.row, object.entity) }
  }

  /// Forgets that problem of a record whose reference leads where it says.
  func removeForeignProblem(of link: RemoteLink, in zone: String) throws {
    guard var record = try transaction.remoteRecord(link.source, in: zone),
      record.problem == foreignReason(link)
    else { return }
    record.problem = nil
    try transaction.setRemoteRecord(record)
  }
}

extension RecordWriter {
  /// Names references that were not taken as problems, once all objects that came are here.
  mutating func refuseForeign() throws {
    for (item, link) in foreign {
      guard var record = try transaction.remoteRecord(link.source, in: zone),
        let row = record.row, let slot = item.entity.property(named: link.field)?.slot
      else { continue }
      let object = ManagedObjectID(entity: item.entity, row: row)
      // The other half of a one-to-one has said so.
      guard try transaction.value(slot, of: object).isNull else {
        try writing.removeLink(from: link.source, link.field)
        continue
      }
      // A problem would hold back the fields that wait.
      guard record.waiting.isEmpty, record.problem == nil else { continue }
      record.problem = writing.foreignReason(link)
      try transaction.setRemoteRecord(record)
      counts.problems += 1
    }
  }

  /// Why there is no object of an entity in the zone that is worked on; nil when there may be.
  func stranger(_ entity: EntityDescription, _ name: String, among shown: [CloudRecord]) throws
    -> String?
  {
    guard source == zone, let root = CloudZone(key: zone).root, name != root else { return nil }
    let known =
      try transaction.remoteRecord(root, in: zone)?.entity
      ?? shown.first { $0.name == root }.map(type)
    let above = known.flatMap(writing.model.entity(named:))
    guard !writing.fields.mayBe(entity, below: above) else { return nil }
    return "An object of \(entity.name) is not below \(above?.name ?? "the shared object") in this "
      + "model, so that it is there has no meaning here. Delete it where it was made, or name its "
      + "parent in the model (cloud.parent)."
  }
}

extension TravellingFields {
  /// Whether objects of an entity can be below a shared one: by their parents, theirs, and so on.
  ///
  /// - Parameter root: The entity of that; nil while it is not known.
  func mayBe(_ entity: EntityDescription, below root: EntityDescription?) -> Bool {
    guard let root else { return rules(of: entity).parent != nil }
    var (next, seen) = ([entity], Set<Int>())
    while let each = next.popLast() {
      guard let parent = rules(of: each).parent else { continue }
      let above = each.destination(of: parent)
      if root.isKind(of: above) || above.isKind(of: root) { return true }
      next += model.entities.filter { $0.isKind(of: above) && seen.insert($0.index).inserted }
    }
    return false
  }
}
