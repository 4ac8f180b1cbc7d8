import SyncCore

/// The members of one to-many relationship of one object.
///
/// ```
///   store  ──load──▶  objects = stored members − removed + added     (the program's view)
///                     added, removed                                 (written by a save)
/// ```
///
/// An unloaded list knows only additions and removals made here; loading lays them over the members
/// in the store. An ordered list is always loaded before it is changed, because positions need the
/// whole. Confined to the context of its owner.
final class MemberList {
  private(set) var isLoaded: Bool
  let isOrdered: Bool

  /// Current members, in order when the list is ordered; empty while not loaded.
  private(set) var objects: [ManagedObject] = []

  /// Members that the store does not have.
  private(set) var added: [ObjectIdentifier: ManagedObject] = [:]

  /// Members that only the store has.
  private(set) var removed: [ObjectIdentifier: ManagedObject] = [:]

  /// The members of an ordered list as the store has them, since the first change here. From then
  /// on the order given here is kept, under any order in the store.
  private var baseline: [ManagedObject]?

  /// Positions by object, made when the list is long enough to need them. In an ordered list they
  /// say for certain which object is a member only, and where it was: additions and removals before
  /// it move it on.
  private var positions: [ObjectIdentifier: Int]?

  /// Whether the store may have moved on since a change was made here, so that only the next load
  /// shows the meaning of the change.
  private(set) var isRebased = false

  /// Whether members were left out that come back when the unsaved changes of others are undone.
  private(set) var isPartial = false

  /// The members as the collection of a property wrapper, kept from access to access.
  var typed: TypedMembers?

  /// A new object's list is loaded from the start: the store has nothing.
  init(isOrdered: Bool, isLoaded: Bool) {
    self.isOrdered = isOrdered
    self.isLoaded = isLoaded
  }

  /// Whether a save has something to write.
  ///
  /// - Complexity: O(1); O(*n*) for an ordered list with the members that the store has.
  var hasChanges: Bool {
    if !added.isEmpty || !removed.isEmpty { return true }
    return baseline.map { !$0.elementsEqual(objects, by: ===) } ?? false
  }

  /// Takes the members that the store has.
  ///
  /// - Parameter isPartial: whether some of them were left out.
  func load(_ stored: [ManagedObject], isPartial: Bool = false) {
    typed = nil
    positions = nil
    self.isPartial = isPartial
    if baseline != nil {
      // Members that others added in the meantime go to the end.
      let known = Set(objects.map(ObjectIdentifier.init))
      let present = Set(stored.map(ObjectIdentifier.init))
      objects.removeAll {
        !present.contains(ObjectIdentifier($0)) && added[ObjectIdentifier($0)] == nil
      }
      objects += stored.filter {
        !known.contains(ObjectIdentifier($0)) && removed[ObjectIdentifier($0)] == nil
      }
      baseline = stored
    } else {
      let late = added.isEmpty ? [] : pendingAdditions(missingIn: stored)
      objects = stored.filter { removed[ObjectIdentifier($0)] == nil } + late
    }
    isLoaded = true
  }

  /// Forgets members that are gone, and additions and removals of members whose unsaved values do
  /// not say so any more.
  ///
  /// - Parameter isMember: the membership by the member's own value; nil when it has no unsaved
  ///   value that says it.
  func settle(_ isMember: (ManagedObject) -> Bool?) {
    func isGone(_ object: ManagedObject) -> Bool { object.flags.contains(.gone) }
    if objects.contains(where: isGone) {
      objects.removeAll(where: isGone)
      positions = nil
      typed = nil
    }
    if baseline?.contains(where: isGone) == true { baseline?.removeAll(where: isGone) }
    if !added.isEmpty { added = added.filter { !isGone($0.value) && isMember($0.value) == true } }
    if !removed.isEmpty {
      removed = removed.filter { !isGone($0.value) && isMember($0.value) == false }
    }
  }

  /// Whether the list agrees with a member about its membership: that it belongs here, or no
  /// longer.
  func isInLine(with member: ManagedObject, isMember: Bool) -> Bool {
    let id = ObjectIdentifier(member)
    if isLoaded { return contains(member) == isMember }
    return isMember ? added[id] != nil : removed[id] != nil
  }

  /// Forgets additions and removals that others made too.
  ///
  /// - Parameter stored: all members that the store has.
  /// - Returns: the members that were added or removed.
  func dropMoot(_ stored: [ManagedObject]) -> [ManagedObject] {
    guard isRebased else { return [] }
    isRebased = false
    guard !added.isEmpty || !removed.isEmpty else { return [] }
    let present = Set(stored.map(ObjectIdentifier.init))
    let moot =
      added.values.filter { present.contains(ObjectIdentifier($0)) }
      + removed.values.filter { !present.contains(ObjectIdentifier($0)) }
    for member in moot { forget(member) }
    return moot
  }

  private func pendingAdditions(missingIn stored: [ManagedObject]) -> [ManagedObject] {
    let present = Set(stored.map(ObjectIdentifier.init))
    return added.values.filter { !present.contains(ObjectIdentifier($0)) }
      .sorted(on: \.identifier.insertionOrder)
  }

  /// Forgets the members in the store, keeps the changes made here.
  func unload() {
    isLoaded = false
    // An order that was changed back is no change.
    if !hasChanges { baseline = nil }
    if !added.isEmpty || !removed.isEmpty { isRebased = true }
    typed = nil
    positions = nil
    if baseline == nil { objects = [] }
  }

  /// Takes the changes made here for stored ones.
  func commit() {
    added = [:]
    removed = [:]
    baseline = nil
    isRebased = false
    if !isLoaded { objects = [] }
  }

  /// Whether the object is a member. The list has to be loaded.
  ///
  /// - Complexity: O(1) for lists of more than a few members, amortised.
  func contains(_ object: ManagedObject) -> Bool {
    guard objects.count > 16 else { return objects.contains { $0 === object } }
    return knownPositions()[ObjectIdentifier(object)] != nil
  }

  /// Adds an object that is not a member, at the end or at a position.
  func add(_ object: ManagedObject, at index: Int? = nil) {
    let id = ObjectIdentifier(object)
    keepBaseline()
    if removed.removeValue(forKey: id) == nil || isRebased { added[id] = object }
    guard isLoaded else { return }
    let index = min(index ?? objects.count, objects.count)
    positions?[id] = index
    objects.insert(object, at: index)
    typed?.insert(object, at: index)
  }

  /// Removes a member.
  ///
  /// - Complexity: O(1), amortised; in an ordered list as removing from an array.
  func remove(_ object: ManagedObject) {
    let id = ObjectIdentifier(object)
    keepBaseline()
    if added.removeValue(forKey: id) == nil || isRebased { removed[id] = object }
    guard isLoaded, let index = position(of: object) else { return }
    positions?[id] = nil
    if isOrdered {
      objects.remove(at: index)
    } else {
      let last = objects.removeLast()
      if last !== object {
        objects[index] = last
        positions?[ObjectIdentifier(last)] = index
      }
    }
    typed?.remove(object, at: index)
  }

  /// Forgets that a member was added or removed here.
  ///
  /// - Returns: whether it was.
  @discardableResult
  func forget(_ object: ManagedObject) -> Bool {
    let id = ObjectIdentifier(object)
    return added.removeValue(forKey: id) != nil || removed.removeValue(forKey: id) != nil
  }

  /// Puts the members into another order.
  func reorder(_ members: [ManagedObject]) {
    keepBaseline()
    objects = members
    typed = nil
  }

  private func keepBaseline() {
    if isOrdered, baseline == nil { baseline = objects }
  }

  private func position(of object: ManagedObject) -> Int? {
    guard objects.count > 16 else { return objects.firstIndex { $0 === object } }
    guard let known = knownPositions()[ObjectIdentifier(object)] else { return nil }
    if known < objects.count, objects[known] === object { return known }
    return objects.firstIndex { $0 === object }
  }

  private func knownPositions() -> [ObjectIdentifier: Int] {
    if let positions { return positions }
    var positions: [ObjectIdentifier: Int] = [:]
    positions.reserveCapacity(objects.count)
    for (index, object) in objects.enumerated() { positions[ObjectIdentifier(object)] = index }
    self.positions = positions
    return positions
  }
}
