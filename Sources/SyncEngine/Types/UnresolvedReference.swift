import SyncCore
import SyncStore

/// A key in the payload that no object had when it was looked up: the object may still come, in a
/// later part of the payload.
struct UnresolvedReference {
  let owner: ManagedObjectID
  let relationship: RelationshipDescription
  /// Entity whose primary key is meant.
  let destination: EntityDescription
  let key: Value
  /// The owner's own key, for the report.
  let ownerKey: String

  /// Whether the payload nests the object, which may not be made where it stands.
  var isNested = false

  /// Counts the references of a payload.
  var number: Int64 = 0

  /// The place in the list.
  var position = 0

  /// Whether it was another owner's already when it was nested: then no other part can make it this
  /// one's.
  var isRefused = false

  /// Where the object stands in the payload, when it is nested and its mapping makes no new ones.
  var path: String?

  /// Whether the key may be that of an object of a subentity.
  var mayMeanSubentity: Bool { !isNested && !destination.subentities.isEmpty }

  /// The place at which a later mention replaces a reference.
  struct Place: Hashable {
    let owner: ManagedObjectID
    let slot: Int
  }

  var place: Place { Place(owner: owner, slot: relationship.slot) }

  func note(in report: ReportBuilder) {
    if let path {
      return report.note(
        .unresolvedReference, destination, property: relationship.name, key: key.description,
        path: path,
        message: """
          “\(relationship.name)” of \(owner.entity.name) \(ownerKey) holds \(destination.name) \(key), which does not \
          exist, and the mapping makes no new ones.
          """)
    }
    let cure =
      if isNested || destination.primaryKey == nil {
        ""
      } else if !MappingRules.createsStubs(relationship) {
        " To store it as a stub, which has nothing but the key, set createsStubs (user info sync.stub)."
      } else if destination.reasonAgainstStubs == nil {
        " A stub of it is made when the operations have .insertRelationships."
      } else {
        ""
      }
    report.note(
      .unresolvedReference, owner.entity, property: relationship.name, key: key.description,
      message: """
        “\(relationship.name)” of \(owner.entity.name) \(ownerKey) refers to \(destination.name) \
        \(key), which does not exist.\(cure)
        """)
  }
}

extension UnresolvedReference {
  /// The reference as the store keeps it.
  var kept: OpenSync.Reference {
    OpenSync.Reference(
      number: number, owner: owner.row, ownerEntity: owner.entity.name,
      relationship: relationship.name, destination: destination.name, key: key,
      ownerKey: ownerKey, position: Int64(position),
      flags: (isNested ? 1 : 0) + (isRefused ? 2 : 0))
  }

  /// - Returns: Nil when the model has no such entity or relationship.
  init?(_ kept: OpenSync.Reference, in model: ManagedObjectModel) {
    guard let entity = model.entity(named: kept.ownerEntity),
      let relationship = entity.relationship(named: kept.relationship),
      let destination = model.entity(named: kept.destination)
    else { return nil }
    self.init(
      owner: ManagedObjectID(entity: entity, row: kept.owner), relationship: relationship,
      destination: destination, key: kept.key, ownerKey: kept.ownerKey,
      isNested: kept.flags & 1 != 0, number: kept.number, position: Int(kept.position),
      isRefused: kept.flags & 2 != 0)
  }
}
