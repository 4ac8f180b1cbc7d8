import SyncCore

/// Puts stored objects in the place of their stand-ins in all that was said, and has every relationship looked at
/// again that was said of either.
struct StandInRenaming {
  typealias Relationship = Claims.Relationship

  let objects: StandInSettlement.Objects
  /// Whom stand-ins meant by keys.
  let meant: [StandInKeys.Place: [Int64: Int64]]
  let model: ManagedObjectModel
  /// The table of the items at the top.
  let root: Int
  let control: SyncControl

  func rename(in claims: Claims) throws {
    for (root, rows) in objects {
      for (standIn, stored) in rows where claims.mentioned[root]?.contains(standIn) == true {
        claims.mentioned[root]?.insert(stored)
      }
    }
    for (list, rows) in claims.listed { claims.listed[list] = renamed(rows, destination(list)) }
    claims.parentMembers = renamed(claims.parentMembers, root)
    for (place, own) in meant {
      for row in own.values {
        claims.mentioned[destination(place.relationship), default: RowSet()].insert(row)
      }
    }
    try renameReferences(in: claims)
    guard var parts = claims.parts else { return }
    // Taken out, so that it is changed in place.
    claims.parts = nil
    defer { claims.parts = parts }
    for (key, rows) in parts.spoken { parts.spoken[key] = renamed(rows, root(key)) }
    for (key, rows) in parts.named { parts.named[key] = renamed(rows, destination(key)) }
    if try renameStatements(in: &parts) { claims.isRootSuspended = true }
  }

  private func root(_ key: Relationship) -> Int { model.entities[key.entity].rootIndex }

  private func destination(_ key: Relationship) -> Int {
    let relationship = model.entities[key.entity].properties[key.slot].relationship
    return relationship.map { model.entities[$0.destinationIndex].rootIndex } ?? root(key)
  }

  private func renamed(_ rows: RowSet, _ root: Int) -> RowSet {
    var result = rows
    for (standIn, stored) in objects[root] ?? [:] where rows.contains(standIn) {
      result.insert(stored)
    }
    return result
  }

  /// What is given again replaces what waited before, whichever of the two it was said of.
  private func renameReferences(in claims: Claims) throws {
    guard claims.hasUnresolved else { return }
    let references = claims.unresolved
    let places = Set(references.lazy.filter { storedOwner(of: $0) != nil }.map(renamedPlace))
    guard !places.isEmpty else { return }
    let speakers = try lastSpeakers(of: places, claims)
    claims.drop(Set(references.map(\.place)))
    for reference in references {
      let place = renamedPlace(of: reference)
      if let speaker = speakers[place], speaker != reference.owner.row { continue }
      guard let owner = storedOwner(of: reference) else {
        claims.append(reference)
        continue
      }
      claims.append(
        UnresolvedReference(
          owner: ManagedObjectID(entity: reference.owner.entity, row: owner),
          relationship: reference.relationship, destination: reference.destination,
          key: reference.key, ownerKey: reference.ownerKey, isNested: reference.isNested,
          isRefused: reference.isRefused))
    }
  }

  private func renamedPlace(of reference: UnresolvedReference) -> UnresolvedReference.Place {
    let owner = ManagedObjectID(
      entity: reference.owner.entity, row: storedOwner(of: reference) ?? reference.owner.row)
    return UnresolvedReference.Place(owner: owner, slot: reference.relationship.slot)
  }

  /// Who spoke last of relationships that several objects which are one spoke of.
  private func lastSpeakers(
    of places: Set<UnresolvedReference.Place>, _ claims: Claims
  ) throws -> [UnresolvedReference.Place: Int64] {
    var result: [UnresolvedReference.Place: Int64] = [:]
    var known: [StandInKeys.Place: UnresolvedReference.Place] = [:]
    let names = objects.mapValues { Dictionary(grouping: $0.keys) { [rows = $0] in rows[$0] ?? 0 } }
    for place in places {
      guard let relationship = place.owner.entity.properties[place.slot].relationship else {
        continue
      }
      let others = names[place.owner.entity.rootIndex]?[place.owner.row] ?? []
      for row in [place.owner.row] + others {
        known[.init(relationship: Relationship(relationship), row: row)] = place
      }
    }
    try claims.parts?.log.forEachStatement(control.checkpoint) { _, statement in
      guard statement.kind == .list || statement.kind == .reference,
        let place = known[.init(relationship: statement.relationship, row: statement.row)]
      else { return }
      result[place] = statement.row
    }
    return result
  }

  private func storedOwner(of reference: UnresolvedReference) -> Int64? {
    objects[reference.owner.entity.rootIndex]?[reference.owner.row]
  }

  // MARK: - The log

  /// - Returns: Whether a given parent turned out to have a list with a key that cannot be read.
  private func renameStatements(in parts: inout PartMemory) throws -> Bool {
    var isSuspended = false
    let parents = try ownersOfPartedLists(parts)
    var log = StatementLog()
    var marks: [(row: Int64, relationship: Relationship, isList: Bool)] = []
    try parts.log.forEachStatement(control.checkpoint) { _, statement in
      let key = statement.relationship
      let isWord = statement.kind == .list || statement.kind == .reference
      guard isWord || statement.kind == .column else {
        log.append(statement.kind, statement.flags, key, statement.row, statement.members)
        return
      }
      let owners = objects[root(key)] ?? [:]
      let standIns = objects[destination(key)] ?? [:]
      var members = standIns
      if isWord, let own = meant[.init(relationship: key, row: statement.row)] {
        members.merge(own) { $1 }
      }
      // What became of the stand-in itself says nothing of the stored object.
      let row = isWord ? owners[statement.row] : nil
      let mayHoldMembers = statement.members.contains { members[$0] != nil }
      let renamed =
        mayHoldMembers ? statement.members.map { members[$0] ?? $0 } : statement.members
      // A given parent's list counts, whatever its own item says.
      if statement.kind == .list, let row, parents[key]?.contains(row) ?? false {
        marks += statement.members.map { (members[$0] ?? $0, key, false) }
        if statement.flags.contains(.keepsAll) {
          log.append(.list, statement.flags.union(.goesOn), key, row, [])
          isSuspended = true
        }
        return
      }
      log.append(statement.kind, statement.flags, key, row ?? statement.row, renamed)
      guard isWord, row != nil || mayHoldMembers,
        let relationship = model.entities[key.entity].properties[key.slot].relationship
      else { return }
      if let mark = mark(statement, relationship, row: row) { marks.append(mark) }
      guard mayHoldMembers, relationship.kind == .oneToMany else { return }
      // Where an object that is named twice stands goes by the later name.
      if relationship.isOrdered, Set(renamed).count < renamed.count {
        marks.append((row ?? statement.row, key, true))
      }
      for member in renamed + statement.members where standIns[member] == nil {
        marks.append((member, key, false))
      }
    }
    parts.log = log
    for mark in marks where mark.row > 0 {
      if mark.isList {
        parts.look(at: mark.row, listing: mark.relationship)
      } else {
        parts.look(at: mark.row, of: mark.relationship)
      }
    }
    return isSuspended
  }

  /// Owners whose lists go on from part to part.
  private func ownersOfPartedLists(_ parts: PartMemory) throws -> [Relationship: Set<Int64>] {
    var owners: [Relationship: Set<Int64>] = [:]
    try parts.log.forEachStatement(control.checkpoint) { _, statement in
      guard statement.kind == .list, statement.flags.contains(.goesOn) else { return }
      owners[statement.relationship, default: []].insert(statement.row)
    }
    return owners
  }

  /// What has to be looked at again because of a statement with a stand-in.
  private func mark(
    _ statement: StatementLog.Statement, _ relationship: RelationshipDescription, row: Int64?
  ) -> (row: Int64, relationship: Relationship, isList: Bool)? {
    let key = statement.relationship
    let speaker = row ?? statement.row
    switch relationship.kind {
    case .manyToMany: return (speaker, key, true)
    case .oneToMany: return row.map { ($0, key, true) }
    case .toOne:
      let list = model.entities[key.entity].inverse(of: relationship).flatMap {
        $0.isToMany ? Relationship($0) : nil
      }
      return (speaker, list ?? key, false)
    }
  }
}
