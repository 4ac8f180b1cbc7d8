import SyncCore

/// A change in place of the set of a to-many property.
///
/// The set is taken out of the list, so that changing it does not copy it, and every object that is
/// hashed meanwhile is noted: insertion and removal of a member hash it. So the cost of the change
/// follows the changed members, not the size of the set. Where that is not proof enough (the set
/// was exchanged as a whole, it grew into new memory, or a member went without being hashed) the
/// whole set is compared.
struct SetChange<Member: ManagedObject> {
  var members: Set<Member>
  private let object: ManagedObject
  private let ordinal: Int
  private let typed: TypedSet<Member>
  private let list: MemberList
  private let address: UInt
  private let outerTracker: MemberTracker?
  private let tracker = MemberTracker()

  init(_ object: ManagedObject, _ ordinal: Int, _ typed: TypedSet<Member>) {
    self.object = object
    self.ordinal = ordinal
    self.typed = typed
    list = object.list(ordinal)
    members = typed.members
    typed.members = []
    // Until the change is finished, readers get the members as they were.
    list.typed = nil
    address = Self.address(of: members)
    outerTracker = object.owner?.tracker
    object.owner?.tracker = tracker
  }

  /// Carries the change over to the list and the other sides.
  mutating func finish() {
    object.owner?.tracker = outerTracker
    if !finishTracked() { finishCompared() }
    // An object that was deleted elsewhere is no member.
    guard list.objects.count == members.count else {
      members = []
      return
    }
    typed.members = members
    members = []
    list.typed = typed
  }

  /// Looks at the objects that were hashed only. Returns false when that does not explain the
  /// count.
  private func finishTracked() -> Bool {
    guard Self.address(of: members) == address else { return false }
    var seen: Set<ObjectIdentifier> = []
    var inserted: [Member] = []
    var removed: [Member] = []
    for touched in tracker.touched where seen.insert(ObjectIdentifier(touched)).inserted {
      guard let member = touched as? Member else { continue }
      switch (list.contains(member), members.contains(member)) {
      case (false, true): inserted.append(member)
      case (true, false): removed.append(member)
      default: break
      }
    }
    guard list.objects.count + inserted.count - removed.count == members.count else { return false }
    for member in removed { object.removeMember(ordinal, member) }
    for member in inserted { object.addMember(ordinal, member) }
    return true
  }

  private func finishCompared() {
    for member in list.objects {
      guard let typed = member as? Member, members.contains(typed) else {
        object.removeMember(ordinal, member)
        continue
      }
    }
    guard list.objects.count < members.count else { return }
    let inserted = members.filter { !list.contains($0) }
    for member in inserted.sorted(on: \.identifier.insertionOrder) {
      object.addMember(ordinal, member)
    }
  }

  /// Where the set keeps its elements. A set is one pointer to its storage; while it is held here,
  /// that storage cannot be freed and reused.
  private static func address(of set: Set<Member>) -> UInt {
    withUnsafeBytes(of: set) { bytes in
      bytes.count == MemoryLayout<UInt>.size ? bytes.loadUnaligned(as: UInt.self) : 0
    }
  }
}

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
/// can have been inserted or removed, so the whole set need not be compared afterwards.
final class MemberTracker {
  var touched: [ManagedObject] = []
}
