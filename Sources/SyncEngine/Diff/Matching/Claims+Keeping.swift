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
    copy.madeEntities = madeEntities
    copy.parts = parts
    copy.nesters = nesters
    copy.standIns = standIns
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
    var standIns: StandIns?
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
    let kept = Kept(
      numbering: Numbering(model), mentioned: mentioned, listed: listed,
      unlisted: try Claims.packed(unlisted[...], control), parentMembers: parentMembers,
      parentOrder: parentOrder.isEmpty ? nil : PackedIntegers(parentOrder), surplus: surplus,
      namesakes: namesakes, unresolved: try KeptReferences(unresolved, control),
      counts: counts,
      isRootSuspended: isRootSuspended, rootItemsNameParent: rootItemsNameParent,
      rootScope: rootScope.map(PackedIntegers.init), parts: parts, nesters: nesters,
      standIns: standIns.isEmpty ? nil : standIns)
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
    mentioned = kept.mentioned
    listed = kept.listed
    surplus = kept.surplus
    namesakes = kept.namesakes
    parentMembers = kept.parentMembers
    parentOrder = kept.parentOrder?.values ?? []
    try append(kept.unlisted, of: model, control)
    try append(kept.unresolved, of: model, control)
    try set(counts: kept.counts)
    isRootSuspended = kept.isRootSuspended
    rootItemsNameParent = kept.rootItemsNameParent
    rootScope = kept.rootScope?.values
    parts = kept.parts
    nesters = kept.nesters
    standIns = kept.standIns ?? StandIns()
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
