import SyncStack

/// The keys by which APIs mark an item whose object is deleted.
enum DeletionMarks {
  /// Of these nothing else can be meant.
  static let certain: Set<String> = ["@removed", "@deleted", "_deleted", "$deleted"]

  private static let likely: Set<String> = [
    "is_deleted", "isDeleted", "deleted", "deleted_at", "deletedAt", "is_removed", "isRemoved",
    "removed_at", "removedAt", "date_deleted", "dateDeleted", "deleted_on", "deletedOn",
  ]

  /// The first of some keys that is one.
  static func first(in keys: some Sequence<String>) -> String? {
    let keys = Array(keys)
    return keys.first(where: certain.contains) ?? keys.first(where: likely.contains)
  }

  /// All of some keys that are one: the spellings of an attribute, of which a payload has any.
  static func all(in keys: [String]) -> [String] {
    keys.filter { certain.contains($0) || likely.contains($0) }
  }

  /// The advice on such a key.
  static func offer(_ key: String) -> String {
    "“\(key)” says that an object is deleted: with sync.tombstoneKey = “\(key)” in the user info of the "
      + "entity a sync deletes it; without, it is stored like any other."
  }
}
