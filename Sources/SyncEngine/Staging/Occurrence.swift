/// One mention of an object in the payload, as staged: the facts about it beside its cells.
struct Occurrence {
  /// The object under whose relationship it stands, as occurrence of its batch, or -1.
  var owner: Int32 = -1

  /// Batch and relationship rule of that place.
  var ownerBatch: Int16 = -1
  var ownerRule: Int16 = -1

  /// Next occurrence with the same key, or -1.
  var next: Int32 = -1

  var flags: Flags = []

  /// Flags that staging sets for an occurrence; matching adds its own in its ``Match``.
  struct Flags: OptionSet {
    let rawValue: UInt32

    // MARK: - Of the payload

    /// An item at the top of the payload.
    static let root = Flags(rawValue: 1)
    /// Has no readable key.
    static let keyless = Flags(rawValue: 2)
    /// Stands for the given parent, which the payload does not describe; or added to write a
    /// reference.
    static let referenceOnly = Flags(rawValue: 128)
    /// Not the only occurrence of its key.
    static let shared = Flags(rawValue: 1024)
    /// Stands in a one-to-many list, which its members have to themselves: identified by its key
    /// and its owner, not by its key alone.
    static let owned = Flags(rawValue: 2048)
    /// Part of an item that is left out: it claims its key, and nothing else of it counts.
    static let rejected = Flags(rawValue: 8192)
    /// Several places of the payload mention it, or it came from another owner: no item alone tells
    /// its stored values.
    static let conflicting = Flags(rawValue: 16384)
    /// The same object as a mention under a subentity, which is the one that is written.
    static let ofSubentity = Flags(rawValue: 32768)
    /// Is a new object, even if its key is stored.
    static let forced = Flags(rawValue: 65536)
    /// Its mapping makes no new object of it.
    static let neverInserted = Flags(rawValue: 131_072)
    /// Its mapping leaves an object that is there as it is.
    static let neverUpdated = Flags(rawValue: 262_144)
    /// Stands in a list of explicit mapping that names the members of its owner.
    static let listed = Flags(rawValue: 524_288)
    /// Without a key in a list that owns its members: matched by value or place.
    static let value = Flags(rawValue: 1_048_576)
    /// Its mapping empties a to-one relationship that leads to nothing stored.
    static let emptiesUnresolved = Flags(rawValue: 2_097_152)

    // MARK: - Of matching

    /// Is the same object as another occurrence, which stands for it.
    static let folded = Flags(rawValue: 4)
    /// Reached from the top of the payload through objects that are written.
    static let reached = Flags(rawValue: 8)
    /// New, and inserting is allowed.
    static let inserted = Flags(rawValue: 16)
    /// Takes the values of the payload: new and inserted, or stored and updating is allowed.
    static let active = Flags(rawValue: 32)
    /// Its cells still have to be compared with the stored row.
    static let uncompared = Flags(rawValue: 64)
    /// Its identity is decided.
    static let decided = Flags(rawValue: 256)
    /// In the wave that is being matched.
    static let current = Flags(rawValue: 512)
    /// Folded, but its values do not count: its place in the payload may not write the object.
    static let ignored = Flags(rawValue: 4096)
  }

  /// Whether it is identified by its key and its owner, not by its key alone.
  var isOwned: Bool { flags.contains(.owned) }
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
