import SyncCore

/// A part of a payload in rows: what staging hands over. The phases behind it change nothing of it but what lies in its
/// batches.
struct StagedPart {
  /// The items at the top.
  struct Items {
    /// How many came in earlier parts.
    let first: Int

    /// How many there are up to the end of the part.
    var end: Int

    /// Those that stand beside the others.
    var beside = 0

    /// Those that validators dropped.
    var dropped = 0

    /// Those that can be used, from the first one on that says something.
    var usable = 0

    /// How many items of the part count.
    var count: Int { end - first - dropped - beside }
  }

  var batches: [Batch]

  /// The number of the batch of the root items.
  let root: Int

  /// Where values lie that do not lie in the payload.
  let arena: CellArena

  /// Says where an item stands.
  let path: PayloadPath

  /// Items that stand in for others; values may lie in them.
  var replacements: ItemReplacements?

  /// Whether it is noted which item every object stands in. Mentions are not laid together early then.
  let tracksItems: Bool

  var items: Items

  /// The owner of the root items, when they are the children of a given parent.
  var rootOwner: Owner?

  /// Whether the key of an item at the top could not be read, so that nobody knows which object was meant.
  var hasUnreadableRootKey = false

  /// The owners of lists in which a key could not be read.
  var unreadableLists: Set<ListKey> = []

  /// The lists in which items at the top nest objects, even none.
  var nestingRules: Set<Int> = []

  /// The stored rows that items at the top describe whatever their keys.
  var targetRows: [Int64] = []

  /// Items that stand beside those at the top.
  var beside: [SubentityMention] = []

  /// The occurrences of the items at the top, where the report lists them.
  var rootItems: [Int32] = []

  /// Items at the top that were passed over between those: how many of these came before, and their records.
  var passedItems: [(before: Int, records: Range<Int>)] = []

  /// What was left out.
  var leftOutItems: [LeftOutItem] = []

  /// Items that a rule of the plan refuses, by their index; they are still to be left out.
  var offenders: [Int: SyncError] = [:]

  /// What stops the sync, unless an item before it does.
  var stop: Stager.Stop?

  /// Whether there are more unused keys than are counted, so that their order matters.
  var hasUncountedKeys = false

  var rootBatch: Batch { batches[root] }
}
