import SyncCore
import SyncStore

/// The in-memory side of the delete rules: the state of the context's objects right after a delete.
/// The store applies the same rules to its rows when the deletion is saved.
extension ManagedObjectContext {
  /// Deletes an object, and at once the objects that its delete rules take along: cascades go too,
  /// the other side of nullified relationships forgets it. Deny rules are checked when the deletion
  /// is saved.
  ///
  /// - Precondition: The object belongs to this context.
  public func delete(_ object: ManagedObject) {
    enter()
    require(
      object.owner === self,
      "\(object) belongs to another context. Delete it there, or get it here with object(with: other.objectID)."
    )
    delete([object])
  }

  /// Deletes objects of this context together.
  ///
  /// - Parameter prepared: objects whose hooks ran in a child context.
  func delete(_ objects: [ManagedObject], prepared: Set<ObjectIdentifier> = []) {
    queue.closed {
      let doomed = collectDoomed(objects, prepared)
      for object in doomed { unlinkDoomed(object) }
      forgetDoomed(doomed)
      for object in doomed where object.flags.contains(.new) { bury(object, isOwn: true) }
    }
  }

  /// Marks the objects and everything that cascades from them, to any depth.
  private func collectDoomed(
    _ objects: [ManagedObject], _ prepared: Set<ObjectIdentifier>
  ) -> [ManagedObject] {
    var doomed: [ManagedObject] = []
    var waiting = Array(objects.reversed())
    while let next = waiting.popLast() {
      // The hook of an object may delete the object itself, or another one that deletes it.
      guard !next.isKnownDeleted, !next.flags.contains(.preparing) else { continue }
      if !prepared.contains(ObjectIdentifier(next)) {
        next.flags.insert(.preparing)
        next.prepareForDeletion()
        next.flags.remove(.preparing)
      }
      if next.isFault { fire(next) }
      guard !next.isKnownDeleted else { continue }
      pending.setUpdated(next, false)
      if next.isInserted {
        pending.setInserted(next, false)
      }
      pending.setDeleted(next, true)
      announce(next)
      noteForChildren(next)
      doomed.append(next)
      for relationship in next.binding.shape.relationships
      where relationship.deleteRule == .cascade {
        waiting += related(relationship, of: next).filter { object in
          guard let inverse = relationship.inverseSlot, !relationship.isInverseToMany else {
            return true
          }
          return !next.leadsElsewhere(object, inverse)
        }
      }
    }
    return doomed
  }

  /// Takes a deleted object out of its relationships, where the rule says so.
  func unlinkDoomed(_ object: ManagedObject) {
    for relationship in object.home.shape.relationships {
      switch relationship.deleteRule {
      case .nullify, .cascade:
        if relationship.isToMany {
          if !object.members(relationship.ordinal).isEmpty {
            object.setMembers(relationship.ordinal, [])
          }
        } else {
          object.setDestination(relationship.ordinal, nil)
        }
      case .deny, .noAction:
        break
      }
    }
  }

  /// Takes deleted objects out of relationships without an inverse. No object leads to the owners,
  /// so each owner is asked that is loaded or was changed; the store clears the others.
  private func forgetDoomed(_ doomed: [ManagedObject]) {
    for (root, objects) in Dictionary(grouping: doomed, by: \.entity.rootIndex) {
      let rows = Set(objects.map(\.rowNumber))
      for relationship in core.classes.oneWayRelationships[root] ?? [] {
        for owner in identities.objects(root: relationship.ownerRoot)
        where !owner.isKnownDeleted && owner.binding.shape.has(relationship) {
          guard relationship.isToMany else {
            guard !owner.isFault, case .int(let target) = owner.row[relationship.slot] else {
              continue
            }
            if rows.contains(target) { owner.setDestination(relationship.ordinal, nil) }
            continue
          }
          guard let list = owner.link(relationship.ordinal) as? MemberList else { continue }
          for object in objects {
            if list.isLoaded {
              owner.removeMember(relationship.ordinal, object)
            } else if list.forget(object) {
              owner.noteListChange(relationship.slot)
            }
          }
        }
      }
    }
  }

  /// The objects at the other end of a relationship.
  func related(_ relationship: RelationshipShape, of object: ManagedObject) -> [ManagedObject] {
    relationship.isToMany
      ? object.members(relationship.ordinal)
      : object.destination(relationship.ordinal).map { [$0] } ?? []
  }

  /// Checks the deny rules of the objects that a save is about to delete.
  ///
  /// - Throws: ``GraphError`` with ``GraphError/Code/deletionDenied`` that names the objects in the
  ///   way.
  func checkDenyRules() throws {
    guard pending.deletedCount > 0 else { return }
    for object in pending.deleted {
      for relationship in object.home.shape.relationships where relationship.deleteRule == .deny {
        let blocking = related(relationship, of: object).filter { !$0.isKnownDeleted }
        guard !blocking.isEmpty else { continue }
        let names = blocking.prefix(10).map { "\($0.objectID)" }.joined(separator: ", ")
        throw GraphError(
          .deletionDenied, entity: object.entity.name, key: relationship.description.name,
          objects: blocking.map(\.objectID),
          message: """
            \(object.objectID) cannot be deleted: its relationship “\(relationship.description.name)” \
            still leads to \(blocking.count) object\(blocking.count == 1 ? "" : "s") (\(names)), and \
            the model denies that. Delete or move them first.
            """)
      }
    }
  }
}
