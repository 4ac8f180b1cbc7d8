import SyncCore
import SyncStore

/// To-one relationships that wait for the objects to which they lead.
extension CloudWriting {
  func setLink(_ link: RemoteLink) throws {
    hasLinks = true
    try transaction.setRemoteLink(link, in: zone.name)
  }

  /// Keeps as a link that the parent of a record's object is in another zone.
  func setStray(_ source: String, _ field: String, _ target: RemoteRecord) throws {
    hasStrays = true
    try setLink(
      RemoteLink(
        source: source, field: field, target: target.name,
        entity: fields.type(of: target.entity)))
  }

  func removeLink(from source: String, _ field: String) throws {
    if hasLinks { try transaction.removeRemoteLink(from: source, field, in: zone.name) }
  }

  /// Forgets where an object that goes has led, and the orders of its lists.
  func forgetReferences(of name: String) throws {
    try removeLinks(from: name)
    if fields.hasLists { try transaction.removeRemoteLists(of: name, in: zone.name) }
  }

  /// Sets the references that waited for an object that came, and joins it with the objects of its
  /// pairs.
  func follow(
    _ name: String, _ row: Int64, _ entity: EntityDescription,
    parting: PairWriter.Parting = .deletions
  ) throws {
    try followLinks(to: name, row, entity)
    try PairWriter(writing: self).follow(name, parting: parting)
  }

  /// Sets the references that waited for an object.
  func followLinks(to name: String, _ row: Int64, _ entity: EntityDescription) throws {
    let links = hasLinks ? try transaction.remoteLinks(to: name) : []
    for (zone, link) in links where isOurs(zone) {
      guard let source = try transaction.remoteRecord(link.source, in: zone).flatMap(object(of:)),
        case let owner = source.entity, let property = owner.property(named: link.field),
        let relationship = property.relationship,
        entity.isKind(of: owner.destination(of: relationship))
      else { continue }
      // As it is found: where two zones have one of that name, each leads to its own.
      guard try zone == current || transaction.remoteRecord(name, in: zone)?.row == nil else {
        try transaction.removeRemoteLink(from: link.source, link.field, in: zone)
        continue
      }
      if let target = try transaction.remoteRecord(of: row, entity),
        try !mayLead(relationship, of: owner, from: zone, to: target)
      {
        continue
      }
      try removeForeignProblem(of: link, in: zone)
      try RowValueWriter(self, owner).update(source.row, [(property.slot, .int(row))])
      if zone != current, fields.rules(of: owner).parent?.name == link.field {
        hasStrays = true
      } else {
        try transaction.removeRemoteLink(from: link.source, link.field, in: zone)
      }
    }
  }

  /// Sets the references that wait for objects of those names and that are here, in whatever zone.
  func follow(_ names: [String]) throws {
    for zone in try zoneNames() {
      try enter(zone) {
        for name in names {
          let record = try transaction.remoteRecord(name, in: zone)
          guard let object = record.flatMap(object(of:)) else { continue }
          try follow(name, object.row, object.entity)
        }
      }
    }
  }

  func removeLinks(from source: String) throws {
    guard hasLinks else { return }
    for link in try transaction.remoteLinks(from: source, in: zone.name) {
      try transaction.removeRemoteLink(from: source, link.field, in: zone.name)
    }
  }
}
