/// What became of one occurrence: the stored row it is, or a new one, and what the sync may do with it.
///
/// Occurrences that turn out to be the same object are folded: the cells of the later one are laid over
/// those of the earlier one, and only the earlier one, the representative, is written.
struct Match {
  /// Row number: of the stored object, or reserved for the new one; 0 until decided.
  var row: Int64 = 0

  /// The object under whose relationship it stands, as in ``Occurrence``; of a folded one that lists it, if any does.
  var owner: Int32 = -1
  var ownerBatch: Int16 = -1
  var ownerRule: Int16 = -1

  /// Next occurrence with the same key, or -1.
  let next: Int32

  /// Index of the stored row in the batch's ``StoredRows``, or -1 when there is none.
  var stored: Int32 = -1

  /// Index of the differences in ``MatchedBatch/differences``, or -1; of a folded occurrence its
  /// representative.
  var link: Int32 = -1

  var flags: Occurrence.Flags

  init(_ occurrence: Occurrence) {
    owner = occurrence.owner
    ownerBatch = occurrence.ownerBatch
    ownerRule = occurrence.ownerRule
    next = occurrence.next
    flags = occurrence.flags
  }

  /// An object that the payload does not describe.
  init(row: Int64, stored: Int32 = -1, flags: Occurrence.Flags) {
    self.row = row
    self.stored = stored
    self.flags = flags
    next = -1
  }

  /// Whether it is identified by its key and its owner, not by its key alone.
  var isOwned: Bool { flags.contains(.owned) }
}
