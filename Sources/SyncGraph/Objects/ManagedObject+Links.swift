import SyncCore
import SyncStore

/// The loaded parts of relationships, by ordinal.
extension ManagedObject {
  /// The loaded part of a relationship.
  final func link(_ ordinal: Int) -> AnyObject? {
    links.isEmpty ? nil : links[ordinal]
  }

  final func setLink(_ ordinal: Int, _ object: AnyObject?) {
    if links.isEmpty {
      guard object != nil else { return }
      links = Array(repeating: nil, count: home.shape.relationships.count)
    }
    links[ordinal] = object
  }

  /// The list of a to-many relationship, loaded or not.
  final func list(_ ordinal: Int) -> MemberList {
    if let list = link(ordinal) as? MemberList { return list }
    let list = MemberList(
      isOrdered: home.shape.relationships[ordinal].isOrdered,
      isLoaded: flags.contains(.new))
    setLink(ordinal, list)
    return list
  }

  /// The list in a slot; nil when the slot is something else.
  final func list(atSlot slot: Int) -> MemberList? {
    guard case .toMany(let ordinal) = home.shape.kinds[slot] else { return nil }
    return list(ordinal)
  }

  /// The list in a slot, ready to be changed from the other side.
  final func changeableList(_ slot: Int) -> MemberList? {
    guard case .toMany(let ordinal) = home.shape.kinds[slot] else { return nil }
    return home.shape.relationships[ordinal].isOrdered ? loadedList(ordinal) : list(ordinal)
  }

  /// A list ready to be changed as the other side of a loaded one: it says the same of a pair.
  final func pairedList(_ ordinal: Int) -> MemberList {
    let list = list(ordinal)
    return list.isOrdered || list.isRebased ? loadedList(ordinal) : list
  }

  /// The list of a to-many relationship, read from the store first when necessary.
  final func loadedList(_ ordinal: Int) -> MemberList {
    checkAccess()
    let list = list(ordinal)
    if !list.isLoaded {
      if let owner, !flags.contains(.gone) {
        owner.loadMembers(home.shape.relationships[ordinal], of: self)
      } else {
        list.load([])
      }
    }
    return list
  }

  /// Notes that a to-many relationship differs from the store, or does so no longer.
  final func noteListChange(_ slot: Int) {
    if !isInserted {
      if list(atSlot: slot)?.hasChanges == true {
        changed.insert(slot)
      } else if !flags.contains(.lost) {
        changed.remove(slot)
      }
    }
    tellObservers(slot)
    owner?.noteChange(of: self, slot)
  }
}
