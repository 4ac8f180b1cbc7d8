import SyncCore

/// The stored objects that take part in a sync: those that are deleted when the payload does not
/// mention them. It never limits the payload: an object stored outside that the payload names is
/// found and updated.
struct Scope {
  enum Kind {
    /// Every object of the entity.
    case all
    /// Objects whose to-one relationship to their own entity is empty: the roots of a tree.
    case roots(slot: Int)
    /// Objects that meet the filter.
    case filter(Filter)
    /// Objects whose own relationship leads to a given parent.
    case children
    /// Members of a parent's list, which end as the members of any list.
    case members
    /// Members of a parent's list that others may have too: they leave it, nobody is deleted.
    case sharedMembers
  }

  let kind: Kind

  /// Whether every object of the entity is in scope.
  var isWholeEntity: Bool {
    if case .all = kind { true } else { false }
  }
}
