import SyncCore

/// The treatment of the objects of a node. A mapping that was written by hand may say so;
/// conventions always do the same. Phases ask here, and never for the author of the mapping.
extension PlanNode {
  private var isByHand: Bool { explicit != nil }

  // MARK: - Objects

  /// Whether every item becomes a new object, even if its key is stored.
  var alwaysInserts: Bool { explicit?.alwaysInserts ?? false }

  /// Whether an item that means no stored object becomes one.
  var insertsMissing: Bool { alwaysInserts || explicit?.insertsMissing ?? true }

  /// Whether an item changes the stored object that it means.
  var updatesExisting: Bool { alwaysInserts || explicit?.updatesExisting ?? true }

  /// Whether objects go that the payload does not mention.
  var deletesMissing: Bool { explicit?.deletesMissing ?? true }

  /// Whether objects without identity go, too, where others do: by convention their absence says
  /// nothing.
  var deletesKeyless: Bool { isByHand }

  /// The stored objects that take part; nil is all of the entity.
  var group: Filter? { explicit?.group }

  /// The tests that an item has to pass.
  var validators: [Validator] { explicit?.validators ?? [] }

  /// Whether an item says that its object is deleted.
  var deletes: ItemTest? { explicit?.deletes }

  /// The hook that sees the values of an item before stored objects are looked up.
  var didFill: FillHook? { insertsMissing || updatesExisting ? explicit?.didFill : nil }

  // MARK: - Identity

  /// Whether attributes have to be named that tell the objects apart, where conventions look for a
  /// primary key.
  var hasToNameIdentifiers: Bool { isByHand }

  /// Whether there need be nothing that tells the objects apart.
  var needsNoIdentity: Bool { alwaysInserts || !identity.isEmpty }

  /// Whether a payload of nothing but items without identity is one of which all are skipped.
  var skipsUnidentified: Bool { isByHand && policy.missingIdentity == .skip }

  /// Whether the policy decides about an item without identity.
  var hasPolicyForUnidentified: Bool { isByHand }

  /// Whether the objects are told by their identity alone, under any owner, unless the model says
  /// that keys are unique per owner only.
  var ignoresOwners: Bool { isByHand }

  /// Whether each of several owners in a list of which objects stand has objects of its own.
  func tellsApart(ownersIn list: RelationshipRule) -> Bool {
    list.kind == .oneToMany && (!ignoresOwners || list.keyScopeIsOwner)
  }

  /// Whether all stored objects of a key are meant where it is mentioned.
  var meansAllOfKey: Bool { isByHand }

  // MARK: - Payload

  /// Whether null in the place of the payload is an answer that says nothing.
  var takesNull: Bool { isByHand }

  /// Whether an item need not be an object.
  var takesAnything: Bool { isByHand && !members.itself.isEmpty }

  /// Whether an item may be an array, whose elements fill attributes by their positions.
  var takesArrays: Bool { members.positions != nil }

  /// Advice about an item that is no object, behind the sentence that tells it.
  func arrayAdvice(_ kind: JSONToken.Kind) -> String {
    kind == .array
      ? " If its elements are values by their positions, say so by paths: .int([0]), or remoteKey: \"0\"."
      : ""
  }

  /// Whether the shape of the value under a relationship decides how it is read: objects, keys, or
  /// both.
  var readsByShape: Bool { !isByHand }

  /// Whether objects may be nested in others of their entity, so that the payload is a tree of
  /// them.
  var mayBeTree: Bool { !isByHand || MappingRules.isTree(entity) }

  /// Whether resources that a document includes become objects of their own, and not only parts of
  /// those that nest them.
  var takesIncluded: Bool { !isByHand }

  /// Whether the report lists the objects of the items at the top, in their order.
  var listsObjects: Bool { isByHand }

  /// Whether the node writes its kinds by the rules of its mapping, and single values without an
  /// object around them.
  var hasWrittenForm: Bool { isByHand }

  // MARK: - Relationships

  /// Whether objects lead to one another from both ends.
  var hasOneToOne: Bool { relationships.contains(where: \.isOneToOne) }

  /// Whether a relationship without a word about it may be given the link that the mapping says.
  var hasMissingLinks: Bool { relationships.contains { $0.missing != .keep } }

  /// Whether a reference to an object that is not there empties the relationship.
  var emptiesUnresolved: Bool { isByHand }
}
