import Foundation
package import SyncCore
package import SyncStore

/// The claims of a page session's pages.
///
/// A session with a name is kept in the store: claims of a page are written with the page, and
/// before each page and at the end a transaction looks whether another writer has changed the
/// session since; then everything is read anew. Used inside the store's gate, one page at a time.
package final class SessionState: @unchecked Sendable {
  private(set) var claims = Claims()

  /// Name under which the store keeps the session; nil is not at all.
  package let name: String?
  private let entity: EntityDescription

  /// The session in the store as it was when ``claims`` were those of it; nil before its first
  /// page.
  private var known: OpenSync?
  /// The same as the transaction that runs leaves it.
  private var written: OpenSync?

  private static let kind = "session"

  package init(entity: EntityDescription, name: String?) {
    self.entity = entity
    self.name = name
  }

  private var key: String? { name.map { "\(entity.name)/\($0)" } }

  // MARK: - Reading

  /// Makes the claims those of the store.
  ///
  /// - Throws: ``SyncError`` when another session of that name has ended this one, or when the
  ///   store was migrated since.
  func refresh(in reader: StoreReader, _ control: SyncControl) throws {
    guard let key else { return }
    guard let sync = try reader.openSync(SessionState.kind, key) else {
      guard known == nil else { throw ended }
      guard try sessionsOfUnknownEntities(in: reader).isEmpty else { throw Claims.outdated }
      return
    }
    if let known, known.id != sync.id { throw ended }
    guard known?.revision != sync.revision, sync.revision > 0 else { return }
    guard let summary = ClaimsStore.summary(of: sync),
      summary.model == entity.model.versionHash
    else { throw Claims.outdated }
    claims = try ClaimsStore(model: entity.model, control: control)
      .read(sync, summary.state, from: reader)
    known = sync
  }

  private var ended: SyncError {
    SyncError(
      .invalidRequest, entity: entity.name,
      message: """
        The session “\(name ?? "")” was finished or abandoned by another session of that name. Nothing was \
        changed. Begin a new one.
        """)
  }

  /// Kept sessions of that name whose entity the model does not have: one of them may have been
  /// this entity before a migration.
  private func sessionsOfUnknownEntities(in reader: StoreReader) throws -> [OpenSync] {
    guard let name else { return [] }
    return try reader.openSyncs(SessionState.kind).filter { sync in
      guard let slash = sync.name.firstIndex(of: "/"), sync.name[slash...].dropFirst() == name
      else {
        return false
      }
      return entity.model.entity(named: String(sync.name[..<slash])) == nil
    }
  }

  // MARK: - Pages

  /// Whether any page was stored, as far as this session knows.
  package var hasPages: Bool { claims.state.hasBegun }

  /// Keeps the claims of a page.
  func keep(
    of request: SyncRequest, in transaction: StoreTransaction, _ control: SyncControl
  ) throws {
    guard let key else { return }
    let store = ClaimsStore(model: entity.model, control: control)
    let settings = (try settings(in: transaction) ?? [:])
      .merging(SessionState.settings(of: request)) { old, _ in old }
    let sync = try transaction.keepOpen(
      SessionState.kind, key, head: try store.encode(claims, settings))
    try store.write(claims, to: sync, in: transaction)
    if let page = request.pageName {
      try transaction.write([OpenSync.Page(name: page, isStored: true)], of: sync)
    }
    written = sync
  }

  /// Counts the claims of a page: it was committed.
  func didCommitPage() {
    claims.commit()
    known = written ?? known
    written = nil
  }

  /// Drops the claims of a page.
  func didFailPage() {
    claims.rollBack()
    written = nil
  }

  /// The pages with names.
  package func pages(in reader: StoreReader) throws -> [OpenSync.Page] {
    guard let key, let sync = try reader.openSync(SessionState.kind, key) else { return [] }
    return try reader.pages(of: sync)
  }

  /// Notes pages that are going to be worked off, with the program's marks of their content.
  package func begin(
    _ marks: [String: String?], settings: [String: String] = [:], in transaction: StoreTransaction
  ) throws {
    guard let key else { return }
    let sync = try transaction.keepOpen(SessionState.kind, key, head: nil)
    if sync.revision == 0, !settings.isEmpty {
      let store = ClaimsStore(model: entity.model, control: SyncControl())
      _ = try transaction.keepOpen(
        SessionState.kind, key, head: try store.encode(Claims(), settings))
    }
    let known = try Set(transaction.pages(of: sync).filter(\.isBegun).map(\.name))
    let pages = marks.filter { $0.value != nil || !known.contains($0.key) }
      .inKeyOrder
      .map { OpenSync.Page(name: $0.key, isBegun: true, mark: $0.value) }
    try transaction.write(pages, of: sync)
  }

  /// Entity, name and pages of all sessions that are kept, in order.
  package static func all(
    in reader: StoreReader
  ) throws -> [(entity: String, name: String, pages: [OpenSync.Page])] {
    try reader.openSyncs(kind).compactMap { sync in
      guard let slash = sync.name.firstIndex(of: "/") else { return nil }
      return (
        String(sync.name[..<slash]), String(sync.name[slash...].dropFirst()),
        try reader.pages(of: sync)
      )
    }
  }

  // MARK: - Settings

  /// The settings that decide the deletions at the end, with the rows that the first page found in
  /// scope: they cannot change any more. The guard may change, to allow a refused deletion, and so
  /// may the policy for unfit items.
  private static func settings(of request: SyncRequest) -> [String: String] {
    [
      "filter": request.settings.filter?.wholeText ?? "",
      "operations": "\(request.settings.operations)",
    ]
  }

  private func settings(in reader: StoreReader) throws -> [String: String]? {
    guard let key, let sync = try reader.openSync(SessionState.kind, key) else { return nil }
    return ClaimsStore.summary(of: sync)?.settings
  }

  /// Refuses a page or an end with other settings than the pages before.
  func check(_ request: SyncRequest, in reader: StoreReader) throws {
    try check(SessionState.settings(of: request), in: reader)
  }

  /// Refuses to go on with other settings than those of the pages that are stored.
  ///
  /// - Throws: ``SyncError`` that names each.
  package func check(_ settings: [String: String], in reader: StoreReader) throws {
    guard let name, let kept = try self.settings(in: reader) else { return }
    let others = settings.filter { kept[$0.key].map { [value = $0.value] in $0 != value } ?? false }
    guard !others.isEmpty else { return }
    func quoted(_ value: String?) -> String { (value ?? "").isEmpty ? "none" : "“\(value ?? "")”" }
    let list = others.inKeyOrder
      .map { "\($0.key) was \(quoted(kept[$0.key])) and is \(quoted($0.value))" }
    throw SyncError(
      .invalidRequest, entity: entity.name,
      message: """
        The session “\(name)” has pages that were stored with other settings: \
        \(list.joined(separator: "; ")). Nothing was changed. Go on with the settings of before, or \
        abandon the session and begin a new one.
        """)
  }

  // MARK: - The end

  /// Begins anew, once ``forget(in:)`` is committed.
  package func reset() {
    claims = Claims()
    known = nil
  }

  /// Forgets the claims of the pages in the store.
  package func forget(in transaction: StoreTransaction) throws {
    guard let key else { return }
    let sync = try transaction.openSync(SessionState.kind, key)
    for sync in try (sync.map { [$0] } ?? []) + sessionsOfUnknownEntities(in: transaction) {
      try transaction.forget(sync)
    }
  }
}
