import SyncStack

/// Keys of JSON as one text, as `sync.remoteKey` and `--at` take them.
enum DraftPath {
  static func text(_ keys: [String]) -> String { JSONPath(keys.map { .key($0) }).text }

  /// The text of a path that goes on with a key.
  static func adding(_ key: String, to path: String) -> String {
    let end = text([key])
    return path.isEmpty ? end : path + (end.hasPrefix("[") ? "" : ".") + end
  }

  /// Whether a text can lead to the key at all.
  static func canName(_ key: String) -> Bool {
    !key.isEmpty && JSONPath(text([key])) == JSONPath([.key(key)])
  }
}
