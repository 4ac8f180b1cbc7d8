/// Where changes come from, for readers of the history: a sender of changes to a server passes over
/// those that came from there.
public enum HistorySource: String, Sendable, Hashable {
  /// Made in this program: by saving a context, or by a batch.
  case local
  /// Made by a sync.
  case `import`
  /// Made when the store was brought to another model.
  case migration
  /// Made by taking earlier commits back. It is no edit of this program: an outbox has nothing to
  /// send of it.
  case undo
}
