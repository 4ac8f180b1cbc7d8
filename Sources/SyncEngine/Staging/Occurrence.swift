/// One mention of an object in the payload, as staged: what is known about it beside its cells.
///
/// Mentions that turn out to be the same object are folded: the cells of the later one are laid over
/// those of the earlier one, and only the earlier one, the representative, is written.
struct Occurrence {
  /// Row number: of the stored object, or reserved for the new one; 0 until decided.
  var row: Int64 = 0

  /// The object under whose relationship it stands, as occurrence of its batch, or -1.
  var owner: Int32 = -1

  /// Batch and relationship rule of that place.
  var ownerBatch: Int16 = -1
  var ownerRule: Int16 = -1

  /// Next occurrence with the same key, or -1.
  var next: Int32 = -1

  /// Index of the stored row in the batch's ``StoredRows``, or -1 when there is none.
  var stored: Int32 = -1

  /// Index of the differences in ``Batch/differences``, or -1; for a folded occurrence its
  /// representative.
  var link: Int32 = -1

  var flags: Flags = []

  struct Flags: OptionSet {
    let rawValue: UInt32
    /// An item at the top of the payload.
    static let root = Flags(rawValue: 1)
    /// Has no readable key.
    static let keyless = Flags(rawValue: 2)
    /// Is the same object as another occurrence, which stands for it.
    static let folded = Flags(rawValue: 4)
    /// Reached from the top of the payload through objects that are written.
    static let reached = Flags(rawValue: 8)
    /// New, and inserting is allowed.
    static let inserted = Flags(rawValue: 16)
    /// Takes what the payload says: new and inserted, or stored and updating is allowed.
    static let active = Flags(rawValue: 32)
    /// Its cells still have to be compared with the stored row.
    static let uncompared = Flags(rawValue: 64)
    /// Added by the engine to write a reference; the payload does not describe it.
    static let referenceOnly = Flags(rawValue: 128)
    /// Its identity is decided.
    static let decided = Flags(rawValue: 256)
    /// Not the only occurrence of its key.
    static let shared = Flags(rawValue: 1024)
    /// Stands in a one-to-many list, which its members have to themselves: identified by its key and
    /// its owner, not by its key alone.
    static let owned = Flags(rawValue: 2048)
    /// Folded, but what it says does not count: its place in the payload may not write the object.
    static let ignored = Flags(rawValue: 4096)
    /// Part of an item that is left out: it claims its key, and nothing else of it counts.
    static let leftOut = Flags(rawValue: 8192)
    /// Two places of the payload say different things of it, or it came from another owner: no fingerprint may
    /// vouch for it.
    static let conflicting = Flags(rawValue: 16384)
    /// The same object as a mention under a subentity, which is the one that is written.
    static let ofSubentity = Flags(rawValue: 32768)
    /// Is a new object, whatever is stored.
    static let forced = Flags(rawValue: 65536)
    /// Its mapping makes no new object of it.
    static let neverInserted = Flags(rawValue: 131_072)
    /// Its mapping leaves an object that is there as it is.
    static let neverUpdated = Flags(rawValue: 262_144)
    /// Stands in a list of explicit mapping that says who the members of its owner are.
    static let listed = Flags(rawValue: 524_288)
    /// Without a key in a list that owns its members: matched by value or place.
    static let value = Flags(rawValue: 1_048_576)
    /// In the wave that is being matched.
    static let current = Flags(rawValue: 512)
  }

  /// Whether it is identified by its key and its owner, not by its key alone.
  var isOwned: Bool { flags.contains(.owned) }
}
