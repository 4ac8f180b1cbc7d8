import SyncCore

/// The parts of claims.
extension Claims {
  /// The facts about a list that stay small, however large it is.
  struct State: Codable, Equatable {
    /// The first row that the sync gave to an object of the root entity.
    var firstNewRow = Int64.max
    /// Members that the lists of the payload had before: the scope of nested deletion.
    var memberCount = 0
    /// Parts of the payload that were worked off.
    var partCount = 0
    /// Pages that said nothing: they count as stored, and as no word about which objects there are.
    var silentPageCount = 0
    /// Items at the top of the payload, and those among them that can be used.
    var itemCount = 0
    var usableItemCount = 0
    /// Whether a key at the top could not be read, so that its object is unknown; or the list has
    /// another number of items than was expected.
    var isRootSuspended = false
    /// The number of items that the server says, where it is not that of the items; -1 is that it
    /// says several.
    var otherCount: Int?
    /// Whether an item at the top nests others of its entity, so that the payload is a tree.
    var nestsChildren = false
    /// Whether only some objects are in scope; false is every object of the entity.
    var hasScope = false
    /// Whether items said that their objects are deleted, so that not everything that was mentioned
    /// is there.
    var hasTombstones = false
    /// References so far, those that found their object among them.
    var referenceCount: Int64 = 0

    /// Takes over the facts that all lists have in common.
    mutating func share(_ other: State) {
      memberCount = other.memberCount
      hasTombstones = other.hasTombstones
      referenceCount = other.referenceCount
    }

    /// Whether there was any page or part.
    var hasBegun: Bool { partCount > 0 || silentPageCount > 0 }

    /// Whether there are items, and none of them can be used.
    var hasNothingUsable: Bool { itemCount > 0 && usableItemCount == 0 }

    /// Notes how many items the list has on the server: with another number of them it has changed
    /// while it was read, and an item may have been passed over.
    mutating func expect(_ count: Int) {
      guard count != itemCount else { return }
      isRootSuspended = true
      otherCount = count
    }

    /// Adds another list of the same objects: together the lists say which there are.
    mutating func add(_ other: State) {
      firstNewRow = min(firstNewRow, other.firstNewRow)
      itemCount += other.itemCount
      usableItemCount += other.usableItemCount
      isRootSuspended = isRootSuspended || other.isRootSuspended
      otherCount = otherCount ?? other.otherCount
    }

    /// Takes over the sum that ``add(_:)`` made.
    mutating func take(sum: State) {
      firstNewRow = sum.firstNewRow
      itemCount = sum.itemCount
      usableItemCount = sum.usableItemCount
      isRootSuspended = sum.isRootSuspended
      otherCount = sum.otherCount
    }
  }

  /// The claims of some parts.
  struct Content {
    /// By the numbers of ``ClaimedSet``.
    var sets: [Int: RowSet] = [:]
    /// Members that their owner's list does not mention, by the member.
    var unlisted: [Member: UnlistedMember] = [:]
    /// Members that were listed after a list had left them out.
    var relisted: Set<Member> = []
    /// Objects that items say are gone: they go at the end.
    var gone: Set<GoneObject> = []
    /// Those that came again after an item had said that they are gone.
    var broughtBack: Set<GoneObject> = []
    /// The members of a given parent in the order of the payload, by the list of items, where the
    /// parent's list is ordered and nothing else orders it.
    var parentOrder: [Int: [Int64]] = [:]
    /// Keys that no object had, by the place they stand in.
    var references: [UnresolvedReference.Place: [UnresolvedReference]] = [:]
    /// Places that were given again.
    var answered: Set<UnresolvedReference.Place> = []
  }

  /// An object by the root entity of its table.
  struct GoneObject: Hashable {
    let row: Int64
    let root: Int
  }

  /// An object as a member of the lists that a column of it leads to.
  struct Member: Hashable {
    let row: Int64
    let column: Relationship
  }

  struct UnlistedMember {
    let row: Int64
    let entity: EntityDescription
    /// The column that leads to the owner.
    let slot: Int
    let owner: Int64
  }
}
