import SyncCore
import SyncGraph
import SyncStore

/// The pages of a session that are stored.
extension SyncSession {
  /// Names of the pages that are stored, in a session with a name those before a restart among
  /// them. One that was stored, came again and was not stored is none of them.
  ///
  /// ```swift
  /// let session = try SyncSession(entity: "User", dataStack: stack, name: "nightly")
  /// let stored = try session.storedPages()
  /// for url in urls where !stored.contains(url.path) {
  ///   queue.addOperation(session.page(.file(url), named: url.path))
  /// }
  /// ```
  public func storedPages() throws -> Set<String> {
    let kept = try dataStack.store.read { try state.pages(in: $0) }
    let (stored, failed) = stage.withLock { ($0.storedPages, $0.failed) }
    return stored.union(kept.lazy.filter(\.isStored).map(\.name))
      .subtracting(kept.lazy.filter(\.isBegun).map(\.name))
      .subtracting(failed.compactMap(\.name))
  }

  /// Says that pages are going to come, before one of them is made, with a mark for the content of
  /// each.
  ///
  /// - Parameter settings: Settings that must be the same as they were for the stored pages, by
  ///   names that the reader of a refusal understands.
  /// - Returns: Those that are stored with the content of that mark.
  /// - Throws: ``SyncError`` when settings are others.
  package func announce(
    _ pages: [String: String], settings: [String: String]
  ) throws -> Set<String> {
    let store = try dataStack.store
    let kept = try store.read {
      let kept = try state.pages(in: $0)
      if kept.contains(where: \.isStored) { try state.check(settings, in: $0) }
      return kept
    }
    let known = Dictionary(uniqueKeysWithValues: kept.map { ($0.name, $0) })
    let same = pages.filter { name, mark in
      known[name].map { $0.mark == mark && $0.isStored && !$0.isBegun } ?? false
    }
    let rest = pages.filter { same[$0.key] == nil }
    if !rest.isEmpty { try store.write { try state.begin(rest, settings: settings, in: $0) } }
    return Set(same.keys)
  }
}
