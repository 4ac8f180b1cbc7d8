/// One mention of an object in the payload, as staged: the facts about it beside its cells.
struct Occurrence {
  /// The object under whose relationship it stands, as occurrence of its batch, or -1.
  var owner: Int32 = -1

  /// Batch and relationship rule of that place.
  var ownerBatch: Int16 = -1
  var ownerRule: Int16 = -1

  /// Next occurrence with the same key, or -1.
  var next: Int32 = -1

  var traits: Traits = []

  /// The facts about an occurrence that staging finds out. Occurrences that matching finds to be
  /// one object have those of all (``Match/traits``).
  struct Traits: OptionSet {
    let rawValue: UInt16

    /// An item at the top of the payload.
    static let root = Traits(rawValue: 1)
    /// Has no readable key.
    static let keyless = Traits(rawValue: 1 << 1)
    /// Stands for the given parent, which the payload does not describe; or added to write a
    /// reference.
    static let referenceOnly = Traits(rawValue: 1 << 2)
    /// Not the only occurrence of its key.
    static let shared = Traits(rawValue: 1 << 3)
    /// Stands in a one-to-many list, which its members have to themselves: identified by its key
    /// and its owner, not by its key alone.
    static let owned = Traits(rawValue: 1 << 4)
    /// Part of an item that is left out: it claims its key, and nothing else of it counts.
    static let rejected = Traits(rawValue: 1 << 5)
    /// Several places of the payload mention it, or it came from another owner: no item alone tells
    /// its stored values.
    static let conflicting = Traits(rawValue: 1 << 6)
    /// The same object as a mention under a subentity, which is the one that is written.
    static let ofSubentity = Traits(rawValue: 1 << 7)
    /// Is a new object, even if its key is stored.
    static let forced = Traits(rawValue: 1 << 8)
    /// Its mapping makes no new object of it.
    static let neverInserted = Traits(rawValue: 1 << 9)
    /// Its mapping leaves an object that is there as it is.
    static let neverUpdated = Traits(rawValue: 1 << 10)
    /// Stands in a list of explicit mapping that names the members of its owner.
    static let listed = Traits(rawValue: 1 << 11)
    /// Without a key in a list that owns its members: matched by value or place.
    static let value = Traits(rawValue: 1 << 12)
    /// Its mapping empties a to-one relationship that leads to nothing stored.
    static let emptiesUnresolved = Traits(rawValue: 1 << 13)
  }

  /// Whether it is identified by its key and its owner, not by its key alone.
  var isOwned: Bool { traits.contains(.owned) }
}

/// In which place of the payload an object stands.
enum Role {
  /// At the top.
  case root
  /// Beside those at the top.
  case beside
  /// At the top, as the description of a stored row.
  case target(Int64)
  /// Under a to-one relationship.
  case toOne(Owner)
  /// In a list of which several owners may share the members.
  case shared(Owner)
  /// In the list of one owner, which its members have to themselves.
  case member(Owner)

  /// The object under whose relationship it stands.
  var owner: Owner? {
    switch self {
    case .root, .beside, .target: nil
    case .toOne(let owner), .shared(let owner), .member(let owner): owner
    }
  }
}

/// A relationship of the objects of a batch, for any of them.
struct ListPlace: Hashable {
  let batch: Int
  /// Relationship rule of the batch's node.
  let rule: Int
}

/// An object and the relationship of it that something stands under.
struct Owner: Hashable {
  let batch: Int
  /// Occurrence of the batch.
  let owner: Int32
  /// Relationship rule of the batch's node.
  let rule: Int
}
