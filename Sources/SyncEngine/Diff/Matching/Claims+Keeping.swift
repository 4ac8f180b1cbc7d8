import Foundation
import SyncCore

/// Claims as bytes, so that a page session survives the process.
extension Claims {
  /// A copy that changes on its own.
  func copy() -> Claims {
    let copy = Claims()
    copy.mentioned = mentioned
    copy.listed = listed
    copy.unlisted = unlisted
    copy.parentMembers = parentMembers
    copy.parentOrder = parentOrder
    copy.surplus = surplus
    copy.namesakes = namesakes
    copy.unresolvedByPlace = unresolvedByPlace
    copy.unresolvedOrder = unresolvedOrder
    copy.memberCount = memberCount
    copy.partCount = partCount
    copy.itemCount = itemCount
    copy.usableItemCount = usableItemCount
    copy.isRootSuspended = isRootSuspended
    copy.rootItemsNameParent = rootItemsNameParent
    copy.rootScope = rootScope
    copy.seenKeys = seenKeys
    copy.parts = parts
    copy.nesters = nesters
    return copy
  }

  private struct Kept: Codable {
    /// What the numbers below mean.
    var numbering: Numbering
    var mentioned: [Int: RowSet]
    var listed: [Relationship: RowSet]
    /// Row, entity, slot and owner of each.
    var unlisted: [PackedIntegers]
    var parentMembers: RowSet
    var parentOrder: PackedIntegers?
    var surplus: [Int: RowSet]
    var namesakes: [Int: RowSet]
    var unresolved: KeptReferences
    var counts: [Int]
    var isRootSuspended: Bool
    var rootItemsNameParent: Bool
    var rootScope: PackedIntegers?
    var parts: PartMemory?
    var nesters: Nesters
  }

  /// Names of the entities, and of their properties, by number.
  private struct Numbering: Codable, Hashable {
    var entities: [String]
    var properties: [[String]]

    init(_ model: ManagedObjectModel) {
      entities = model.entities.map(\.name)
      properties = model.entities.map { $0.properties.map(\.name) }
    }
  }

  /// The claims as bytes. Entities and properties are numbered as the model numbers them, so most of it
  /// is of use only as long as the model stays the same.
  ///
  /// - Throws: `CancellationError`: what 100,000 objects said takes some milliseconds.
  func encoded(model: ManagedObjectModel, _ control: SyncControl) throws -> Data {
    let members = try stride(from: 0, to: unlisted.count, by: Claims.keptTogether).map { start in
      try control.checkpoint()
      let end = min(start + Claims.keptTogether, unlisted.count)
      return PackedIntegers(
        unlisted[start..<end].flatMap {
          [$0.row, Int64($0.entity.index), Int64($0.slot), $0.owner]
        })
    }
    let kept = Kept(
      numbering: Numbering(model), mentioned: mentioned, listed: listed,
      unlisted: members, parentMembers: parentMembers,
      parentOrder: parentOrder.isEmpty ? nil : PackedIntegers(parentOrder), surplus: surplus,
      namesakes: namesakes, unresolved: try KeptReferences(unresolved, control),
      counts: [memberCount, partCount, itemCount, usableItemCount],
      isRootSuspended: isRootSuspended, rootItemsNameParent: rootItemsNameParent,
      rootScope: rootScope.map(PackedIntegers.init), parts: parts, nesters: nesters)
    return try KeptPieces.encode(kept) { try control.checkpoint() }
  }

  /// Reads claims of a store with the model.
  ///
  /// - Throws: ``SyncError`` when the store was migrated since: deletions would be decided about the
  ///   wrong objects; `CancellationError`.
  convenience init(
    decoding data: Data, model: ManagedObjectModel, _ control: SyncControl
  ) throws {
    self.init()
    let kept: Kept
    do { kept = try Claims.kept(in: data, control) } catch is DecodingError {
      throw Claims.outdated
    }
    guard kept.numbering == Numbering(model) else { throw Claims.outdated }
    let entities = model.entities
    func entity(_ index: Int) throws -> EntityDescription {
      guard entities.indices.contains(index) else { throw Claims.outdated }
      return entities[index]
    }
    mentioned = kept.mentioned
    listed = kept.listed
    surplus = kept.surplus
    namesakes = kept.namesakes
    parentMembers = kept.parentMembers
    parentOrder = kept.parentOrder?.values ?? []
    for members in kept.unlisted.lazy.map(\.values) {
      try control.checkpoint()
      for index in stride(from: 0, to: members.count - members.count % 4, by: 4) {
        append(
          UnlistedMember(
            row: members[index], entity: try entity(Int(members[index + 1])),
            slot: Int(members[index + 2]), owner: members[index + 3]))
      }
    }
    for (step, reference) in kept.unresolved.references.enumerated() {
      if step % SyncControl.stride == 0 { try control.checkpoint() }
      let owner = try entity(reference.ownerEntity)
      guard owner.properties.indices.contains(reference.slot),
        let relationship = owner.properties[reference.slot].relationship
      else { throw Claims.outdated }
      append(
        UnresolvedReference(
          owner: ManagedObjectID(entity: owner, row: reference.owner),
          relationship: relationship, destination: try entity(reference.destination),
          key: reference.key, ownerKey: reference.ownerKey, isNested: reference.isNested))
    }
    guard kept.counts.count == 4 else { throw Claims.outdated }
    memberCount = kept.counts[0]
    partCount = kept.counts[1]
    itemCount = kept.counts[2]
    usableItemCount = kept.counts[3]
    isRootSuspended = kept.isRootSuspended
    rootItemsNameParent = kept.rootItemsNameParent
    rootScope = kept.rootScope?.values
    parts = kept.parts
    nesters = kept.nesters
  }

  /// Reads the references alone. When the store was migrated since they are found by their names, and
  /// those whose entity or relationship has another name now, or is gone, are left out.
  static func references(
    decoding data: Data, model: ManagedObjectModel, _ control: SyncControl
  ) throws -> [UnresolvedReference] {
    let kept = try kept(in: data, control)
    let names = kept.numbering
    func entity(_ index: Int) -> EntityDescription? {
      names.entities.indices.contains(index) ? model.entity(named: names.entities[index]) : nil
    }
    return try kept.unresolved.references.enumerated().compactMap { step, reference in
      if step % SyncControl.stride == 0 { try control.checkpoint() }
      guard let owner = entity(reference.ownerEntity),
        names.properties[reference.ownerEntity].indices.contains(reference.slot),
        let relationship = owner.relationship(
          named: names.properties[reference.ownerEntity][reference.slot]),
        let destination = entity(reference.destination)
      else { return nil }
      return UnresolvedReference(
        owner: ManagedObjectID(entity: owner, row: reference.owner), relationship: relationship,
        destination: destination, key: reference.key, ownerKey: reference.ownerKey)
    }
  }

  /// Members without a list that are a piece of their own.
  private static let keptTogether = 4_096

  private static func kept(in data: Data, _ control: SyncControl) throws -> Kept {
    try KeptPieces.decode(Kept.self, from: data) { try control.checkpoint() }
  }

  static var outdated: SyncError {
    SyncError(
      .invalidRequest,
      message: """
        The page session was kept with another model or by another version. Abandon it and begin a new one: \
        nothing is lost, deletions are decided by the new one.
        """)
  }
}
