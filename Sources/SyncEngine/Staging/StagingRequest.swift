import SyncCore

/// What a part of a payload is staged by.
struct StagingRequest {
  let plan: MappingPlan
  let operations: SyncOperations
  let onItemError: ItemErrorPolicy

  /// Says of items at the top that their objects are deleted.
  var deletes: ItemTest?

  /// Whether an empty list is one of keys, whatever key of JSON it stands under.
  var listsKeys = false

  /// Items that came in earlier parts.
  var firstItem = 0

  /// Whether it is noted where the bytes of items begin, and which item every object stands in.
  var keepsAddresses = false
  var tracksItems = false

  /// Whether it is noted what each item at the top speaks of.
  var notesContents = false

  /// Items that stand in for others.
  var replacements: ItemReplacements?

  /// The items at the top that are to be left out, by their index, and why.
  var leftOut: [Int: SyncError] = [:]
}
