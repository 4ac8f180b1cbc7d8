/// The members of a list as a collection of their own class. Kept in step with the list.
class TypedMembers {
  func insert(_ object: ManagedObject, at index: Int?) {}
  func remove(_ object: ManagedObject, at index: Int) {}
}

/// The members of an unordered list.
final class TypedSet<Member: ManagedObject>: TypedMembers {
  var members: Set<Member>

  init(_ members: Set<Member>) { self.members = members }

  override func insert(_ object: ManagedObject, at index: Int?) {
    if let member = object as? Member { members.insert(member) }
  }

  override func remove(_ object: ManagedObject, at index: Int) {
    if let member = object as? Member { members.remove(member) }
  }
}

/// The members of an ordered list.
final class TypedArray<Member: ManagedObject>: TypedMembers {
  var members: [Member]

  init(_ members: [Member]) { self.members = members }

  override func insert(_ object: ManagedObject, at index: Int?) {
    guard let member = object as? Member else { return }
    members.insert(member, at: min(index ?? members.count, members.count))
  }

  override func remove(_ object: ManagedObject, at index: Int) {
    members.remove(at: index)
  }
}

/// Notes which objects are hashed while a set of a to-many property is changed in place: only those
/// can have been inserted or removed, so nobody has to compare the whole set afterwards.
final class MemberTracker {
  var touched: [ManagedObject] = []
}
