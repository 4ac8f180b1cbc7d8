package import SyncCore

/// How one relationship is filled.
package final class RelationshipRule: Sendable {
  package let relationship: RelationshipDescription
  package let kind: RelationshipKind

  /// Whether either side may speak of it.
  let isOneToOne: Bool

  /// Index of the destination's node in the plan.
  package let node: Int

  /// Whether the key was given by an annotation or a rule. Then the default keys are not looked at.
  package let hasCustomKey: Bool

  /// Which of the to-one columns of the destination leads back to the owner; nil where none does.
  let memberColumn: Int?

  /// Whether keys of the children are unique per owner only: nothing ever moves between owners.
  package let keyScopeIsOwner: Bool

  /// The way from the value to the objects, where it is no list of them: `[].node`.
  let elements: [JSONPath.Step]

  /// The attribute that the keys of an object of objects fill; nil is the one that identifies an
  /// object.
  let memberSlot: Int?

  /// The key under which nested objects are looked for first, and which an export writes.
  package let remoteKey: RemoteKey

  /// All keys under which nested objects are looked for, the most important one first.
  package let objectKeys: [RemoteKey]

  /// All keys under which identifiers are looked for, the most important one first.
  package let referenceKeys: [RemoteKey]
  package let missing: SyncPolicy.Missing

  /// Whether an export may mention the relationship.
  package let isExportable: Bool

  /// Whether keys of objects that are not there make objects which have nothing but the key.
  let createsStubs: Bool

  /// The mark of an element of the list that is no member any more; such a list tells only changes.
  let removal: JSONPath?

  /// The rule written for the relationship; nil when a convention or an annotation fills it.
  let written: Rule?

  /// Annotations of the relationship hold for keys by convention and by hand.
  init(
    relationship: RelationshipDescription, to destination: EntityDescription, node: Int,
    hasCustomKey: Bool, remoteKey: RemoteKey, objectKeys: [RemoteKey], referenceKeys: [RemoteKey],
    missing: SyncPolicy.Missing, elements: [JSONPath.Step], written: Rule? = nil
  ) {
    self.relationship = relationship
    kind = relationship.kind
    isOneToOne = relationship.isOneToOne
    self.node = node
    self.hasCustomKey = hasCustomKey
    memberColumn = relationship.inverseSlot.flatMap {
      EntityColumns.toOne(of: destination).firstIndex(of: $0)
    }
    keyScopeIsOwner = MappingRules.keyScopeIsOwner(relationship)
    memberSlot = MappingRules.keyedBy(destination, below: relationship)
    self.elements =
      elements.isEmpty && memberSlot != nil && relationship.isToMany ? [.each] : elements
    self.remoteKey = remoteKey
    self.objectKeys = objectKeys
    self.referenceKeys = referenceKeys
    self.missing = missing
    isExportable = !objectKeys.isEmpty && MappingRules.isExportable(relationship.userInfo)
    createsStubs =
      MappingRules.createsStubs(relationship) && destination.reasonAgainstStubs == nil
    removal = MappingRules.removal(relationship)
    self.written = written
  }

  /// The rule written for a relationship; nil is one that no key fills.
  convenience init(
    _ relationship: RelationshipDescription, to destination: EntityDescription, node: Int,
    written: Rule?, policy: SyncPolicy
  ) {
    let key = written?.path.listPath.remoteKey
    self.init(
      relationship: relationship, to: destination, node: node, hasCustomKey: true,
      remoteKey: key ?? RemoteKey(steps: [relationship.name], isCustom: false),
      objectKeys: key.map { [$0] } ?? [], referenceKeys: [],
      missing: written.map {
        $0.missing ?? MappingRules.whenMissing(relationship) ?? policy.missingKey
      } ?? .keep,
      elements: written?.path.elements ?? [], written: written)
  }
}

extension RelationshipRule {
  package var slot: Int { relationship.slot }
  package var name: String { relationship.name }
  package var isToMany: Bool { kind != .toOne }

  /// When a list is only a part of its owner's members.
  var partial: PartialList? { written?.partial }

  /// Whether objects without a key belong to the one that leads to them, and go with it.
  var ownsKeyless: Bool { relationship.deleteRule == .cascade }

  /// Where the value stands in an item, as an error says it: `.user.notes`.
  var path: String { remoteKey.path(written) }
}
