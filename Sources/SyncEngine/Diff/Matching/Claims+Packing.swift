import SyncCore

/// Parts of claims as numbers, which a whole state and what came to it share.
extension Claims {
  /// Members without a list that are a piece of their own.
  private static let packedTogether = 4_096

  /// Row, entity, slot and owner of each.
  ///
  /// - Throws: `CancellationError`.
  static func packed(
    _ members: ArraySlice<UnlistedMember>, _ control: SyncControl
  ) throws -> [PackedIntegers] {
    try stride(from: members.startIndex, to: members.endIndex, by: packedTogether).map { start in
      try control.checkpoint()
      let end = min(start + packedTogether, members.endIndex)
      return PackedIntegers(
        members[start..<end].flatMap {
          [$0.row, Int64($0.entity.index), Int64($0.slot), $0.owner]
        })
    }
  }

  /// - Throws: ``outdated`` for numbers that the model does not have; `CancellationError`.
  func append(
    _ packed: [PackedIntegers], of model: ManagedObjectModel, _ control: SyncControl
  ) throws {
    for members in packed.lazy.map(\.values) {
      try control.checkpoint()
      for index in stride(from: 0, to: members.count - members.count % 4, by: 4) {
        append(
          UnlistedMember(
            row: members[index], entity: try Claims.entity(Int(members[index + 1]), of: model),
            slot: Int(members[index + 2]), owner: members[index + 3]))
      }
    }
  }

  /// - Throws: ``outdated`` for numbers that the model does not have; `CancellationError`.
  func append(
    _ kept: KeptReferences, of model: ManagedObjectModel, _ control: SyncControl
  ) throws {
    for (step, reference) in kept.references.enumerated() {
      if step % SyncControl.stride == 0 { try control.checkpoint() }
      let owner = try Claims.entity(reference.ownerEntity, of: model)
      guard owner.properties.indices.contains(reference.slot),
        let relationship = owner.properties[reference.slot].relationship
      else { throw Claims.outdated }
      append(
        UnresolvedReference(
          owner: ManagedObjectID(entity: owner, row: reference.owner),
          relationship: relationship,
          destination: try Claims.entity(reference.destination, of: model),
          key: reference.key, ownerKey: reference.ownerKey, isNested: reference.isNested,
          isRefused: reference.isRefused))
    }
  }

  /// The entity of a number that was kept.
  static func entity(_ index: Int, of model: ManagedObjectModel) throws -> EntityDescription {
    guard model.entities.indices.contains(index) else { throw outdated }
    return model.entities[index]
  }

  /// What is counted, in the order in which it is kept.
  var counts: [Int] { [memberCount, partCount, itemCount, usableItemCount] }

  func set(counts: [Int]) throws {
    guard counts.count == 4 else { throw Claims.outdated }
    memberCount = counts[0]
    partCount = counts[1]
    itemCount = counts[2]
    usableItemCount = counts[3]
  }
}
