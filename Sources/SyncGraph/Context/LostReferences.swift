import SyncCore
import SyncStore

/// References that a save would store to rows which are not there any more: they were deleted
/// elsewhere after the context merged last.
///
/// A merge would have emptied those references (``ManagedObjectContext/settle()``), so a save lets
/// nothing of the kind through either: they are found before anything is written, inside the
/// transaction.
struct LostReferences {
  /// A relationship that leads to a row that is gone.
  struct Reference {
    let owner: ManagedObject
    let relationship: RelationshipShape
    let target: Int64
  }

  private(set) var references: [Reference] = []

  /// Edited objects that are gone themselves. Where only lists were changed, no row is written, so
  /// no version tells.
  private(set) var owners: [ManagedObject] = []

  var isEmpty: Bool { references.isEmpty && owners.isEmpty }

  init(owners: [ManagedObject] = []) {
    self.owners = owners
  }

  /// - Complexity: O(*n*), one statement for each root entity that something leads to.
  init(
    _ inserted: [ManagedObject], _ updated: [ManagedObject], in transaction: StoreTransaction
  ) throws {
    var wanted: [Int: [Int64]] = [:]
    func want(_ row: Int64, _ root: Int) {
      if row > 0, wanted[root]?.last != row { wanted[root, default: []].append(row) }
    }
    for object in inserted {
      Self.forEachReference(of: object) { want($1, $0.destinationRoot) }
    }
    for object in updated where object.changesRelationships {
      Self.forEachReference(of: object) { want($1, $0.destinationRoot) }
      if object.committed.isNone { want(object.rowNumber, object.root) }
    }
    guard !wanted.isEmpty else { return }
    var missing: [Int: Set<Int64>] = [:]
    for (root, rows) in wanted {
      let entity = EntityDescription(model: transaction.layout.model, index: root)
      let lost = try transaction.missing(Self.sortedUnique(rows), of: entity)
      if !lost.isEmpty { missing[root] = Set(lost) }
    }
    guard !missing.isEmpty else { return }
    for object in inserted + updated {
      Self.forEachReference(of: object) { relationship, row in
        guard missing[relationship.destinationRoot]?.contains(row) == true else { return }
        references.append(Reference(owner: object, relationship: relationship, target: row))
      }
    }
    owners = updated.filter {
      $0.changesRelationships && $0.committed.isNone
        && missing[$0.root]?.contains($0.rowNumber) == true
    }
  }

  /// The references to rows that a save of the object writes.
  private static func forEachReference(
    of object: ManagedObject, _ body: (RelationshipShape, Int64) -> Void
  ) {
    for relationship in object.home.shape.relationships {
      if !relationship.isToMany {
        guard object.isInserted || object.changed.contains(relationship.slot),
          case .int(let target) = object.row[relationship.slot]
        else { continue }
        body(relationship, target)
      } else if relationship.kind == .manyToMany,
        let list = object.link(relationship.ordinal) as? MemberList
      {
        for member in list.added.values where !member.isKnownDeleted {
          body(relationship, member.rowNumber)
        }
      }
    }
  }

  private static func sortedUnique(_ rows: [Int64]) -> [Int64] {
    var last: Int64?
    return rows.sorted().filter { row in
      defer { last = row }
      return row != last
    }
  }

  // MARK: - Giving them up

  /// The error of a save that does not let the store win.
  ///
  /// - Parameter object: gives the object of a target, when it is loaded.
  func error(_ object: (Reference) -> ManagedObject?) -> GraphError {
    var conflicts = owners.map { SaveConflict(lost: $0.identifier, $0) }
    var seen = Set(conflicts.map(\.objectID))
    let targets = references.map { reference in
      let known = object(reference)
      let id =
        known?.identifier
        ?? ManagedObjectID(entity: reference.relationship.destination, row: reference.target)
      if seen.insert(id).inserted { conflicts.append(SaveConflict(lost: id, known)) }
      return id
    }
    let sentences =
      zip(references, targets).map { reference, target in
        "\(reference.owner.identifier).\(reference.relationship.description.name) leads to \(target)"
      } + owners.map { "\($0.identifier) was edited" }
    let rest = sentences.count > 10 ? " (and \(sentences.count - 10) more)" : ""
    let involved = references.map(\.owner.identifier) + owners.map(\.identifier) + targets
    var named: Set<ManagedObjectID> = []
    return GraphError(
      .conflict, entity: (references.first?.owner ?? owners.first)?.entity.name,
      key: references.first?.relationship.description.name,
      objects: involved.filter { named.insert($0).inserted }, conflicts: conflicts,
      message: """
        \(conflicts.count) object\(conflicts.count == 1 ? " was" : "s were") deleted in the store \
        since this context read \(conflicts.count == 1 ? "it" : "them"): \
        \(sentences.prefix(10).joined(separator: ", "))\(rest). Nothing was saved. Let the \
        relationships lead elsewhere and save again, roll back, or choose a merge policy that lets the \
        store win: it empties them.
        """)
  }

  /// The edits that are given up, for the result of the save.
  fileprivate var overruled: [SaveConflict] {
    owners.map { object in
      object.isVanished
        ? SaveConflict(lost: object.identifier, object)
        : SaveConflict(object, object.changed, object.baseAsRead, nil)
    }
      + references.filter { !$0.relationship.isToMany }.map { reference in
        SaveConflict(
          reference.owner, [reference.relationship.slot], reference.owner.baseAsRead,
          reference.owner.base)
      }
  }
}

extension ManagedObject {
  /// Whether a save has relationships of it to write.
  fileprivate final var changesRelationships: Bool {
    guard !changed.isDisjoint(with: home.shape.relationshipSet) else { return false }
    return !links.isEmpty || !committed.isNone
  }
}

extension SaveConflict {
  /// A row that is gone.
  ///
  /// - Parameter object: the object, when it is loaded.
  fileprivate init(lost id: ManagedObjectID, _ object: ManagedObject?) {
    var committed: [String: Value] = [:]
    if let object, !object.isFault, !object.isVanished {
      let base = object.base
      let shape = object.home.shape
      for slot in shape.columns { committed[shape.names[slot]] = base[slot] }
    }
    self.init(objectID: id, committed: committed, edited: [:], stored: nil)
  }
}

extension ManagedObjectContext {
  /// Does the work of a merge of the deletions, where the merge policy lets the store win.
  ///
  /// - Throws: ``GraphError`` with ``GraphError/Code/conflict`` under every other policy.
  func giveUp(_ lost: LostReferences, _ result: inout SaveResult) throws {
    func target(_ reference: LostReferences.Reference) -> ManagedObject? {
      identities.object(root: reference.relationship.destinationRoot, row: reference.target)
    }
    guard savingPolicy.letsStoreWin else { throw lost.error(target) }
    result.overruled += lost.overruled
    vanished = []
    var gone = lost.owners
    for reference in lost.references {
      if let object = target(reference) { gone.append(object) }
    }
    for object in gone where !object.flags.contains(.gone) {
      bury(object)
      noteForChildren(object)
    }
    for reference in lost.references where !reference.relationship.isToMany {
      let owner = reference.owner
      if owner.isKnownDeleted || owner.row[reference.relationship.slot] != .int(reference.target) {
        continue
      }
      owner.point(reference.relationship, to: nil)
    }
    settle()
  }
}
