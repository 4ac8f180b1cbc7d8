/// Finds the destination and the inverse of every relationship.
///
/// Both sides of an inverse must name each other, and each must lead to the entity that declares
/// the other. An inherited relationship keeps the destination and inverse of the declaring entity,
/// and is taken from there: found once, however many entities inherit it.
struct RelationshipResolver {
  let indexes: [String: Int]

  func resolve(_ records: inout [EntityRecord]) throws(ModelError) {
    for index in records.indices {
      for slot in records[index].properties.indices {
        guard var relationship = records[index].properties[slot].relationship,
          relationship.declaringIndex == index
        else { continue }
        let owner = records[relationship.declaringIndex].name
        guard let destination = indexes[relationship.destinationName] else {
          throw .unknownDestination(of: relationship, in: owner, known: records.map(\.name))
        }
        relationship.destinationIndex = destination
        if let inverse = try inverse(of: relationship, in: records) {
          relationship.inverseSlot = inverse.slot
          relationship.isInverseToMany = inverse.isToMany
        }
        records[index].properties[slot] = .relationship(relationship)
      }
    }
    for index in records.indices {
      for slot in records[index].properties.indices {
        guard let declaring = records[index].properties[slot].relationship?.declaringIndex,
          declaring != index
        else { continue }
        records[index].properties[slot] = records[declaring].properties[slot]
      }
    }
  }

  private func inverse(
    of relationship: RelationshipDescription, in records: [EntityRecord]
  ) throws(ModelError) -> RelationshipDescription? {
    guard let name = relationship.inverseName else { return nil }
    let owner = records[relationship.declaringIndex].name
    let destination = records[relationship.destinationIndex]
    guard let slot = destination.slots[name],
      let inverse = destination.properties[slot].relationship
    else { throw .unknownInverse(of: relationship, in: owner) }
    guard inverse.inverseName == relationship.name, inverse.destinationName == owner,
      inverse.declaringIndex == relationship.destinationIndex
    else {
      throw .inverseMismatch(
        of: relationship, in: owner, inverse: inverse,
        declaredBy: records[inverse.declaringIndex].name)
    }
    guard inverse.isTransient == relationship.isTransient else {
      throw .transientInverse(of: relationship, in: owner)
    }
    return inverse
  }
}
