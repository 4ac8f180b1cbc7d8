import SyncCore

/// A part of a payload in rows: the result of staging. The phases behind it change nothing of it.
struct StagedPart {
  /// The items at the top.
  struct Items {
    /// How many came in earlier parts.
    let first: Int

    /// How many there are up to the end of the part.
    var end: Int

    /// Those that stand beside the others.
    var besideCount = 0

    /// Those that validators dropped.
    var dropped = 0

    /// Those that can be used, from the first one on that says something.
    var usable = 0

    /// How many items of the part count.
    var count: Int { end - first - dropped - besideCount }

    /// The occurrences of those at the top, where the report lists them.
    var listed: [Int32] = []

    /// Items at the top that were passed over between those: how many of these came before, and
    /// their records.
    var passed: [(before: Int, records: Range<Int>)] = []

    /// The mentions of those that stand beside the others.
    var beside: [SubentityMention] = []

    /// The stored rows that items at the top describe under any key, by their occurrences.
    var targetRows: [Int32: Int64] = [:]
  }

  /// Places where the object of an item is unknown.
  struct Unreadable {
    /// Whether it is the key of an item at the top.
    var hasRootKey = false

    /// The lists in which a key could not be read.
    var lists: Set<Owner> = []
  }

  /// Items that are not stored.
  struct Refusals {
    /// The items that were left out.
    var rejected: [RejectedItem] = []

    /// Items that a rule of the plan refuses, by their index; they are still to be left out.
    var offenders: [Int: SyncError] = [:]

    /// The error that stops the sync, unless an item before it does.
    var stop: Stager.Stop?
  }

  var batches: [Batch]

  /// The number of the batch of the root items.
  let root: Int

  /// Where values lie that do not lie in the payload.
  let arena: CellArena

  /// Says where an item stands.
  let path: PayloadPath

  /// How it was read.
  let version: PartVersion

  var items: Items

  /// The given parent, where the items are linked with it as they are written.
  var parent: GivenParent?

  /// The owner of the root items, when they are the children of a given parent.
  var rootOwner: Owner?

  /// Members that lists say have left them: references of their batch, by the list.
  var removed: [Owner: Set<Int32>] = [:]

  var unreadable = Unreadable()
  var refusals = Refusals()

  /// The lists in which items at the top nest objects, even none.
  var nestingRules: Set<Int> = []

  /// The contents of each item at the top, where the request asks for them.
  var contents: ItemContents?

  /// The fingerprints of these items, as many as the contents are of.
  var read: PlainArray<ItemContents.ReadItem>?

  /// Whether there are more unused keys than are counted, so that their order matters.
  var hasUncountedKeys = false

  var rootBatch: Batch { batches[root] }

  /// Whether the part says nothing of any object: its items, if there are any, were not read.
  var isUntouched: Bool {
    !unreadable.hasRootKey && refusals.rejected.isEmpty && batches.allSatisfy(\.isUntouched)
  }
}

/// The plan and the settings for staging a part of a payload.
struct StagingRequest {
  let plan: MappingPlan
  let operations: SyncOperations
  let onItemError: ItemErrorPolicy

  /// Says of items at the top that their objects are deleted.
  var deletes: ItemTest?

  /// Whether an empty list is one of keys under any key of JSON.
  var listsKeys = false

  /// Items that came in earlier parts.
  var firstItem = 0

  /// Whether it is noted where the bytes of items begin.
  var keepsAddresses = false

  /// Whether the contents of each item at the top are noted.
  var notesContents = false
  var version = PartVersion()
}

/// How a part is read: as it stands, or once more when something of it turned out to be otherwise.
struct PartVersion {
  /// Items that stand in for others; values may lie in them.
  var replacements: ItemReplacements?

  /// Whether it is noted which item every object stands in. Mentions are not laid together early
  /// then.
  var tracksItems = false

  /// The items at the top that are to be left out, by their index, and why.
  var rejected: [Int: SyncError] = [:]
}

// MARK: - Checks

extension StagedPart {
  /// Checks in debug builds that the numbers in the part lead to something: the phases behind
  /// staging use them without asking.
  ///
  /// - Complexity: O(*n*) in the mentions of the part; nothing in release builds.
  func check() {
    assert(
      batches.indices.allSatisfy(isSound), "Staging has handed over a number without an object.")
  }

  private func isSound(_ number: Int) -> Bool {
    let batch = batches[number]
    return batch.number == number && batch.occurrences.allSatisfy { isSound($0, in: batch) }
      && batch.mentions.indices.allSatisfy { isSound($0, of: batch) }
  }

  private func isSound(_ occurrence: Occurrence, in batch: Batch) -> Bool {
    guard occurrence.next < 0 || hasOccurrence(occurrence.next, batch) else { return false }
    if occurrence.next >= 0, !occurrence.traits.contains(.shared) { return false }
    guard occurrence.owner >= 0 else { return true }
    guard batches.indices.contains(Int(occurrence.ownerBatch)) else { return false }
    let owners = batches[Int(occurrence.ownerBatch)]
    return hasOccurrence(occurrence.owner, owners)
      && owners.mentions.indices.contains(Int(occurrence.ownerRule))
  }

  private func isSound(_ rule: Int, of batch: Batch) -> Bool {
    let mentions = batch.mentions[rule]
    let destination = batches[batch.node.relationships[rule].node]
    return mentions.owners.allSatisfy { hasOccurrence($0, batch) }
      && (0..<mentions.count).allSatisfy { mention in
        mentions.targets(of: mention).allSatisfy { target in
          target >= 0
            ? hasOccurrence(target, destination) : ~target < destination.references.count
        }
      }
  }

  private func hasOccurrence(_ number: Int32, _ batch: Batch) -> Bool {
    batch.occurrences.indices.contains(Int(number))
  }
}
