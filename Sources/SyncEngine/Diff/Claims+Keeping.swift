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
    copy.surplus = surplus
    copy.unresolvedByPlace = unresolvedByPlace
    copy.unresolvedOrder = unresolvedOrder
    copy.memberCount = memberCount
    copy.partCount = partCount
    copy.itemCount = itemCount
    copy.usableItemCount = usableItemCount
    copy.isRootSuspended = isRootSuspended
    copy.rootItemsNameParent = rootItemsNameParent
    copy.rootScope = rootScope
    return copy
  }

  private struct Kept: Codable {
    var mentioned: [Int: RowSet]
    var listed: [Relationship: RowSet]
    var unlisted: [Member]
    var surplus: [Int: RowSet]
    var unresolved: [Reference]
    var counts: [Int]
    var isRootSuspended: Bool
    var rootItemsNameParent: Bool
    var rootScope: [Int64]?

    struct Member: Codable {
      var row: Int64
      var entity: Int
      var slot: Int
      var owner: Int64
    }

    struct Reference: Codable {
      var owner: Int64
      var ownerEntity: Int
      var slot: Int
      var destination: Int
      var key: Data
      var ownerKey: String
    }
  }

  /// The claims as bytes. Entities and properties are numbered as the model numbers them, so the bytes
  /// are of use only as long as the model stays the same.
  func encoded() throws -> Data {
    let members = unlisted.map {
      Kept.Member(row: $0.row, entity: $0.entity.index, slot: $0.slot, owner: $0.owner)
    }
    let references = unresolved.map {
      Kept.Reference(
        owner: $0.owner.row, ownerEntity: $0.owner.entity.index, slot: $0.relationship.slot,
        destination: $0.destination.index, key: $0.key.archive, ownerKey: $0.ownerKey)
    }
    let kept = Kept(
      mentioned: mentioned, listed: listed, unlisted: members, surplus: surplus,
      unresolved: references, counts: [memberCount, partCount, itemCount, usableItemCount],
      isRootSuspended: isRootSuspended, rootItemsNameParent: rootItemsNameParent,
      rootScope: rootScope)
    return try JSONEncoder().encode(kept)
  }

  /// Reads claims of a store with the model.
  convenience init(decoding data: Data, model: ManagedObjectModel) throws {
    self.init()
    let kept = try JSONDecoder().decode(Kept.self, from: data)
    let entities = model.entities
    func entity(_ index: Int) throws -> EntityDescription {
      guard entities.indices.contains(index) else { throw Claims.outdated }
      return entities[index]
    }
    mentioned = kept.mentioned
    listed = kept.listed
    surplus = kept.surplus
    unlisted = try kept.unlisted.map {
      UnlistedMember(row: $0.row, entity: try entity($0.entity), slot: $0.slot, owner: $0.owner)
    }
    for reference in kept.unresolved {
      let owner = try entity(reference.ownerEntity)
      guard owner.properties.indices.contains(reference.slot),
        let relationship = owner.properties[reference.slot].relationship,
        let key = Value(archive: reference.key)
      else { throw Claims.outdated }
      append(
        UnresolvedReference(
          owner: ManagedObjectID(entity: owner, row: reference.owner),
          relationship: relationship, destination: try entity(reference.destination), key: key,
          ownerKey: reference.ownerKey))
    }
    guard kept.counts.count == 4 else { throw Claims.outdated }
    memberCount = kept.counts[0]
    partCount = kept.counts[1]
    itemCount = kept.counts[2]
    usableItemCount = kept.counts[3]
    isRootSuspended = kept.isRootSuspended
    rootItemsNameParent = kept.rootItemsNameParent
    rootScope = kept.rootScope
  }

  private static var outdated: SyncError {
    SyncError(
      .invalidRequest,
      message: """
        The page session was kept by a store with another model. Abandon it and begin a new one: \
        nothing is lost, deletions are decided by the new one.
        """)
  }
}
